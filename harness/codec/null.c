/*
 * null: the engine by itself. A request is one byte, a reply is one byte, and nothing is parsed or
 * checked; the server (servers/null) sends back as many bytes as it got. What remains is the
 * engine's loop, its sockets and its books: what it can do at most with any protocol.
 */
#include <stdint.h>
#include <stdlib.h>

#include "harness/codec/codec.h"
#include "lib/buf.h"

struct state {
	const struct codec_env *env;
	uint32_t next;   /* slot whose reply comes next */
	uint32_t owed;   /* replies */
	uint32_t queued; /* requests that flush() has to write */
};

static void *null_prepare(const struct load_params *params, struct reference *reference)
{
	(void)params;
	(void)reference;
	return malloc(1);
}

static int null_open(void *st, const struct codec_env *env)
{
	struct state *s = st;

	s->env = env;
	return 0;
}

static int null_submit(void *st, uint32_t slot)
{
	struct state *s = st;

	(void)slot;
	s->queued++;
	s->owed++;
	return 0;
}

static int null_flush(void *st, struct buf *out)
{
	struct state *s = st;

	for (; s->queued > 0; s->queued--)
		if (buf_append(out, "?", 1) != 0)
			return -1;
	return 0;
}

static int null_feed(void *st, const char *in, size_t len)
{
	struct state *s = st;

	(void)in;
	if (len > s->owed)
		return -OUT_UNEXPECTED;
	for (size_t i = 0; i < len; i++) {
		uint32_t slot = s->next;

		s->next = slot + 1 < s->env->depth ? slot + 1 : 0;
		s->owed--;
		s->env->done(s->env->ctx, slot, OUT_OK, 0, 1);
	}
	return 0;
}

static int null_eof(void *st, bool reset)
{
	const struct state *s = st;

	if (s->owed == 0)
		return CODEC_CLOSED;
	return reset ? -OUT_RESET : -OUT_EOF;
}

const struct codec_ops codec_null = {
	.name = "null",
	.scheme = "null",
	.flags = CODEC_INORDER,
	.state_size = sizeof(struct state),
	.prepare = null_prepare,
	.release = free,
	.open = null_open,
	.submit = null_submit,
	.flush = null_flush,
	.feed = null_feed,
	.eof = null_eof,
};
