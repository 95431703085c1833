/*
 * HTTP/2 with prior knowledge (h2c) and unary gRPC over it, RFC 9113 and gRPC's protocol-http2;
 * see codec.h for who calls what.
 *
 *   submit  a slot waits for its stream
 *   flush   what control frames owe, then streams, once the peer's SETTINGS are known: HEADERS,
 *           and as much of the body as the peer's windows allow (start_stream, send_body)
 *   feed    frames -> on_headers, on_data, on_settings, … -> end_stream: the request has ended
 *
 * We announce a dynamic table of size 0, so that a peer's header blocks mean the same each time:
 * a block that equals the one before (struct known) is not decoded again.
 */
#include <stdlib.h>
#include <string.h>

#include "harness/codec/h2_conn.h"
#include "harness/codec/h2_frame.h"
#include "lib/bytes.h"

#define BLOCK_MAX     (64 << 10)  /* bytes of a header block over several frames */
#define CONTROL_MAX   (256 << 10) /* bytes we owe in answers to control frames */
#define WINDOW_REFILL (1U << 30)  /* bytes after which a window is opened again */
#define NO_SLOT       UINT32_MAX

static uint32_t find_slot(const struct h2 *h, uint32_t id)
{
	uint32_t guess = h->slot_of[id >> 1 & h->slot_mask];

	if (guess < h->env->depth && h->streams[guess].id == id)
		return guess;
	for (uint32_t slot = 0; slot < h->env->depth; slot++)
		if (h->streams[slot].id == id)
			return slot;
	return NO_SLOT;
}

/* The request in @slot ends. A body of which the rest is not wanted any more is cut off. */
static int end_stream(struct h2 *h, uint32_t slot, enum outcome outcome, unsigned code)
{
	struct h2_stream *s = &h->streams[slot];
	uint32_t id = s->id;
	size_t bytes = outcome <= OUT_MISMATCH || outcome == OUT_GRPC ? s->bytes : 0;
	bool unsent = s->sent < buf_len(&h->shared->body);

	s->id = 0;
	h->active--;
	h->unsent -= unsent;
	h->env->done(h->env->ctx, slot, outcome, code, bytes);
	if (unsent && h2_frame_put_u32(&h->control, H2_RST_STREAM, id, H2_CANCEL) != 0)
		return -OUT_PROTOCOL;
	return 0;
}

/* What a whole reply of plain HTTP/2 means. */
static enum outcome judge_http(const struct h2 *h, struct h2_stream *s)
{
	bool good = s->head.status >= 200 && s->head.status < 400;
	bool body_ok = body_end(&s->check, good);

	if (s->head.has_length && !h->shared->head && s->head.status != 304 &&
		s->head.length != s->check.len)
		return OUT_PROTOCOL;
	if (h->shared->check_status && !good)
		return OUT_STATUS;
	return body_ok ? OUT_OK : OUT_MISMATCH;
}

/* And of gRPC: a status is required, and with OK exactly one whole message. */
static enum outcome judge_grpc(const struct h2 *h, struct h2_stream *s, unsigned *code)
{
	bool body_ok;

	*code = 0;
	if (s->head.grpc_status < 0)
		return s->head.status != 200 ? OUT_STATUS : OUT_PROTOCOL;
	*code = (unsigned)s->head.grpc_status;
	if (*code != 0)
		return h->shared->check_status ? OUT_GRPC : OUT_OK;
	if (s->prefix_len < GRPC_PREFIX || s->prefix[0] != 0 ||
		s->check.len != bytes_get_u32((const char *)s->prefix + 1))
		return OUT_PROTOCOL;
	body_ok = body_end(&s->check, true);
	return body_ok ? OUT_OK : OUT_MISMATCH;
}

static int finish_reply(struct h2 *h, uint32_t slot)
{
	struct h2_stream *s = &h->streams[slot];
	unsigned code = s->head.status;
	enum outcome outcome = h->shared->grpc ? judge_grpc(h, s, &code) : judge_http(h, s);

	return end_stream(h, slot, outcome, code);
}

/* Decodes a block unless it is the one before. Only a block that left the dynamic table empty
 * means the same each time. */
static int decode(struct h2 *h, struct h2_known *known, const char *block, size_t len,
	struct h2_reply_head *head)
{
	if (known->len == len && memcmp(known->block, block, len) == 0) {
		*head = known->head;
		return 0;
	}
	if (h2_head_decode(h->inflater, block, len, head) != 0)
		return -1;
	if (len <= KNOWN_MAX && nghttp2_hd_inflate_get_dynamic_table_size(h->inflater) == 0) {
		memcpy(known->block, block, len);
		known->len = len;
		known->head = *head;
	}
	return 0;
}

/* The reply's header, or after it its trailers. */
static int on_reply_head(
	struct h2 *h, struct h2_stream *s, const struct h2_reply_head *head, bool ended)
{
	if (s->got_header) {
		if (!ended || head->status != 0)
			return -OUT_PROTOCOL;
		s->head.grpc_status = head->grpc_status;
		return 0;
	}
	if (head->status < 200)
		return head->status >= 100 && !ended ? 0 : -OUT_PROTOCOL;
	s->got_header = true;
	s->head = *head;
	/* A status in the header counts only where there are no trailers to follow. */
	if (!ended)
		s->head.grpc_status = -1;
	body_begin(&s->check, h->shared->reference,
		head->status < 400 ? h->shared->level : CHECK_NOTHING);
	return 0;
}

/* A reply on a stream that is not open: perhaps one that we have given up, else a second reply,
 * or to a request that was never sent. */
static int no_stream(const struct h2 *h, uint32_t id)
{
	if (id % 2 == 0 || id >= h->next_id)
		return -OUT_PROTOCOL;
	return h->gave_up ? 0 : -OUT_UNEXPECTED;
}

/* A whole header block. */
static int on_block(struct h2 *h, uint32_t id, uint8_t flags, const char *block, size_t len)
{
	bool ended = (flags & H2_END_STREAM) != 0;
	uint32_t slot = find_slot(h, id);
	struct h2_stream *s = &h->streams[slot != NO_SLOT ? slot : 0];
	struct h2_known *known = ended ? &h->shared->trailers : &h->shared->header;
	struct h2_reply_head head;
	int ret;

	if (decode(h, known, block, len, &head) != 0)
		return -OUT_PROTOCOL;
	if (slot == NO_SLOT)
		return no_stream(h, id);
	s->bytes += H2_FRAME_HEAD + len;
	ret = on_reply_head(h, s, &head, ended);
	if (ret == 0 && ended)
		ret = finish_reply(h, slot);
	return ret;
}

/* Strips padding and priority. Return: false when they do not fit. */
static bool strip(const struct h2_frame *f, const char **data, size_t *len)
{
	size_t front = 0;
	size_t back = 0;

	if ((f->flags & H2_PADDED) != 0) {
		if (f->len < 1)
			return false;
		back = (unsigned char)f->payload[0];
		front = 1;
	}
	if (f->type == H2_HEADERS && (f->flags & H2_PRIORITY_FIELDS) != 0)
		front += 5;
	if (front + back > f->len)
		return false;
	*data = f->payload + front;
	*len = f->len - front - back;
	return true;
}

static int on_headers(struct h2 *h, const struct h2_frame *f)
{
	const char *block;
	size_t len;

	if (f->stream == 0 || !strip(f, &block, &len))
		return -OUT_PROTOCOL;
	if ((f->flags & H2_END_HEADERS) != 0)
		return on_block(h, f->stream, f->flags, block, len);
	h->continued = f->stream;
	h->continued_flags = f->flags;
	buf_clear(&h->headers);
	return buf_append(&h->headers, block, len) == 0 ? 0 : -OUT_PROTOCOL;
}

static int on_continuation(struct h2 *h, const struct h2_frame *f)
{
	uint32_t id = h->continued;

	if (f->stream != id || buf_len(&h->headers) + f->len > BLOCK_MAX ||
		buf_append(&h->headers, f->payload, f->len) != 0)
		return -OUT_PROTOCOL;
	if ((f->flags & H2_END_HEADERS) == 0)
		return 0;
	h->continued = 0;
	return on_block(h, id, h->continued_flags, buf_head(&h->headers), buf_len(&h->headers));
}

/* The bytes of a message: its prefix apart, the rest compared. */
static void take_message(struct h2_stream *s, const char *data, size_t len)
{
	while (len > 0 && s->prefix_len < GRPC_PREFIX) {
		s->prefix[s->prefix_len++] = (unsigned char)*data++;
		len--;
	}
	body_add(&s->check, data, len);
}

/* Opens windows again long before they are empty. */
static int refill(struct h2 *h, uint32_t *unrefilled, uint32_t stream, size_t len)
{
	uint32_t n = *unrefilled + (uint32_t)len;

	*unrefilled = n < WINDOW_REFILL ? n : 0;
	if (n < WINDOW_REFILL)
		return 0;
	return h2_frame_put_u32(&h->control, H2_WINDOW_UPDATE, stream, n) == 0 ? 0 : -OUT_PROTOCOL;
}

static int on_data(struct h2 *h, const struct h2_frame *f)
{
	uint32_t slot = find_slot(h, f->stream);
	struct h2_stream *s;
	const char *data;
	size_t len;

	if (f->stream == 0 || !strip(f, &data, &len) || refill(h, &h->unrefilled, 0, f->len) != 0)
		return -OUT_PROTOCOL;
	if (slot == NO_SLOT)
		return no_stream(h, f->stream);
	s = &h->streams[slot];
	if (!s->got_header)
		return -OUT_PROTOCOL;
	s->bytes += H2_FRAME_HEAD + f->len;
	if (h->shared->grpc)
		take_message(s, data, len);
	else
		body_add(&s->check, data, len);
	if ((f->flags & H2_END_STREAM) != 0)
		return finish_reply(h, slot);
	return refill(h, &s->unrefilled, f->stream, f->len);
}

/* gRPC's codes for HTTP/2's errors: its document protocol-http2, "Errors". */
static unsigned grpc_code(uint32_t error)
{
	switch (error) {
	case H2_REFUSED_STREAM:
		return 14; /* UNAVAILABLE */
	case H2_CANCEL:
		return 1; /* CANCELLED */
	case H2_ENHANCE_YOUR_CALM:
		return 8; /* RESOURCE_EXHAUSTED */
	case H2_INADEQUATE_SECURITY:
		return 7; /* PERMISSION_DENIED */
	default:
		return 13; /* INTERNAL */
	}
}

static int on_rst_stream(struct h2 *h, const struct h2_frame *f)
{
	uint32_t slot = find_slot(h, f->stream);

	if (f->len != 4 || f->stream == 0 || f->stream >= h->next_id)
		return -OUT_PROTOCOL;
	if (slot == NO_SLOT)
		return 0;
	h->streams[slot].bytes = 0; /* not a whole reply */
	if (h->shared->grpc)
		return end_stream(h, slot, OUT_GRPC, grpc_code(bytes_get_u32(f->payload)));
	return end_stream(h, slot, OUT_RESET, 0);
}

/* A new initial window moves that of every stream: RFC 9113 section 6.9.2. */
static int set_initial_window(struct h2 *h, uint32_t value)
{
	int64_t step = (int64_t)value - h->initial_window;

	if (value > H2_WINDOW_MAX)
		return -OUT_PROTOCOL;
	h->initial_window = value;
	for (uint32_t slot = 0; slot < h->env->depth; slot++)
		h->streams[slot].send_window += step;
	return 0;
}

static int on_setting(struct h2 *h, unsigned id, uint32_t value)
{
	switch (id) {
	case H2_HEADER_TABLE_SIZE:
		if (value < 4096 && h->block != H2_BLOCK_LITERAL) {
			h->block = H2_BLOCK_LITERAL;
			h->shrink_table = true;
		}
		return 0;
	case H2_MAX_CONCURRENT_STREAMS:
		h->max_streams = value;
		return 0;
	case H2_INITIAL_WINDOW_SIZE:
		return set_initial_window(h, value);
	case H2_MAX_FRAME_SIZE:
		return value >= H2_FRAME_MAX && value < 1 << 24 ? 0 : -OUT_PROTOCOL;
	default:
		return 0;
	}
}

static int on_settings(struct h2 *h, const struct h2_frame *f)
{
	int ret = 0;

	if (f->stream != 0 || f->len % 6 != 0 || ((f->flags & H2_ACK) != 0 && f->len != 0))
		return -OUT_PROTOCOL;
	/* The first frame is the peer's own, not its answer to ours: RFC 9113 section 3.4. */
	if ((f->flags & H2_ACK) != 0)
		return h->got_settings ? 0 : -OUT_PROTOCOL;
	h->got_settings = true;
	for (size_t at = 0; ret == 0 && at < f->len; at += 6)
		ret = on_setting(h, bytes_get_u32(f->payload + at) >> 16,
			bytes_get_u32(f->payload + at + 2));
	if (ret == 0 && h2_frame_put(&h->control, H2_SETTINGS, H2_ACK, 0, NULL, 0) != 0)
		ret = -OUT_PROTOCOL;
	return ret;
}

static int on_ping(struct h2 *h, const struct h2_frame *f)
{
	if (f->stream != 0 || f->len != 8)
		return -OUT_PROTOCOL;
	if ((f->flags & H2_ACK) != 0)
		return 0;
	return h2_frame_put(&h->control, H2_PING, H2_ACK, 0, f->payload, f->len) == 0
		       ? 0
		       : -OUT_PROTOCOL;
}

static int on_window_update(struct h2 *h, const struct h2_frame *f)
{
	uint32_t step = f->len == 4 ? bytes_get_u32(f->payload) & H2_WINDOW_MAX : 0;
	uint32_t slot = f->stream != 0 ? find_slot(h, f->stream) : NO_SLOT;
	int64_t *window = f->stream == 0 ? &h->send_window : NULL;

	if (step == 0 || f->stream >= h->next_id)
		return -OUT_PROTOCOL;
	if (slot != NO_SLOT)
		window = &h->streams[slot].send_window;
	if (window == NULL)
		return 0;
	*window += step;
	return *window <= H2_WINDOW_MAX ? 0 : -OUT_PROTOCOL;
}

/*
 * The peer winds the connection down. Streams up to the one it names are still answered; later
 * ones, and requests that have no stream yet, were not taken: they end as stale.
 */
static int on_goaway(struct h2 *h, const struct h2_frame *f)
{
	uint32_t last;

	if (f->stream != 0 || f->len < 8)
		return -OUT_PROTOCOL;
	last = bytes_get_u32(f->payload) & (H2_STREAM_ID_LIMIT - 1);
	h->going_away = true;
	for (uint32_t slot = 0; slot < h->env->depth; slot++)
		if (h->streams[slot].id > last)
			end_stream(h, slot, OUT_STALE, 0);
	while (h->waiting_n > 0)
		h->env->done(h->env->ctx, h2_next_waiting(h), OUT_STALE, 0, 0);
	return 0;
}

static int on_frame(struct h2 *h, const struct h2_frame *f)
{
	/* The first frame is SETTINGS; nothing comes between the parts of a header block. */
	if (!h->got_settings && f->type != H2_SETTINGS)
		return -OUT_PROTOCOL;
	if ((h->continued != 0) != (f->type == H2_CONTINUATION))
		return -OUT_PROTOCOL;
	switch (f->type) {
	case H2_DATA:
		return on_data(h, f);
	case H2_HEADERS:
		return on_headers(h, f);
	case H2_RST_STREAM:
		return on_rst_stream(h, f);
	case H2_SETTINGS:
		return on_settings(h, f);
	case H2_PUSH_PROMISE:
		return -OUT_PROTOCOL;
	case H2_PING:
		return on_ping(h, f);
	case H2_GOAWAY:
		return on_goaway(h, f);
	case H2_WINDOW_UPDATE:
		return on_window_update(h, f);
	case H2_CONTINUATION:
		return on_continuation(h, f);
	default:
		return 0;
	}
}

/* Takes whole frames off the front. Return: bytes taken, or below 0 as feed(). */
static ssize_t take_frames(struct h2 *h, const char *in, size_t len)
{
	size_t taken = 0;

	for (;;) {
		struct h2_frame frame;
		int n = h2_frame_parse(in + taken, len - taken, &frame);
		int ret;

		if (n < 0)
			return -OUT_PROTOCOL;
		if (n == 0)
			return (ssize_t)taken;
		ret = on_frame(h, &frame);
		if (ret != 0)
			return ret;
		taken += (size_t)n;
	}
}

static int h2_feed(void *state, const char *in, size_t len)
{
	struct h2 *h = state;
	ssize_t taken;

	if (buf_len(&h->partial) == 0) {
		taken = take_frames(h, in, len);
		if (taken >= 0 && buf_append(&h->partial, in + taken, len - (size_t)taken) != 0)
			return -OUT_PROTOCOL;
	} else {
		if (buf_append(&h->partial, in, len) != 0)
			return -OUT_PROTOCOL;
		taken = take_frames(h, buf_head(&h->partial), buf_len(&h->partial));
		if (taken > 0)
			buf_consume(&h->partial, (size_t)taken);
		if (buf_len(&h->partial) == 0)
			buf_free(&h->partial);
	}
	if (taken < 0)
		return (int)taken;
	if (buf_len(&h->control) > CONTROL_MAX)
		return -OUT_PROTOCOL;
	return h->going_away && h->active == 0 && h->waiting_n == 0 ? CODEC_CLOSED : 0;
}

static int h2_eof(void *state, bool reset)
{
	const struct h2 *h = state;

	if (h->active == 0)
		return CODEC_CLOSED;
	return reset ? -OUT_RESET : -OUT_EOF;
}

/* Takes a slot out of the ring that waits for streams. */
static void stop_waiting(struct h2 *h, uint32_t slot)
{
	uint32_t n = h->waiting_n;

	for (uint32_t i = 0; i < n; i++) {
		uint32_t next = h2_next_waiting(h);

		if (next != slot)
			h2_submit(h, next);
	}
}

static int h2_cancel(void *state, uint32_t slot)
{
	struct h2 *h = state;
	struct h2_stream *s = &h->streams[slot];
	uint32_t id = s->id;

	if (id == 0) {
		stop_waiting(h, slot);
		return 0;
	}
	s->id = 0;
	h->active--;
	h->unsent -= s->sent < buf_len(&h->shared->body);
	h->gave_up = true;
	return h2_frame_put_u32(&h->control, H2_RST_STREAM, id, H2_CANCEL);
}

static void h2_close(void *state)
{
	struct h2 *h = state;

	for (uint32_t slot = 0; h->streams != NULL && slot < h->env->depth; slot++)
		body_free(&h->streams[slot].check);
	free(h->streams);
	free(h->slot_of);
	free(h->waiting);
	nghttp2_hd_inflate_del(h->inflater);
	buf_free(&h->headers);
	buf_free(&h->control);
	buf_free(&h->partial);
}

static int h2_open(void *state, const struct codec_env *env)
{
	struct h2 *h = state;
	uint32_t size = 2;

	while (size < 2 * env->depth)
		size *= 2;
	h->env = env;
	h->shared = env->shared;
	h->next_id = 1;
	h->max_streams = UINT32_MAX;
	h->initial_window = H2_WINDOW_DEFAULT;
	h->send_window = H2_WINDOW_DEFAULT;
	h->slot_mask = size - 1;
	h->streams = calloc(env->depth, sizeof(*h->streams));
	h->slot_of = calloc(size, sizeof(*h->slot_of));
	h->waiting = calloc(env->depth, sizeof(*h->waiting));
	if (h->streams == NULL || h->slot_of == NULL || h->waiting == NULL ||
		nghttp2_hd_inflate_new(&h->inflater) != 0)
		return -1;
	return buf_append(&h->control, buf_head(&h->shared->hello), buf_len(&h->shared->hello));
}

const struct codec_ops codec_h2c = {
	.name = "h2c",
	.scheme = "h2c",
	.port = 80,
	.flags = CODEC_HTTP_STATUS,
	.state_size = sizeof(struct h2),
	.prepare = h2c_prepare,
	.release = h2_release,
	.open = h2_open,
	.submit = h2_submit,
	.flush = h2_flush,
	.feed = h2_feed,
	.eof = h2_eof,
	.cancel = h2_cancel,
	.close = h2_close,
};

const struct codec_ops codec_grpc = {
	.name = "grpc",
	.scheme = "grpc",
	.state_size = sizeof(struct h2),
	.prepare = grpc_prepare,
	.release = h2_release,
	.open = h2_open,
	.submit = h2_submit,
	.flush = h2_flush,
	.feed = h2_feed,
	.eof = h2_eof,
	.cancel = h2_cancel,
	.close = h2_close,
};
