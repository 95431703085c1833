/*
 * on_input: one message after the other
 *   next_framed, or thrift_end_find: is a whole one here?
 *   answer_next: thrift_call_answer, with the frame's length in front where there is one
 */
#include <arpa/inet.h>
#include <string.h>

#include "lib/buf.h"
#include "servers/common/count.h"
#include "servers/common/thrift_call.h"
#include "servers/common/thrift_conn.h"
#include "servers/common/thrift_types.h"

#define FRAME_HEAD 4 /* bytes of a frame's length */

struct conn {
	const struct thrift_variant *variant;
	size_t limit; /* bytes of a message */
	struct thrift_call *call;
	bool busy; /* a message was begun and is not answered */
	struct thrift_end end;
};

static int on_open(void *state, struct stream *stream, const struct srv_worker *worker)
{
	const struct stream_protocol *protocol = worker->spec->arg;
	struct conn *conn = state;

	(void)stream;
	conn->variant = protocol->arg;
	conn->limit =
		worker->options->body_limit < INT32_MAX ? worker->options->body_limit : INT32_MAX;
	thrift_end_begin(&conn->end, conn->variant->encoding, conn->limit);
	conn->call = thrift_call_new(conn->variant->encoding);
	return conn->call != NULL ? 0 : -1;
}

static void on_close(void *state)
{
	struct conn *conn = state;

	thrift_call_free(conn->call);
}

/* A frame is looked at when all of it is here, and its message must fill it. */
static enum thrift_found next_framed(struct conn *conn, const char *data, size_t len)
{
	enum thrift_found found;
	uint32_t size;

	if (len < FRAME_HEAD)
		return THRIFT_MORE;
	memcpy(&size, data, FRAME_HEAD);
	size = ntohl(size);
	if (size > conn->limit)
		return THRIFT_BAD;
	if (size > len - FRAME_HEAD)
		return THRIFT_MORE;
	thrift_end_begin(&conn->end, conn->variant->encoding, size);
	found = thrift_end_find(&conn->end, data + FRAME_HEAD, size);
	return found == THRIFT_END && conn->end.pos == size ? THRIFT_END : THRIFT_BAD;
}

/* Answers the message that conn->end has found. Return: its bytes with its head, or -1. */
static ssize_t answer_next(struct conn *conn, const char *data, struct buf *out)
{
	static const char zero[FRAME_HEAD];
	size_t before = buf_len(out);
	size_t head = conn->variant->framed ? FRAME_HEAD : 0;
	uint32_t size;

	count_request();
	if (buf_append(out, zero, head) != 0 || thrift_call_answer(conn->call, &conn->end.head,
							data + head, conn->end.pos, out) != 0)
		goto err0;
	if (buf_len(out) == before + head)
		out->end -= head; /* oneway */
	if (head > 0 && buf_len(out) > before) {
		size = htonl((uint32_t)(buf_len(out) - before - head));
		memcpy(buf_head(out) + before, &size, FRAME_HEAD);
	}
	return (ssize_t)(head + conn->end.pos);

err0:
	out->end = out->start + before;
	return -1;
}

static ssize_t on_input(void *state, const char *data, size_t len, struct buf *out)
{
	struct conn *conn = state;
	enum thrift_found found;
	size_t taken = 0;
	ssize_t n;

	while (taken < len && buf_len(out) < STREAM_OUT_HIGH) {
		found = conn->variant->framed
				? next_framed(conn, data + taken, len - taken)
				: thrift_end_find(&conn->end, data + taken, len - taken);
		if (found == THRIFT_MORE)
			break;
		if (found == THRIFT_BAD)
			return -1;
		n = answer_next(conn, data + taken, out);
		if (n < 0)
			return -1;
		taken += (size_t)n;
		thrift_end_begin(&conn->end, conn->variant->encoding, conn->limit);
	}
	conn->busy = taken < len;
	return (ssize_t)taken;
}

static bool on_busy(const void *state)
{
	const struct conn *conn = state;

	return conn->busy;
}

const struct stream_ops thrift_conn_ops = {
	.name = "thrift",
	.state_size = sizeof(struct conn),
	.open = on_open,
	.input = on_input,
	.busy = on_busy,
	.close = on_close,
};

int thrift_conn_main(const struct srv_spec *spec, int argc, char **argv)
{
	thrift_types_register();
	return srv_main(spec, argc, argv);
}
