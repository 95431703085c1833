/*
 * HTTP/1.1 and 1.0 replies, strictly parsed; see codec.h for who calls what.
 *
 * feed: at the start of a reply, its bytes are first compared with the template, the last good
 * reply of this thread: equal bytes are an equally good reply. Anything else goes through the
 * parser, whose states follow each other as
 *
 *   STATUS_LINE -> HEADERS -> BODY_LENGTH                               -> finish_reply
 *                          -> BODY_CLOSE (until the peer closes)        -> finish_reply
 *                          -> CHUNK_SIZE -> CHUNK_DATA -> CHUNK_END …
 *                             CHUNK_SIZE of 0 -> TRAILERS               -> finish_reply
 *                          -> STATUS_LINE again after an interim reply
 *
 * A good reply that arrived in one piece becomes the template. A Date header changes once a
 * second, so that costs one parsed reply a second.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "harness/codec/codec.h"
#include "harness/codec/reference.h"
#include "harness/load/load.h"
#include "harness/load/target.h"
#include "lib/buf.h"
#include "lib/fail.h"

#define HEADER_MAX   (64 << 10) /* bytes of lines before a body; larger is no honest reply */
#define TEMPLATE_MAX (64 << 10) /* bytes; comparing larger ones would miss the cache twice */

enum state {
	STATUS_LINE,
	HEADERS,
	BODY_LENGTH,
	BODY_CLOSE,
	CHUNK_SIZE,
	CHUNK_DATA,
	CHUNK_END,
	TRAILERS,
};

/* What the connections of a thread share. */
struct shared {
	struct buf request; /* the whole request, sent again and again */
	struct reference *reference;
	enum check_level level;
	bool check_status;
	bool head;           /* the method is HEAD: replies have no body */
	char *template;      /* TEMPLATE_MAX bytes of room */
	size_t template_len; /* 0 = none */
	unsigned template_status;
};

struct http1 {
	const struct codec_env *env;
	struct shared *shared;
	uint32_t queued;      /* requests submitted and not flushed */
	uint32_t outstanding; /* requests without a whole reply */
	uint32_t slot;        /* of the oldest of them */

	enum state state;
	size_t bytes;        /* of this reply so far, interim ones included */
	size_t header_bytes; /* lines so far: bounded by HEADER_MAX */
	uint64_t remaining;  /* of the body or chunk */
	unsigned status;
	bool http10;
	bool chunked;
	bool has_length;
	bool close;      /* the peer will close after this reply */
	bool unbounded;  /* it did not say so, nor how long the body is */
	bool keep_alive; /* it said so: for HTTP/1.0 */
	bool last_ok;    /* the reply before this one was good */
	struct buf line; /* a line that has not ended yet */
	struct body_check check;
};

static int broken(void)
{
	return -OUT_PROTOCOL;
}

/* ------------------------------------------------------------------ the request */

static bool has_header(const struct load_params *params, const char *name)
{
	size_t len = strlen(name);

	for (const char *const *h = params->headers; h != NULL && *h != NULL; h++)
		if (strncasecmp(*h, name, len) == 0 && (*h)[len] == ':')
			return true;
	return false;
}

static int build_request(struct shared *shared, const struct load_params *params)
{
	const struct target *target = params->target;
	struct buf *out = &shared->request;
	bool ipv6 = strchr(target->host, ':') != NULL;
	bool has_body = params->body.len > 0 || strcmp(params->method, "POST") == 0 ||
			strcmp(params->method, "PUT") == 0;
	int failed = buf_printf(out, "%s %s HTTP/1.1\r\n", params->method, target->path);

	if (!has_header(params, "Host")) {
		failed |= buf_printf(out, ipv6 ? "Host: [%s]" : "Host: %s", target->host);
		if (target->port != target->codec->port)
			failed |= buf_printf(out, ":%u", target->port);
		failed |= buf_printf(out, "\r\n");
	}
	for (const char *const *h = params->headers; h != NULL && *h != NULL; h++)
		failed |= buf_printf(out, "%s\r\n", *h);
	if (has_body && !has_header(params, "Content-Length"))
		failed |= buf_printf(out, "Content-Length: %zu\r\n", params->body.len);
	if (!params->keep_alive && !has_header(params, "Connection"))
		failed |= buf_printf(out, "Connection: close\r\n");
	failed |= buf_append(out, "\r\n", 2);
	failed |= buf_append(out, params->body.data, params->body.len);
	return failed;
}

static void http1_release(void *arg)
{
	struct shared *shared = arg;

	if (shared == NULL)
		return;
	buf_free(&shared->request);
	free(shared->template);
	free(shared);
}

static void *http1_prepare(const struct load_params *params, struct reference *reference)
{
	struct shared *shared = calloc(1, sizeof(*shared));

	if (shared == NULL)
		goto err0;
	shared->reference = reference;
	shared->level = params->verify == VERIFY_FULL     ? CHECK_BYTES
			: params->verify == VERIFY_LENGTH ? CHECK_LENGTH
							  : CHECK_NOTHING;
	shared->check_status = params->verify != VERIFY_OFF;
	shared->head = strcmp(params->method, "HEAD") == 0;
	shared->template = malloc(TEMPLATE_MAX);
	if (shared->template == NULL || build_request(shared, params) != 0)
		goto err0;
	return shared;

err0:
	fail_errno("cannot prepare a request");
	http1_release(shared);
	return NULL;
}

static int http1_submit(void *state, uint32_t slot)
{
	struct http1 *h = state;

	(void)slot;
	h->queued++;
	h->outstanding++;
	return 0;
}

static int http1_flush(void *state, struct buf *out)
{
	struct http1 *h = state;
	const struct buf *request = &h->shared->request;
	size_t len = buf_len(request);

	if (buf_reserve(out, len * h->queued) != 0)
		return -1;
	for (; h->queued > 0; h->queued--) {
		memcpy(buf_tail(out), buf_head(request), len);
		out->end += len;
	}
	return 0;
}

/* ------------------------------------------------------------------ the reply */

static void reply_done(struct http1 *h, enum outcome outcome, unsigned status, size_t bytes)
{
	uint32_t slot = h->slot;

	h->slot = slot + 1 == h->env->depth ? 0 : slot + 1;
	h->outstanding--;
	h->env->done(h->env->ctx, slot, outcome, status, bytes);
}

static void begin_reply(struct http1 *h)
{
	h->state = STATUS_LINE;
	h->bytes = 0;
	h->header_bytes = 0;
	h->chunked = false;
	h->has_length = false;
	h->close = false;
	h->unbounded = false;
	h->keep_alive = false;
}

/* The reply is whole. Return: as feed(). */
static int finish_reply(struct http1 *h)
{
	bool good_status = h->status >= 200 && h->status < 400;
	bool good_body = body_end(&h->check, good_status);
	bool last = h->close || (h->http10 && !h->keep_alive);
	enum outcome outcome = OUT_OK;

	if (h->shared->check_status && !good_status)
		outcome = OUT_STATUS;
	else if (!good_body)
		outcome = OUT_MISMATCH;
	h->last_ok = outcome == OUT_OK;
	reply_done(h, outcome, h->status, h->bytes);
	begin_reply(h);
	return last ? CODEC_CLOSED : 0;
}

/* Decimal digits to a length. Return: false when it is anything else or too large. */
static bool parse_length(const char *text, size_t len, uint64_t *value)
{
	uint64_t sum = 0;

	if (len == 0 || len > 18)
		return false;
	for (size_t i = 0; i < len; i++) {
		if (text[i] < '0' || text[i] > '9')
			return false;
		sum = sum * 10 + (uint64_t)(text[i] - '0');
	}
	*value = sum;
	return true;
}

/* "HTTP/1.x SSS reason", RFC 9112 section 4; the reason and its space may be absent. */
static int on_status_line(struct http1 *h, const char *line, size_t len)
{
	uint64_t status;

	if (len < 12 || memcmp(line, "HTTP/1.", 7) != 0 || (line[7] != '0' && line[7] != '1') ||
		line[8] != ' ' || !parse_length(line + 9, 3, &status) || status < 100 ||
		(len > 12 && line[12] != ' '))
		return broken();
	h->http10 = line[7] == '0';
	h->status = (unsigned)status;
	h->state = HEADERS;
	return 0;
}

static bool name_is(const char *name, size_t len, const char *wanted)
{
	return len == strlen(wanted) && strncasecmp(name, wanted, len) == 0;
}

/* True when the comma-separated @value has @token as an element, in any case. */
static bool has_token(const char *value, size_t len, const char *token)
{
	const char *end = value + len;

	while (value < end) {
		const char *comma = memchr(value, ',', (size_t)(end - value));
		const char *stop = comma != NULL ? comma : end;
		const char *last = stop;

		while (value < last && (*value == ' ' || *value == '\t'))
			value++;
		while (last > value && (last[-1] == ' ' || last[-1] == '\t'))
			last--;
		if (name_is(value, (size_t)(last - value), token))
			return true;
		value = stop + 1;
	}
	return false;
}

/* Lengths that disagree, or a length beside chunked, are how replies are smuggled:
 * RFC 9112 section 6.3 calls both an error. */
static int on_framing_header(
	struct http1 *h, const char *name, size_t name_len, const char *value, size_t len)
{
	uint64_t length;

	if (name_is(name, name_len, "content-length")) {
		if (h->chunked || !parse_length(value, len, &length) ||
			(h->has_length && length != h->remaining))
			return broken();
		h->has_length = true;
		h->remaining = length;
		return 0;
	}
	if (name_is(name, name_len, "transfer-encoding")) {
		if (h->has_length || h->chunked || !name_is(value, len, "chunked"))
			return broken();
		h->chunked = true;
		return 0;
	}
	if (name_is(name, name_len, "connection")) {
		h->close |= has_token(value, len, "close");
		h->keep_alive |= has_token(value, len, "keep-alive");
	}
	return 0;
}

/* "Name: value", RFC 9112 section 5: no space before the colon, no folded lines. */
static int on_header_line(struct http1 *h, const char *line, size_t len)
{
	const char *colon = memchr(line, ':', len);
	const char *end = line + len;
	const char *value;

	if (colon == NULL || colon == line || line[0] == ' ' || line[0] == '\t' ||
		colon[-1] == ' ' || colon[-1] == '\t' || memchr(line, '\0', len) != NULL)
		return broken();
	value = colon + 1;
	while (value < end && (*value == ' ' || *value == '\t'))
		value++;
	while (end > value && (end[-1] == ' ' || end[-1] == '\t'))
		end--;
	return on_framing_header(h, line, (size_t)(colon - line), value, (size_t)(end - value));
}

/* The header has ended: which body follows, RFC 9112 section 6.3. */
static int on_header_end(struct http1 *h)
{
	if (h->status < 200) {
		bool interim = h->status != 101 && !h->has_length && !h->chunked;

		h->state = STATUS_LINE;
		return interim ? 0 : broken();
	}
	body_begin(&h->check, h->shared->reference,
		h->status < 400 ? h->shared->level : CHECK_NOTHING);
	if (h->shared->head || h->status == 204 || h->status == 304)
		return finish_reply(h);
	if (h->chunked) {
		h->state = CHUNK_SIZE;
		return 0;
	}
	if (h->has_length) {
		h->state = BODY_LENGTH;
		return h->remaining == 0 ? finish_reply(h) : 0;
	}
	if (h->status == 205)
		return finish_reply(h);
	h->unbounded = !h->close && !h->http10;
	h->close = true;
	h->state = BODY_CLOSE;
	return 0;
}

/* Hexadecimal size, then perhaps extensions: RFC 9112 section 7.1. */
static int on_chunk_size(struct http1 *h, const char *line, size_t len)
{
	uint64_t size = 0;
	size_t digits = 0;

	for (; digits < len; digits++) {
		char c = (char)(line[digits] | 0x20);

		if (c >= '0' && c <= '9' && line[digits] == c)
			size = size * 16 + (uint64_t)(c - '0');
		else if (c >= 'a' && c <= 'f')
			size = size * 16 + (uint64_t)(c - 'a' + 10);
		else
			break;
	}
	if (digits == 0 || digits > 15 ||
		(digits < len && line[digits] != ';' && line[digits] != ' ' &&
			line[digits] != '\t'))
		return broken();
	h->remaining = size;
	h->state = size > 0 ? CHUNK_DATA : TRAILERS;
	/* Each chunk's line is bounded anew; only what is not body counts. */
	h->header_bytes = 0;
	return 0;
}

static int on_line(struct http1 *h, const char *line, size_t len)
{
	switch (h->state) {
	case STATUS_LINE:
		return on_status_line(h, line, len);
	case HEADERS:
		return len > 0 ? on_header_line(h, line, len) : on_header_end(h);
	case CHUNK_SIZE:
		return on_chunk_size(h, line, len);
	case CHUNK_END:
		h->state = CHUNK_SIZE;
		return len == 0 ? 0 : broken();
	case TRAILERS:
		return len == 0 ? finish_reply(h) : 0;
	default:
		return broken();
	}
}

/* Takes one line, ended by CRLF or LF alone (RFC 9112 section 2.2), or what there is of it. */
static int take_line(struct http1 *h, const char *in, size_t len, size_t *taken)
{
	const char *end = memchr(in, '\n', len);
	const char *line = in;
	size_t line_len;
	int ret;

	*taken = end != NULL ? (size_t)(end - in) + 1 : len;
	h->bytes += *taken;
	h->header_bytes += *taken;
	if (h->header_bytes > HEADER_MAX)
		return broken();
	if (end == NULL)
		return buf_append(&h->line, in, len) == 0 ? 0 : broken();
	line_len = (size_t)(end - in);
	if (buf_len(&h->line) > 0) {
		if (buf_append(&h->line, in, line_len) != 0)
			return broken();
		line = buf_head(&h->line);
		line_len = buf_len(&h->line);
	}
	if (line_len > 0 && line[line_len - 1] == '\r')
		line_len--;
	ret = on_line(h, line, line_len);
	buf_clear(&h->line);
	return ret;
}

/* Takes bytes of a body that has a known length, or that lasts until the peer closes. */
static int take_body(struct http1 *h, const char *in, size_t len, size_t *taken)
{
	if (h->state != BODY_CLOSE && len > h->remaining)
		len = (size_t)h->remaining;
	*taken = len;
	h->bytes += len;
	body_add(&h->check, in, len);
	if (h->state == BODY_CLOSE)
		return 0;
	h->remaining -= len;
	if (h->remaining > 0)
		return 0;
	if (h->state == BODY_LENGTH)
		return finish_reply(h);
	h->state = CHUNK_END;
	return 0;
}

/* A good reply that came in one piece and leaves the connection open is worth remembering. */
static void keep_template(struct http1 *h, const char *reply, size_t len)
{
	if (len > TEMPLATE_MAX)
		return;
	memcpy(h->shared->template, reply, len);
	h->shared->template_len = len;
	h->shared->template_status = h->status;
}

/* Parses until one reply is whole or the bytes are used up. */
static int take_reply(struct http1 *h, const char *in, size_t len, size_t *taken)
{
	uint32_t before = h->outstanding;
	bool whole_so_far = h->bytes == 0;
	const char *start = in;
	int ret = 0;

	*taken = 0;
	while (ret == 0 && *taken < len && h->outstanding == before) {
		size_t n;

		if (h->state == BODY_LENGTH || h->state == BODY_CLOSE || h->state == CHUNK_DATA)
			ret = take_body(h, in + *taken, len - *taken, &n);
		else
			ret = take_line(h, in + *taken, len - *taken, &n);
		*taken += n;
	}
	if (ret == 0 && whole_so_far && h->outstanding != before && h->last_ok)
		keep_template(h, start, *taken);
	return ret;
}

static int http1_feed(void *state, const char *in, size_t len)
{
	struct http1 *h = state;
	const struct shared *shared = h->shared;

	while (len > 0) {
		size_t taken = shared->template_len;
		int ret = 0;

		if (h->outstanding == 0)
			return -OUT_UNEXPECTED;
		if (h->bytes == 0 && taken > 0 && len >= taken &&
			memcmp(in, shared->template, taken) == 0)
			reply_done(h, OUT_OK, shared->template_status, taken);
		else
			ret = take_reply(h, in, len, &taken);
		if (ret != 0)
			return ret;
		in += taken;
		len -= taken;
	}
	return 0;
}

static int http1_eof(void *state, bool reset)
{
	struct http1 *h = state;

	if (h->state == BODY_CLOSE && !reset)
		return finish_reply(h);
	if (h->bytes > 0)
		return reset ? -OUT_RESET : -OUT_EOF;
	return CODEC_CLOSED;
}

static enum outcome http1_overdue(const void *state)
{
	const struct http1 *h = state;

	return h->unbounded ? OUT_NO_LENGTH : OUT_TIMEOUT;
}

static int http1_open(void *state, const struct codec_env *env)
{
	struct http1 *h = state;

	h->env = env;
	h->shared = env->shared;
	begin_reply(h);
	return 0;
}

static void http1_close(void *state)
{
	struct http1 *h = state;

	buf_free(&h->line);
	body_free(&h->check);
}

const struct codec_ops codec_http1 = {
	.name = "http1",
	.scheme = "http",
	.port = 80,
	.flags = CODEC_INORDER | CODEC_HTTP_STATUS,
	.state_size = sizeof(struct http1),
	.prepare = http1_prepare,
	.release = http1_release,
	.open = http1_open,
	.submit = http1_submit,
	.flush = http1_flush,
	.feed = http1_feed,
	.eof = http1_eof,
	.overdue = http1_overdue,
	.close = http1_close,
};
