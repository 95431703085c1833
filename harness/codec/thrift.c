/*
 * Thrift calls: binary or compact, framed or unframed; see codec.h for who calls what.
 *
 * feed: replies come in the order of the calls. At the start of a reply its bytes are compared
 * with the template, the last good reply of this thread, but for the sequence number, which
 * must be that of the oldest call. Anything else is collected until it is a whole message and
 * taken apart. A good reply becomes the template.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/codec/codec.h"
#include "harness/codec/reference.h"
#include "harness/codec/thrift_wire.h"
#include "harness/load/load.h"
#include "harness/load/target.h"
#include "lib/buf.h"
#include "lib/fail.h"

#define FRAME_HEAD  4          /* bytes of a frame's length */
#define MESSAGE_MAX (16 << 20) /* bytes of a reply; Thrift's own default for frames */
#define METHOD_MAX  100        /* bytes of a method name */

struct shared {
	struct buf request;
	size_t request_seqid; /* offset of its sequence number */
	char method[METHOD_MAX + 1];
	bool compact;
	bool framed;
	bool check_status;
	struct reference *reference;
	enum check_level level;
	struct buf template;   /* empty = none */
	size_t template_seqid; /* offset of its sequence number */
};

struct thrift {
	const struct codec_env *env;
	struct shared *shared;
	uint32_t queued;      /* calls submitted and not flushed */
	uint32_t outstanding; /* calls without a whole reply */
	uint32_t slot;        /* of the oldest of them */
	int32_t next_call;    /* sequence number of the next call to flush */
	int32_t next_reply;   /* and of the oldest outstanding */
	struct buf partial;   /* a reply that is not whole yet */
	struct body_check check;
};

/* ------------------------------------------------------------------ the call */

static int bad_target(const struct target *target, const char *expected)
{
	return fail_msg("bad URL '%s': expected %s", target->url, expected);
}

/* One "key=value" of the query. */
static int parse_parameter(
	struct shared *shared, const struct target *target, const char *text, size_t len)
{
	static const struct {
		const char *text;
		bool compact, framed;
	} rows[] = {
		{"protocol=binary", false, false},
		{"protocol=compact", true, false},
		{"transport=buffered", false, false},
		{"transport=framed", false, true},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (strlen(rows[i].text) != len || memcmp(rows[i].text, text, len) != 0)
			continue;
		shared->compact |= rows[i].compact;
		shared->framed |= rows[i].framed;
		return 0;
	}
	return bad_target(
		target, "protocol=binary|compact and transport=buffered|framed after '?'");
}

/* "/Service.Method?protocol=…&transport=…" */
static int parse_path(struct shared *shared, const struct target *target)
{
	const char *path = target->path + 1;
	size_t len = strcspn(path, "?");
	const char *dot = memchr(path, '.', len);
	const char *method = dot != NULL ? dot + 1 : path + len;
	size_t method_len = len - (size_t)(method - path);

	if (dot == NULL || dot == path || method_len == 0 || method_len > METHOD_MAX ||
		memchr(path, '/', len) != NULL)
		return bad_target(target, "thrift://host:port/Service.Method");
	memcpy(shared->method, method, method_len);

	for (const char *query = path + len; *query != '\0'; query += 1 + strcspn(query + 1, "&"))
		if (parse_parameter(shared, target, query + 1, strcspn(query + 1, "&")) != 0)
			return -1;
	return 0;
}

static int build_request(struct shared *shared, const struct load_params *params)
{
	struct buf *out = &shared->request;
	static const char room[FRAME_HEAD];
	struct thrift_head head;
	size_t start = shared->framed ? FRAME_HEAD : 0;
	size_t len;

	if (buf_append(out, room, start) != 0 ||
		thrift_write_head(out, shared->compact, shared->method, THRIFT_SEQID_MIN) != 0 ||
		thrift_write_args(out, shared->compact, params->body.data, params->body.len) != 0)
		return -1;
	len = buf_len(out) - start;
	if (shared->framed)
		for (size_t i = 0; i < FRAME_HEAD; i++)
			buf_head(out)[i] = (char)(len >> 8 * (FRAME_HEAD - 1 - i));
	thrift_read_head(buf_head(out) + start, len, shared->compact, &head);
	shared->request_seqid = start + head.seqid_at;
	return 0;
}

static void thrift_release(void *arg)
{
	struct shared *shared = arg;

	if (shared == NULL)
		return;
	buf_free(&shared->request);
	buf_free(&shared->template);
	free(shared);
}

static void *thrift_prepare(const struct load_params *params, struct reference *reference)
{
	struct shared *shared = calloc(1, sizeof(*shared));

	if (shared == NULL) {
		fail_errno("cannot prepare a call");
		return NULL;
	}
	shared->reference = reference;
	shared->level = params->verify == VERIFY_FULL     ? CHECK_BYTES
			: params->verify == VERIFY_LENGTH ? CHECK_LENGTH
							  : CHECK_NOTHING;
	shared->check_status = params->verify != VERIFY_OFF;
	if (parse_path(shared, params->target) != 0 || build_request(shared, params) != 0) {
		thrift_release(shared);
		return NULL;
	}
	return shared;
}

static int thrift_submit(void *state, uint32_t slot)
{
	struct thrift *t = state;

	(void)slot;
	t->queued++;
	t->outstanding++;
	return 0;
}

static int32_t seqid_after(int32_t seqid)
{
	return seqid + 1 < THRIFT_SEQID_MAX ? seqid + 1 : THRIFT_SEQID_MIN;
}

static int thrift_flush(void *state, struct buf *out)
{
	struct thrift *t = state;
	const struct shared *shared = t->shared;
	size_t len = buf_len(&shared->request);

	if (buf_reserve(out, len * t->queued) != 0)
		return -1;
	for (; t->queued > 0; t->queued--) {
		char *at = buf_tail(out);

		memcpy(at, buf_head(&shared->request), len);
		thrift_put_seqid(at + shared->request_seqid, shared->compact, t->next_call);
		t->next_call = seqid_after(t->next_call);
		out->end += len;
	}
	return 0;
}

/* ------------------------------------------------------------------ the reply */

static void reply_done(struct thrift *t, enum outcome outcome, size_t bytes)
{
	uint32_t slot = t->slot;

	t->slot = slot + 1 == t->env->depth ? 0 : slot + 1;
	t->next_reply = seqid_after(t->next_reply);
	t->outstanding--;
	t->env->done(t->env->ctx, slot, outcome, 0, bytes);
}

/* Finds the end of the message in front of @data. @start is where it begins behind a frame's
 * length, @end where it ends. Return: THRIFT_WHOLE, THRIFT_PARTIAL, or below 0 as feed(). */
static int find_message(const struct shared *shared, const char *data, size_t len,
	struct thrift_head *head, size_t *start, size_t *end)
{
	enum thrift_parsed parsed;
	size_t frame = 0;
	size_t at;

	*start = shared->framed ? FRAME_HEAD : 0;
	if (shared->framed) {
		if (len < FRAME_HEAD)
			return THRIFT_PARTIAL;
		for (size_t i = 0; i < FRAME_HEAD; i++)
			frame = frame << 8 | (unsigned char)data[i];
		if (frame == 0 || frame > MESSAGE_MAX)
			return -OUT_THRIFT_FRAME;
		if (len - FRAME_HEAD < frame)
			return THRIFT_PARTIAL;
		len = FRAME_HEAD + frame;
	}
	parsed = thrift_read_head(data + *start, len - *start, shared->compact, head);
	if (parsed == THRIFT_WHOLE) {
		at = *start + head->body_at;
		parsed = thrift_skip_struct(data, len, shared->compact, &at);
		*end = at;
	}
	if (parsed == THRIFT_BROKEN)
		return -OUT_PROTOCOL;
	/* A frame holds one message, no less and no more. */
	if (shared->framed && (parsed != THRIFT_WHOLE || *end != len))
		return -OUT_THRIFT_FRAME;
	if (parsed == THRIFT_PARTIAL && len > MESSAGE_MAX)
		return -OUT_PROTOCOL;
	return parsed;
}

/* What a whole and well-formed reply means. */
static enum outcome judge(
	struct thrift *t, const struct thrift_head *head, const char *message, size_t len)
{
	const struct shared *shared = t->shared;
	const char *body = message + head->body_at;
	size_t body_len = len - head->body_at;

	if (head->type == THRIFT_EXCEPTION ||
		thrift_first_field(body, body_len, shared->compact) > 0)
		return shared->check_status ? OUT_THRIFT_EXCEPTION : OUT_OK;
	body_begin(&t->check, shared->reference, shared->level);
	body_add(&t->check, body, body_len);
	return body_end(&t->check, true) ? OUT_OK : OUT_MISMATCH;
}

static int take_message(struct thrift *t, const char *data, const struct thrift_head *head,
	size_t start, size_t end)
{
	struct shared *shared = t->shared;
	const char *message = data + start;
	enum outcome outcome;

	if ((head->type != THRIFT_REPLY && head->type != THRIFT_EXCEPTION) ||
		head->name_len != strlen(shared->method) ||
		memcmp(message + head->name_at, shared->method, head->name_len) != 0)
		return -OUT_PROTOCOL;
	if (head->seqid != t->next_reply)
		return -OUT_THRIFT_SEQID;
	outcome = judge(t, head, message, end - start);
	if (outcome == OUT_OK && head->type == THRIFT_REPLY &&
		head->seqid_len == thrift_seqid_len(shared->compact)) {
		buf_clear(&shared->template);
		if (buf_append(&shared->template, data, end) != 0)
			return -OUT_PROTOCOL;
		shared->template_seqid = start + head->seqid_at;
	}
	reply_done(t, outcome, end);
	return 0;
}

/* True when @in starts with the template, with the sequence number that is due. */
static bool is_template(const struct thrift *t, const char *in, size_t len)
{
	const struct shared *shared = t->shared;
	const char *template = buf_head(&shared->template);
	size_t template_len = buf_len(&shared->template);
	size_t at = shared->template_seqid;
	size_t n = thrift_seqid_len(shared->compact);
	char seqid[4];

	if (template_len == 0 || len < template_len)
		return false;
	thrift_put_seqid(seqid, shared->compact, t->next_reply);
	return memcmp(in, template, at) == 0 && memcmp(in + at, seqid, n) == 0 &&
	       memcmp(in + at + n, template + at + n, template_len - at - n) == 0;
}

/* Takes whole replies off the front. Return: bytes taken, or below 0 as feed(). */
static ssize_t take_replies(struct thrift *t, const char *in, size_t len)
{
	size_t taken = 0;

	while (taken < len) {
		const char *at = in + taken;
		struct thrift_head head;
		size_t start;
		size_t end = 0;
		int ret;

		if (t->outstanding == 0)
			return -OUT_UNEXPECTED;
		if (is_template(t, at, len - taken)) {
			taken += buf_len(&t->shared->template);
			reply_done(t, OUT_OK, buf_len(&t->shared->template));
			continue;
		}
		ret = find_message(t->shared, at, len - taken, &head, &start, &end);
		if (ret == THRIFT_PARTIAL)
			break;
		if (ret == THRIFT_WHOLE)
			ret = take_message(t, at, &head, start, end);
		if (ret != 0)
			return ret;
		taken += end;
	}
	return (ssize_t)taken;
}

static int thrift_feed(void *state, const char *in, size_t len)
{
	struct thrift *t = state;
	ssize_t taken;

	if (buf_len(&t->partial) == 0) {
		taken = take_replies(t, in, len);
		if (taken < 0)
			return (int)taken;
		return buf_append(&t->partial, in + taken, len - (size_t)taken) == 0
			       ? 0
			       : -OUT_PROTOCOL;
	}
	if (buf_append(&t->partial, in, len) != 0)
		return -OUT_PROTOCOL;
	taken = take_replies(t, buf_head(&t->partial), buf_len(&t->partial));
	if (taken < 0)
		return (int)taken;
	buf_consume(&t->partial, (size_t)taken);
	if (buf_len(&t->partial) == 0)
		buf_free(&t->partial);
	return 0;
}

static int thrift_eof(void *state, bool reset)
{
	struct thrift *t = state;

	if (buf_len(&t->partial) > 0)
		return reset ? -OUT_RESET : -OUT_EOF;
	return CODEC_CLOSED;
}

static int thrift_open(void *state, const struct codec_env *env)
{
	struct thrift *t = state;

	t->env = env;
	t->shared = env->shared;
	t->next_call = THRIFT_SEQID_MIN;
	t->next_reply = THRIFT_SEQID_MIN;
	return 0;
}

static void thrift_close(void *state)
{
	struct thrift *t = state;

	buf_free(&t->partial);
	body_free(&t->check);
}

const struct codec_ops codec_thrift = {
	.name = "thrift",
	.scheme = "thrift",
	.flags = CODEC_INORDER,
	.state_size = sizeof(struct thrift),
	.prepare = thrift_prepare,
	.release = thrift_release,
	.open = thrift_open,
	.submit = thrift_submit,
	.flush = thrift_flush,
	.feed = thrift_feed,
	.eof = thrift_eof,
	.close = thrift_close,
};
