#include "tests/unit/h2_client.h"

#include <event2/event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/clock.h"
#include "tests/unit/test.h"

void stream_set_deadline(struct stream *stream, int64_t ns)
{
	stream->deadline_ns = ns;
}

void stream_close_after(struct stream *stream)
{
	stream->closing = true;
}

int64_t stream_unix_time(const struct stream *stream)
{
	return stream->unix_time;
}

/* Calls input() with a copy of its own, so that a sanitizer sees each byte too far. */
static void input(struct h2_client *c, const char *data, size_t len)
{
	char *copy = malloc(len + 1);
	struct buf out = {0};
	ssize_t taken;

	assert_non_null(copy);
	memcpy(copy, len > 0 ? data : "", len);
	taken = http2_ops.input(c->state, copy, len, &out);
	free(copy);
	assert_true(taken == -1 || (size_t)taken == len);
	c->closed = taken < 0 || c->stream.closing;
	if (buf_len(&out) > c->largest)
		c->largest = buf_len(&out);
	assert_int_equal(buf_append(&c->replies, buf_head(&out), buf_len(&out)), 0);
	buf_free(&out);
}

void stream_wake(struct stream *stream)
{
	if (!stream->client->closed)
		input(stream->client, NULL, 0);
}

static void copy(char *into, size_t size, const uint8_t *value, size_t len)
{
	assert_true(len < size);
	memcpy(into, value, len);
	into[len] = '\0';
}

static int on_header(nghttp2_session *session, const nghttp2_frame *frame, const uint8_t *name,
	size_t name_len, const uint8_t *value, size_t len, uint8_t flags, void *arg)
{
	struct h2_call *call = nghttp2_session_get_stream_user_data(session, frame->hd.stream_id);
	struct slice key = {(const char *)name, name_len};

	(void)flags;
	(void)arg;
	if (slice_eq(key, slice_of(":status")))
		copy(call->status, sizeof(call->status), value, len);
	else if (slice_eq(key, slice_of("grpc-status")))
		copy(call->grpc_status, sizeof(call->grpc_status), value, len);
	else if (slice_eq(key, slice_of("grpc-message")))
		copy(call->message, sizeof(call->message), value, len);
	else if (slice_eq(key, slice_of("grpc-accept-encoding")))
		copy(call->encodings, sizeof(call->encodings), value, len);
	call->trailers = frame->headers.cat == NGHTTP2_HCAT_HEADERS;
	return 0;
}

static int on_data(nghttp2_session *session, uint8_t flags, int32_t id, const uint8_t *data,
	size_t len, void *arg)
{
	struct h2_call *call = nghttp2_session_get_stream_user_data(session, id);

	(void)flags;
	(void)arg;
	return buf_append(&call->reply, data, len);
}

static int on_close(nghttp2_session *session, int32_t id, uint32_t error, void *arg)
{
	struct h2_call *call = nghttp2_session_get_stream_user_data(session, id);

	(void)arg;
	call->closed = true;
	call->error = error;
	return 0;
}

static int on_frame(nghttp2_session *session, const nghttp2_frame *frame, void *arg)
{
	struct h2_client *c = arg;

	(void)session;
	if (frame->hd.type == NGHTTP2_GOAWAY) {
		c->goaways++;
		c->goaway_error = frame->goaway.error_code;
	}
	return 0;
}

static ssize_t read_body(nghttp2_session *session, int32_t id, uint8_t *into, size_t len,
	uint32_t *flags, nghttp2_data_source *source, void *arg)
{
	struct h2_call *call = source->ptr;
	size_t left = call->body.len - call->sent;
	size_t n = left < len ? left : len;

	(void)session;
	(void)id;
	(void)arg;
	if (n == 0 && call->open)
		return NGHTTP2_ERR_DEFERRED;
	if (n > 0)
		memcpy(into, call->body.data + call->sent, n);
	call->sent += n;
	if (call->sent == call->body.len && !call->open)
		*flags |= NGHTTP2_DATA_FLAG_EOF;
	return (ssize_t)n;
}

static void open_client(struct h2_client *c)
{
	const nghttp2_settings_entry settings[] = {
		{NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, c->window > 0 ? c->window : 65535},
		{NGHTTP2_SETTINGS_HEADER_TABLE_SIZE, c->no_table ? 0 : 4096},
	};
	nghttp2_session_callbacks *callbacks;
	nghttp2_option *option;

	assert_int_equal(nghttp2_session_callbacks_new(&callbacks), 0);
	assert_int_equal(nghttp2_option_new(&option), 0);
	nghttp2_session_callbacks_set_on_header_callback(callbacks, on_header);
	nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, on_data);
	nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, on_close);
	nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, on_frame);
	nghttp2_option_set_peer_max_concurrent_streams(option, H2_CALLS_MAX);
	nghttp2_option_set_no_auto_window_update(option, c->window > 0);
	assert_int_equal(nghttp2_session_client_new2(&c->session, callbacks, c, option), 0);
	assert_int_equal(nghttp2_submit_settings(c->session, 0, settings, 2), 0);
	nghttp2_option_del(option);
	nghttp2_session_callbacks_del(callbacks);
}

void h2_client_open(struct h2_client *c, const struct http2_service *service)
{
	if (c->options.header_limit == 0)
		c->options.header_limit = 16 << 10;
	if (c->options.body_limit == 0)
		c->options.body_limit = 16 << 20;
	c->options.header_ns = 7 * NS_PER_S;
	c->protocol = (struct stream_protocol){.ops = &http2_ops, .arg = service};
	c->spec.arg = &c->protocol;
	c->worker = (struct srv_worker){
		.options = &c->options, .spec = &c->spec, .base = event_base_new()};
	c->stream = (struct stream){.client = c, .unix_time = 1};
	c->state = calloc(1, http2_ops.state_size);
	assert_non_null(c->state);
	assert_int_equal(http2_ops.open(c->state, &c->stream, &c->worker), 0);
	open_client(c);
}

static void add(nghttp2_nv *list, size_t *n, const char *name, const char *value)
{
	list[(*n)++] = (nghttp2_nv){.name = (uint8_t *)name,
		.value = (uint8_t *)value,
		.namelen = strlen(name),
		.valuelen = strlen(value)};
}

void h2_client_call(struct h2_client *c, struct h2_call *call)
{
	nghttp2_data_provider provider = {.source.ptr = call, .read_callback = read_body};
	nghttp2_nv list[8];
	size_t n = 0;

	add(list, &n, ":method", call->method != NULL ? call->method : "POST");
	add(list, &n, ":scheme", "http");
	add(list, &n, ":path", call->path != NULL ? call->path : "/unpkg.Unpkg/FindOne");
	add(list, &n, ":authority", "localhost");
	if (call->type == NULL || call->type[0] != '\0')
		add(list, &n, "content-type", call->type != NULL ? call->type : "application/grpc");
	if (call->timeout != NULL)
		add(list, &n, "grpc-timeout", call->timeout);
	if (call->filler != NULL)
		add(list, &n, "filler", call->filler);
	assert_true(c->n < H2_CALLS_MAX);
	c->calls[c->n++] = call;
	assert_true(nghttp2_submit_request(c->session, NULL, list, n,
			    call->body.len > 0 || call->open ? &provider : NULL, call) > 0);
}

void h2_client_feed(struct h2_client *c, struct slice bytes, size_t piece)
{
	size_t at = 0;

	while (at < bytes.len && !c->closed) {
		size_t left = bytes.len - at;
		size_t len = piece > 0 && piece < left ? piece : left;

		input(c, bytes.data + at, len);
		at += len;
	}
}

/* Return: false when the client has nothing to say. */
static bool client_speaks(struct h2_client *c, size_t piece)
{
	struct buf all = {0};
	const uint8_t *data;
	ssize_t n;

	while ((n = nghttp2_session_mem_send(c->session, &data)) > 0)
		assert_int_equal(buf_append(&all, data, (size_t)n), 0);
	assert_true(n == 0);
	h2_client_feed(c, (struct slice){all.data, buf_len(&all)}, piece);
	n = (ssize_t)buf_len(&all);
	buf_free(&all);
	return n > 0;
}

/* Return: false when the server has nothing to say. */
static bool server_speaks(struct h2_client *c)
{
	size_t len = buf_len(&c->replies);

	if (c->deaf)
		return false;
	assert_true(nghttp2_session_mem_recv(c->session, (const uint8_t *)buf_head(&c->replies),
			    len) == (ssize_t)len);
	buf_clear(&c->replies);
	if (!c->closed && http2_ops.holds(c->state)) {
		input(c, NULL, 0);
		return true;
	}
	return len > 0;
}

void h2_client_run(struct h2_client *c, size_t piece)
{
	bool client;
	bool server;

	do {
		client = client_speaks(c, piece);
		server = server_speaks(c);
	} while (client || server);
}

struct slice h2_client_reply(const struct h2_call *call)
{
	assert_true(buf_len(&call->reply) >= 5);
	return (struct slice){buf_head(&call->reply) + 5, buf_len(&call->reply) - 5};
}

void h2_client_close(struct h2_client *c)
{
	http2_ops.close(c->state);
	free(c->state);
	event_base_free(c->worker.base);
	nghttp2_session_del(c->session);
	buf_free(&c->replies);
	for (unsigned i = 0; i < c->n; i++)
		buf_free(&c->calls[i]->reply);
}
