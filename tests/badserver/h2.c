/* HTTP/2 with prior knowledge, and gRPC: raw frames, header blocks without compression. */
#include <stdlib.h>
#include <string.h>

#include "lib/bytes.h"
#include "tests/badserver/conn.h"

#define PREFACE_LEN 24 /* RFC 9113 section 3.4 */
#define FRAME_HEAD  9
#define FRAME_MAX   16384

enum {
	DATA,
	HEADERS,
	PRIORITY,
	RST_STREAM,
	SETTINGS,
	PUSH_PROMISE,
	PING,
	GOAWAY,
	WINDOW_UPDATE,
	CONTINUATION
};
enum { END_STREAM = 1, ACK = 1, END_HEADERS = 4, PADDED = 8 };

struct h2 {
	bool greeted;  /* the client's preface has come */
	bool mute;     /* about SETTINGS */
	bool early;    /* answer before the request's body has come */
	bool ended;    /* the header that CONTINUATION goes on with ends its stream */
	uint32_t last; /* streams above it are not answered */
};

/* What one reply is made of. */
struct shape {
	const struct acts *acts;
	uint32_t id;
	bool grpc;
	bool data_ends; /* the last DATA ends the stream */
};

static void put_frame(
	struct buf *out, int type, int flags, uint32_t id, const void *payload, size_t len)
{
	char head[FRAME_HEAD];

	bytes_put_u32(head, (uint32_t)len << 8 | (uint32_t)type);
	head[4] = (char)flags;
	bytes_put_u32(head + 5, id);
	buf_append(out, head, sizeof(head));
	buf_append(out, payload, len);
}

static void put_padded(struct buf *out, int type, int flags, const struct shape *s,
	const void *payload, size_t len)
{
	static const char zeros[256];
	struct buf padded = {0};
	char pad = (char)act_number(s->acts, ACT_PAD, 0);

	if (!has(s->acts, ACT_PAD)) {
		put_frame(out, type, flags, s->id, payload, len);
		return;
	}
	buf_append(&padded, &pad, 1);
	buf_append(&padded, payload, len);
	buf_append(&padded, zeros, (unsigned char)pad);
	put_frame(out, type, flags | PADDED, s->id, buf_head(&padded), buf_len(&padded));
	buf_free(&padded);
}

static void put_number(struct buf *out, int type, uint32_t id, uint32_t number)
{
	char payload[4];

	bytes_put_u32(payload, number);
	put_frame(out, type, 0, id, payload, sizeof(payload));
}

/* "3=1 4=100" as a SETTINGS frame. */
static void put_settings(struct buf *out, struct slice text)
{
	struct buf payload = {0};
	char copy[256] = "";
	char *at = copy;

	if (text.len > 0)
		memcpy(copy, text.data, text.len < sizeof(copy) ? text.len : sizeof(copy) - 1);
	while (*at != '\0') {
		unsigned long id = strtoul(at, &at, 10);
		unsigned long value = *at == '=' ? strtoul(at + 1, &at, 10) : 0;
		char setting[6] = {(char)(id >> 8), (char)id};

		bytes_put_u32(setting + 2, (uint32_t)value);
		buf_append(&payload, setting, sizeof(setting));
		at += strcspn(at, " ");
		at += strspn(at, " ");
	}
	put_frame(out, SETTINGS, 0, 0, buf_head(&payload), buf_len(&payload));
	buf_free(&payload);
}

static void *h2_open(struct conn *conn, const struct acts *acts)
{
	struct h2 *h = calloc(1, sizeof(*h));
	struct buf out = {0};

	if (h == NULL)
		return NULL;
	h->last = INT32_MAX;
	h->early = has(acts, ACT_EARLY);
	h->mute = has(acts, ACT_NO_SETTINGS);
	if (!h->mute) {
		put_settings(
			&out, has(acts, ACT_SETTINGS) ? acts->text[ACT_SETTINGS] : slice_of(""));
		conn_send(conn, buf_head(&out), buf_len(&out));
	}
	buf_free(&out);
	return h;
}

/* ------------------------------------------------------------------ replies */

/* A literal without indexing, RFC 7541 section 6.2.2; lengths with 7-bit prefix, section 5.1. */
static void put_length(struct buf *out, size_t len)
{
	char byte = (char)(len < 127 ? len : 127);

	buf_append(out, &byte, 1);
	if (len < 127)
		return;
	for (len -= 127; len >= 128; len /= 128) {
		byte = (char)(len % 128 + 128);
		buf_append(out, &byte, 1);
	}
	byte = (char)len;
	buf_append(out, &byte, 1);
}

static void put_field(struct buf *out, struct slice name, struct slice value)
{
	buf_append(out, "", 1);
	put_length(out, name.len);
	buf_append(out, name.data, name.len);
	put_length(out, value.len);
	buf_append(out, value.data, value.len);
}

static void put_pair(struct buf *out, const char *name, struct slice value)
{
	put_field(out, slice_of(name), value);
}

static void put_decimal(struct buf *out, const char *name, int64_t value)
{
	struct buf text = {0};

	buf_printf(&text, "%lld", (long long)value);
	put_pair(out, name, (struct slice){.data = buf_head(&text), .len = buf_len(&text)});
	buf_free(&text);
}

/* "name: value" */
static void put_text(struct buf *out, struct slice text)
{
	const char *colon = text.len > 1 ? memchr(text.data + 1, ':', text.len - 1) : NULL;
	size_t name = colon != NULL ? (size_t)(colon - text.data) : text.len;
	size_t value = name + 2 < text.len ? name + 2 : text.len;

	put_field(out, (struct slice){.data = text.data, .len = name},
		(struct slice){.data = text.data + value, .len = text.len - value});
}

/* A header block, over as many frames as the script wants. */
static void put_block(struct buf *out, const struct shape *s, const struct buf *block, int flags)
{
	size_t len = buf_len(block);
	size_t piece = (size_t)act_number(s->acts, ACT_CONTINUATION, FRAME_MAX - 256);
	size_t n = len < piece ? len : piece;
	const char *at = buf_head(block);
	bool endless = has(s->acts, ACT_ENDLESS);

	put_padded(out, HEADERS, flags | (n == len && !endless ? END_HEADERS : 0), s, at, n);
	while (n < len) {
		size_t next = len - n < piece ? len - n : piece;

		put_frame(out, CONTINUATION, n + next == len && !endless ? END_HEADERS : 0, s->id,
			at + n, next);
		n += next;
	}
}

static void put_trailers(struct buf *out, const struct shape *s)
{
	const struct acts *a = s->acts;
	struct buf block = {0};

	if (s->grpc)
		put_pair(&block, "grpc-status",
			has(a, ACT_GRPC_STATUS) ? a->text[ACT_GRPC_STATUS] : slice_of("0"));
	if (has(a, ACT_TRAILER))
		put_text(&block, a->text[ACT_TRAILER]);
	put_block(out, s, &block, END_STREAM);
	buf_free(&block);
}

static void put_header(struct buf *out, const struct shape *s, int flags)
{
	const struct acts *a = s->acts;
	struct buf block = {0};
	struct buf text = {0};

	put_decimal(&block, ":status", act_number(a, ACT_STATUS, 200));
	if (s->grpc)
		put_pair(&block, "content-type", slice_of("application/grpc"));
	else
		put_decimal(&block, "content-length",
			act_number(a, ACT_LENGTH, act_number(a, ACT_BODY, 2)));
	if (has(a, ACT_TRAILERS_ONLY))
		put_pair(&block, "grpc-status",
			has(a, ACT_GRPC_STATUS) ? a->text[ACT_GRPC_STATUS] : slice_of("0"));
	if (has(a, ACT_HEADER))
		put_text(&block, a->text[ACT_HEADER]);
	if (has(a, ACT_NUMBERED))
		put_decimal(&block, "x-number", (int64_t)conn_number());
	for (int64_t i = act_number(a, ACT_LONG_HEADER, 0); i > 0; i--)
		buf_append(&text, "l", 1);
	if (has(a, ACT_LONG_HEADER))
		put_pair(&block, "x-long",
			(struct slice){.data = buf_head(&text), .len = buf_len(&text)});
	put_block(out, s, &block, flags);
	buf_free(&block);
	buf_free(&text);
}

static void put_interim(struct buf *out, const struct shape *s)
{
	static const struct acts none;
	struct shape interim = {.acts = &none, .id = s->id};
	struct buf block = {0};

	put_decimal(&block, ":status", 100);
	put_block(out, &interim, &block, 0);
	buf_free(&block);
}

static void put_data(struct buf *out, const char *data, size_t len, bool last, void *ctx)
{
	const struct shape *s = ctx;

	put_padded(out, DATA, last && s->data_ends ? END_STREAM : 0, s, data, len);
}

/* The prefix of a gRPC message in a frame of its own, then the message. */
static void put_message(struct reply *r, struct shape *s, bool last)
{
	const struct acts *a = s->acts;
	char prefix[5] = {(char)has(a, ACT_COMPRESSED)};
	bool ends = s->data_ends;

	bytes_put_u32(prefix + 1, (uint32_t)act_number(a, ACT_LENGTH, act_number(a, ACT_BODY, 2)));
	put_frame(&r->head, DATA, 0, s->id, prefix, sizeof(prefix));
	s->data_ends = ends && last;
	reply_body(r, a, (size_t)act_number(a, ACT_FRAME, FRAME_MAX - 256), put_data, s);
	s->data_ends = ends;
}

static void put_bodies(struct reply *r, struct shape *s)
{
	const struct acts *a = s->acts;
	int64_t messages = act_number(a, ACT_MESSAGES, 1);

	if (!s->grpc)
		reply_body(r, a, (size_t)act_number(a, ACT_FRAME, FRAME_MAX - 256), put_data, s);
	else
		for (int64_t i = 1; i <= messages; i++)
			put_message(r, s, i == messages);
}

/* HEADERS, DATA and trailers, or RST_STREAM in place of all or of their end. */
static void put_reply(struct reply *r, struct shape *s)
{
	const struct acts *a = s->acts;
	bool bodiless = has(a, ACT_NO_BODY) || has(a, ACT_TRAILERS_ONLY);
	bool trailers = (s->grpc && !has(a, ACT_NO_TRAILERS)) || has(a, ACT_TRAILER);

	for (int64_t i = act_number(a, ACT_INTERIM, 0); i > 0; i--)
		put_interim(&r->head, s);
	s->data_ends = !trailers && !has(a, ACT_RST);
	if (!has(a, ACT_RST) || has(a, ACT_BODY)) {
		put_header(&r->head, s, bodiless ? END_STREAM : 0);
		if (!bodiless)
			put_bodies(r, s);
	}
	if (has(a, ACT_RST))
		put_number(reply_rest(r), RST_STREAM, s->id, (uint32_t)a->number[ACT_RST]);
	else if (trailers && !bodiless)
		put_trailers(reply_rest(r), s);
}

/* Header fields without an end. */
static void put_endless(struct reply *r, const struct shape *s)
{
	struct buf block = {0};

	put_header(&r->head, s, 0);
	put_pair(&block, "x-endless", slice_of("more"));
	put_frame(&r->pattern, CONTINUATION, 0, s->id, buf_head(&block), buf_len(&block));
	buf_free(&block);
	r->times = REPLY_ENDLESS;
}

static void put_goaway(struct h2 *h, struct buf *out, const struct shape *s)
{
	int64_t last = act_number(s->acts, ACT_LAST, s->id);
	char payload[8];

	if (last < 0)
		last = (int64_t)s->id + 2 * last;
	h->last = last > 0 ? (uint32_t)last : 0;
	bytes_put_u32(payload, h->last);
	bytes_put_u32(payload + 4, (uint32_t)s->acts->number[ACT_GOAWAY]);
	put_frame(out, GOAWAY, 0, 0, payload, sizeof(payload));
}

static void reply(struct conn *conn, struct h2 *h, const struct acts *a, uint32_t id)
{
	static const char ping[8] = "badping";
	struct shape shape = {.acts = a, .id = id, .grpc = conn_proto() == PROTO_GRPC};
	struct reply r = {0};
	struct buf goaway = {0};

	if (has(a, ACT_SETTINGS))
		put_settings(&r.head, a->text[ACT_SETTINGS]);
	for (int64_t i = act_number(a, ACT_PING, 0); i > 0; i--)
		put_frame(&r.head, PING, 0, 0, ping, sizeof(ping));
	if (has(a, ACT_GOAWAY))
		put_goaway(h, &goaway, &shape);
	if (has(a, ACT_ENDLESS))
		put_endless(&r, &shape);
	else if (id <= h->last)
		put_reply(&r, &shape);
	buf_append(reply_rest(&r), buf_head(&goaway), buf_len(&goaway));
	buf_free(&goaway);
	conn_reply(conn, a, &r);
}

/* A reply to which nothing happens: made once, its stream's number put in each time. */
static void reply_plain(struct conn *conn, uint32_t id)
{
	static struct reply whole;
	static const struct acts none;
	struct shape shape = {.acts = &none, .grpc = conn_proto() == PROTO_GRPC};
	struct buf *head = &whole.head;

	if (buf_len(head) == 0)
		put_reply(&whole, &shape);
	for (size_t at = 0; at < buf_len(head);) {
		char *frame = buf_head(head) + at;

		bytes_put_u32(frame + 5, id);
		at += FRAME_HEAD + (bytes_get_u32(frame) >> 8);
	}
	conn_plain(conn, buf_head(head), buf_len(head));
}

/* ------------------------------------------------------------------ requests */

static void on_request(struct conn *conn, struct h2 *h, uint32_t id)
{
	const struct acts *acts = conn_request(conn);

	if (id > h->last)
		return;
	if (acts->set != 0)
		reply(conn, h, acts, id);
	else
		reply_plain(conn, id);
}

/* Windows are opened again as far as they were used. */
static void on_data(struct conn *conn, struct h2 *h, uint32_t id, int flags, size_t len)
{
	struct buf out = {0};

	if (len > 0) {
		put_number(&out, WINDOW_UPDATE, 0, (uint32_t)len);
		if ((flags & END_STREAM) == 0)
			put_number(&out, WINDOW_UPDATE, id, (uint32_t)len);
		conn_send(conn, buf_head(&out), buf_len(&out));
		buf_free(&out);
	}
	if ((flags & END_STREAM) != 0 && !h->early)
		on_request(conn, h, id);
}

static void on_frame(struct conn *conn, struct h2 *h, const char *frame, size_t len)
{
	int type = (unsigned char)frame[3];
	int flags = (unsigned char)frame[4];
	uint32_t id = bytes_get_u32(frame + 5);
	struct buf out = {0};

	switch (type) {
	case DATA:
		on_data(conn, h, id, flags, len);
		break;
	case HEADERS:
		h->ended = (flags & END_STREAM) != 0;
		/* fall through */
	case CONTINUATION:
		if ((flags & END_HEADERS) != 0 && (h->ended || h->early))
			on_request(conn, h, id);
		break;
	case SETTINGS:
	case PING:
		if ((flags & ACK) != 0 || (type == SETTINGS && h->mute))
			break;
		put_frame(&out, type, ACK, 0, frame + FRAME_HEAD, type == PING ? len : 0);
		conn_send(conn, buf_head(&out), buf_len(&out));
		buf_free(&out);
		break;
	default:
		break;
	}
}

static ssize_t h2_feed(struct conn *conn, void *state, const char *in, size_t len)
{
	struct h2 *h = state;
	size_t taken = 0;

	if (!h->greeted) {
		if (len < PREFACE_LEN)
			return 0;
		if (memcmp(in, "PRI * HTTP/2.0\r\n", 16) != 0)
			return -1;
		h->greeted = true;
		taken = PREFACE_LEN;
	}
	while (len - taken >= FRAME_HEAD) {
		const char *frame = in + taken;
		size_t payload = bytes_get_u32(frame) >> 8;

		if (len - taken - FRAME_HEAD < payload)
			break;
		on_frame(conn, h, frame, payload);
		taken += FRAME_HEAD + payload;
	}
	return (ssize_t)taken;
}

const struct proto_ops h2_ops = {
	.open = h2_open,
	.feed = h2_feed,
	.close = free,
	.ordered = false,
};
