/* HTTP/1.1: requests are told apart, replies are written as the acts say. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "tests/badserver/conn.h"

static const char plain[] = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi";

struct http1 {
	uint64_t body_left; /* of the request */
	bool in_body;
	bool head; /* the request is a HEAD */
};

/* How this reply's lines end, and how its body is cut. */
struct shape {
	const struct acts *acts;
	const char *eol;
};

static void *http1_open(struct conn *conn, const struct acts *acts)
{
	(void)conn;
	(void)acts;
	return calloc(1, sizeof(struct http1));
}

static void put_chunk(struct buf *out, const char *data, size_t len, bool last, void *ctx)
{
	const struct shape *shape = ctx;
	struct slice ext = has(shape->acts, ACT_CHUNK_EXT) ? shape->acts->text[ACT_CHUNK_EXT]
							   : (struct slice){0};

	if (len > 0) {
		buf_printf(out, "%zx", len);
		buf_append(out, ext.data, ext.len);
		buf_append(out, shape->eol, strlen(shape->eol));
		buf_append(out, data, len);
		buf_append(out, shape->eol, strlen(shape->eol));
	}
	if (!last)
		return;
	buf_printf(out, "0%s", shape->eol);
	if (has(shape->acts, ACT_TRAILER)) {
		buf_append(out, shape->acts->text[ACT_TRAILER].data,
			shape->acts->text[ACT_TRAILER].len);
		buf_printf(out, "%s", shape->eol);
	}
	buf_printf(out, "%s", shape->eol);
}

static void put_bytes(struct buf *out, const char *data, size_t len, bool last, void *ctx)
{
	(void)last;
	(void)ctx;
	buf_append(out, data, len);
}

static void put_header(struct buf *out, const struct shape *shape, bool length)
{
	const struct acts *a = shape->acts;
	const char *eol = shape->eol;
	struct slice version = has(a, ACT_VERSION) ? a->text[ACT_VERSION] : slice_of("1.1");
	int64_t status = act_number(a, ACT_STATUS, 200);

	buf_printf(out, "HTTP/%.*s %lld Status%s", (int)version.len, version.data,
		(long long)status, eol);
	if (length)
		buf_printf(out, "Content-Length: %lld%s",
			(long long)act_number(a, ACT_LENGTH, act_number(a, ACT_BODY, 2)), eol);
	if (has(a, ACT_CHUNKED))
		buf_printf(out, "Transfer-Encoding: chunked%s", eol);
	if (has(a, ACT_HEADER)) {
		buf_append(out, a->text[ACT_HEADER].data, a->text[ACT_HEADER].len);
		buf_printf(out, "%s", eol);
	}
	if (has(a, ACT_NUMBERED))
		buf_printf(out, "X-Number: %llu%s", (unsigned long long)conn_number(), eol);
	if (has(a, ACT_LONG_HEADER)) {
		buf_printf(out, "X-Long: ");
		for (int64_t i = 0; i < a->number[ACT_LONG_HEADER]; i++)
			buf_append(out, "l", 1);
		buf_printf(out, "%s", eol);
	}
}

static void reply(struct conn *conn, const struct acts *a, bool head)
{
	struct shape shape = {.acts = a, .eol = has(a, ACT_LF) ? "\n" : "\r\n"};
	int64_t status = act_number(a, ACT_STATUS, 200);
	bool bodiless = head || status == 204 || status == 304 || has(a, ACT_NO_BODY);
	bool length = !has(a, ACT_NO_LENGTH) && !has(a, ACT_CHUNKED) &&
		      ((status != 204 && status != 304) || has(a, ACT_LENGTH));
	struct reply r = {0};

	for (int64_t i = act_number(a, ACT_INTERIM, 0); i > 0; i--)
		buf_printf(&r.head, "HTTP/1.1 100 Continue%s%s", shape.eol, shape.eol);
	put_header(&r.head, &shape, length);
	if (has(a, ACT_ENDLESS)) {
		r.times = REPLY_ENDLESS;
		buf_printf(&r.pattern, "X-Endless: more%s", shape.eol);
	} else {
		buf_printf(&r.head, "%s", shape.eol);
		if (!bodiless)
			reply_body(&r, a, (size_t)act_number(a, ACT_CHUNKED, 64 << 10),
				has(a, ACT_CHUNKED) ? put_chunk : put_bytes, &shape);
	}
	conn_reply(conn, a, &r);
}

static void on_request(struct conn *conn, const struct http1 *h)
{
	const struct acts *acts = conn_request(conn);

	if (acts->set != 0 || h->head)
		reply(conn, acts, h->head);
	else
		conn_plain(conn, plain, sizeof(plain) - 1);
}

/* Content-Length of a request's header; 0 when it has none. */
static uint64_t body_length(const char *head, size_t len)
{
	static const char name[] = "\r\nContent-Length:";
	const char *end = head + len;

	for (const char *at = head; at < end; at++) {
		at = memchr(at, '\r', (size_t)(end - at));
		if (at == NULL || (size_t)(end - at) < sizeof(name))
			return 0;
		if (strncasecmp(at, name, sizeof(name) - 1) == 0)
			return strtoull(at + sizeof(name) - 1, NULL, 10);
	}
	return 0;
}

/* Return: bytes of the header taken, 0 when it is not whole. */
static size_t take_header(struct http1 *h, const char *in, size_t len)
{
	const char *end = memmem(in, len, "\r\n\r\n", 4);
	size_t taken = end != NULL ? (size_t)(end - in) + 4 : 0;

	if (end == NULL)
		return 0;
	h->head = len >= 5 && memcmp(in, "HEAD ", 5) == 0;
	h->body_left = body_length(in, taken);
	h->in_body = true;
	return taken;
}

static ssize_t http1_feed(struct conn *conn, void *state, const char *in, size_t len)
{
	struct http1 *h = state;
	size_t taken = 0;

	for (;;) {
		size_t left = len - taken;

		if (h->in_body) {
			size_t n = h->body_left < left ? (size_t)h->body_left : left;

			h->body_left -= n;
			taken += n;
			if (h->body_left > 0)
				return (ssize_t)taken;
			h->in_body = false;
			on_request(conn, h);
		} else {
			size_t n = take_header(h, in + taken, left);

			taken += n;
			if (n == 0)
				return (ssize_t)taken;
		}
	}
}

const struct proto_ops http1_ops = {
	.open = http1_open,
	.feed = http1_feed,
	.close = free,
	.ordered = true,
};
