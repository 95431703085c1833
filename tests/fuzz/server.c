#include <event2/event.h>
#include <stdlib.h>
#include <string.h>

#include "lib/buf.h"
#include "lib/clock.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/server.h"

#define DRAINS  0x08
#define EXPIRES 0x10

#define LIMIT   1000      /* bytes of heads and of bodies, so that short inputs reach them */
#define OUT_MAX (4 << 20) /* bytes of replies to one input(), far beyond what is due */

struct stream {
	const struct stream_ops *ops;
	void *state;
	struct buf in; /* what was not taken yet */
	bool closing;
	int64_t deadline_ns;
};

void stream_set_deadline(struct stream *s, int64_t ns)
{
	s->deadline_ns = ns;
}

void stream_close_after(struct stream *s)
{
	s->closing = true;
}

int64_t stream_unix_time(const struct stream *s)
{
	(void)s;
	return 784111777;
}

/* Calls input() with a copy of its own, so that a sanitizer sees each byte too far. Return: true
 * when it has more to say. */
static bool input(struct stream *s)
{
	size_t len = buf_len(&s->in);
	char *copy = malloc(len);
	struct buf out = {0};
	ssize_t taken;
	bool more;

	fuzz_check(copy != NULL);
	if (len > 0)
		memcpy(copy, buf_head(&s->in), len);
	taken = s->ops->input(s->state, copy, len, &out);
	free(copy);
	fuzz_check(taken >= -1 && taken <= (ssize_t)len && buf_len(&out) <= OUT_MAX);
	more = buf_len(&out) >= STREAM_OUT_HIGH;
	buf_free(&out);
	if (taken < 0)
		s->closing = true;
	else
		buf_consume(&s->in, (size_t)taken);
	return more && !s->closing &&
	       (buf_len(&s->in) > 0 || (s->ops->holds != NULL && s->ops->holds(s->state)));
}

static void process(struct stream *s)
{
	while (!s->closing && input(s))
		;
}

void stream_wake(struct stream *s)
{
	process(s);
}

static void feed(struct stream *s, const struct srv_worker *worker, void (*turn)(void),
	const uint8_t *data, size_t size)
{
	size_t piece = fuzz_piece(data[0]);
	bool drains = (data[0] & DRAINS) != 0 && s->ops->drain != NULL;

	for (size_t at = 1; at < size && !s->closing;) {
		size_t len = size - at < piece ? size - at : piece;

		fuzz_check(buf_append(&s->in, data + at, len) == 0);
		process(s);
		at += len;
		if (turn != NULL)
			turn();
		event_base_loop(worker->base, EVLOOP_NONBLOCK);
		if (drains && at > size / 2 && !s->closing) {
			s->ops->drain(s->state);
			process(s);
			drains = false;
		}
	}
}

void fuzz_server_run(const struct fuzz_server *server, const uint8_t *data, size_t size)
{
	static struct event_base *base;
	static const struct srv_options options = {
		.header_limit = LIMIT,
		.body_limit = LIMIT,
		.header_ns = NS_PER_S,
		.idle_ns = NS_PER_S,
	};
	const struct stream_protocol protocol = {.ops = server->ops, .arg = server->arg};
	const struct srv_spec spec = {.arg = &protocol};
	struct srv_worker worker = {.options = &options, .spec = &spec};
	struct stream s = {.ops = server->ops};
	struct buf out = {0};

	if (size == 0)
		return;
	if (base == NULL)
		base = event_base_new();
	worker.base = base;
	s.state = calloc(1, s.ops->state_size);
	fuzz_check(base != NULL && s.state != NULL && s.ops->open(s.state, &s, &worker) == 0);
	feed(&s, &worker, server->turn, data, size);
	if (!s.closing && s.deadline_ns > 0 && (data[0] & EXPIRES) != 0 && s.ops->expired != NULL)
		s.ops->expired(s.state, &out);
	if (s.ops->busy != NULL)
		s.ops->busy(s.state);
	s.ops->close(s.state);
	free(s.state);
	buf_free(&s.in);
	buf_free(&out);
}
