/* A reply on its way out: its bytes, where they pause, where they end. */
#include <stdlib.h>
#include <string.h>

#include "lib/clock.h"
#include "tests/badserver/reply.h"

#define INLINE_MAX (64 << 10) /* a body up to this is one piece of memory */

void reply_free(struct reply *r)
{
	buf_free(&r->head);
	buf_free(&r->pattern);
	buf_free(&r->tail);
	free(r);
}

uint64_t reply_length(const struct reply *r)
{
	if (r->times > UINT64_C(1) << 40)
		return REPLY_NEVER;
	return buf_len(&r->head) + buf_len(&r->pattern) * r->times + buf_len(&r->tail);
}

size_t reply_span(const struct reply *r, const char **data)
{
	uint64_t head = buf_len(&r->head);
	uint64_t total = reply_length(r);
	uint64_t at = r->sent;
	uint64_t n;

	if (at < head) {
		*data = buf_head(&r->head) + at;
		n = head - at;
	} else if (at < total - buf_len(&r->tail)) {
		uint64_t offset = (at - head) % buf_len(&r->pattern);

		*data = buf_head(&r->pattern) + offset;
		n = buf_len(&r->pattern) - offset;
	} else {
		*data = buf_head(&r->tail) + (at - (total - buf_len(&r->tail)));
		n = total - at;
	}
	if (n > r->limit - at)
		n = r->limit - at;
	if (r->split > at && n > r->split - at)
		n = r->split - at;
	return (size_t)n;
}

static void copy_buf(struct buf *to, const struct buf *from)
{
	*to = (struct buf){0};
	append(to, buf_head(from), buf_len(from));
}

void reply_copy(struct reply *copy, const struct reply *r)
{
	copy_buf(&copy->head, &r->head);
	copy_buf(&copy->pattern, &r->pattern);
	copy_buf(&copy->tail, &r->tail);
	copy->end = END_NONE;
	copy->limit = reply_length(r);
}

/* The acts on bytes and time. */
static void act_on(struct reply *r, const struct acts *acts, uint64_t number)
{
	uint64_t total = reply_length(r);
	int64_t cut = INT64_MAX;

	if (has(acts, ACT_FIN)) {
		r->end = END_FIN;
		cut = acts->number[ACT_FIN];
	}
	if (has(acts, ACT_CLOSE)) {
		r->end = END_CLOSE;
		cut = acts->number[ACT_CLOSE];
	}
	if (has(acts, ACT_RESET)) {
		r->end = END_RESET;
		cut = acts->number[ACT_RESET];
	}
	r->limit = (uint64_t)cut < total ? (uint64_t)cut : total;
	if (has(acts, ACT_DELAY))
		r->due_ns = clock_ns() + acts->number[ACT_DELAY];
	r->pace_ns = act_number(acts, ACT_PACE, 0);
	if (r->pace_ns > 0 && r->due_ns == 0)
		r->due_ns = clock_ns() + r->pace_ns;
	r->gap_ns = act_number(acts, ACT_GAP, NS_PER_MS / 10);
	r->piece = (uint64_t)act_number(acts, ACT_PIECES, 0);
	r->split = r->piece > 0 ? r->piece : REPLY_NEVER;
	if (has(acts, ACT_SPLIT))
		r->split = (uint64_t)acts->number[ACT_SPLIT];
	if (has(acts, ACT_WALK))
		r->split = 1 + number % total;
}

/* ACT_BEFORE, ACT_RAW and ACT_THEN: bytes of the script around or instead of the reply. */
static void act_on_bytes(struct reply *r, const struct acts *acts)
{
	const struct slice *text = acts->text;
	struct buf head = {0};

	if (has(acts, ACT_RAW)) {
		buf_clear(&r->head);
		buf_clear(&r->pattern);
		buf_clear(&r->tail);
		r->times = 0;
		append(&r->head, text[ACT_RAW].data, text[ACT_RAW].len);
	}
	if (has(acts, ACT_BEFORE)) {
		append(&head, text[ACT_BEFORE].data, text[ACT_BEFORE].len);
		append(&head, buf_head(&r->head), buf_len(&r->head));
		buf_free(&r->head);
		r->head = head;
	}
	if (has(acts, ACT_THEN))
		append(reply_rest(r), text[ACT_THEN].data, text[ACT_THEN].len);
}

void reply_act(struct reply *r, const struct acts *acts, uint64_t number)
{
	act_on_bytes(r, acts);
	act_on(r, acts, number);
}

/* ------------------------------------------------------------------ bodies */

void reply_body(struct reply *r, const struct acts *acts, size_t unit, reply_wrap *wrap, void *ctx)
{
	uint64_t total = (uint64_t)act_number(acts, ACT_BODY, 2);
	uint64_t room = total > unit ? total : unit;
	struct buf *out = &r->head;
	char *data;

	if (total > INLINE_MAX)
		room = unit;
	data = malloc(room + 1);
	if (data == NULL)
		abort();
	memset(data, 'x', room);
	if (!has(acts, ACT_BODY)) {
		data[0] = 'h';
		data[1] = 'i';
	}
	if (total > INLINE_MAX) {
		wrap(&r->pattern, data, unit, false, ctx);
		r->times = (total - 1) / unit;
		total -= r->times * unit;
		out = &r->tail;
	}
	if (has(acts, ACT_WRONG) && total > 0)
		data[total - 1] = '!';
	for (uint64_t at = 0; at == 0 || at < total; at += unit) {
		size_t n = total - at < unit ? (size_t)(total - at) : unit;

		wrap(out, data + at, n, at + n == total, ctx);
	}
	free(data);
}

struct buf *reply_rest(struct reply *r)
{
	return r->times > 0 ? &r->tail : &r->head;
}
