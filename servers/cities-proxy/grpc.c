/*
 * grpc_start -> submit, on the current channel or a new one -> proxy_work() -> grpc_send
 *   channel_open -> on_connected -> pump
 *   on_readable: nghttp2 -> on_field, on_data -> on_stream_close -> judge
 *   on_frame: GOAWAY -> the channel takes no more calls, and ends after the last
 *   channel_lost: the calls on it fail, or are made again
 * channel_free: the only teardown
 */
#include <arpa/inet.h>
#include <errno.h>
#include <event2/event.h>
#include <nghttp2/nghttp2.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/clock.h"
#include "lib/fail.h"
#include "servers/cities-proxy/grpc.h"
#include "servers/cities-proxy/proxy.h"
#include "servers/cities-proxy/upstream.h"

#define READ_SIZE      (128 << 10)
#define PREFIX_LEN     5         /* of a message: the flag "compressed", then the length */
#define STREAM_WINDOW  (1 << 20) /* bytes that the upstream may send of one reply at once */
#define CHANNEL_WINDOW (16 << 20)
#define SEND_HIGH      (64 << 10) /* bytes that wait for the socket before more are made */

#define FIELD(n, v)                                                                                \
	{                                                                                          \
		.name = (uint8_t *)(n), .value = (uint8_t *)(v), .namelen = sizeof(n) - 1,         \
		.valuelen = sizeof(v) - 1                                                          \
	}

/* A stream; it outlives a fetch that was given up. */
struct call {
	LIST_ENTRY(call) link;
	struct channel *channel;
	struct fetch *fetch; /* NULL = given up */
	int32_t id;
	int status;      /* of HTTP */
	int grpc_status; /* -1 = none has come */
};

/* A connection. */
struct channel {
	LIST_ENTRY(channel) link;
	struct grpc *grpc;
	nghttp2_session *session;
	struct event *readable;
	struct event *writable;
	int fd;
	bool connected;
	bool served;       /* bytes of a reply have come on it */
	int64_t active_ns; /* the last read */
	struct buf out;
	LIST_HEAD(calls, call) calls;
};

struct grpc {
	struct proxy *proxy;
	struct upstream upstream;
	struct channel *current; /* that takes calls; NULL = none */
	LIST_HEAD(channels, channel) channels;
	nghttp2_session_callbacks *callbacks;
	char rx[READ_SIZE];
};

static void grpc_start(void *state, struct fetch *fetch);

static void call_free(struct call *call)
{
	LIST_REMOVE(call, link);
	free(call);
}

/* Not from within a callback of its session. */
static void channel_free(struct channel *ch)
{
	struct call *call;

	if (ch->grpc->current == ch)
		ch->grpc->current = NULL;
	LIST_REMOVE(ch, link);
	if (ch->session != NULL)
		nghttp2_session_del(ch->session);
	while ((call = LIST_FIRST(&ch->calls)) != NULL)
		call_free(call);
	if (ch->readable != NULL)
		event_free(ch->readable);
	if (ch->writable != NULL)
		event_free(ch->writable);
	close(ch->fd);
	buf_free(&ch->out);
	free(ch);
}

/* Makes a call again that the upstream has not processed, once; else it has failed. */
static void again_or_fail(struct grpc *grpc, struct fetch *fetch, bool again, const char *why)
{
	if (!again || fetch->retried) {
		fetch_failed(fetch, 502, "%s", why);
		return;
	}
	fetch->retried = true;
	grpc_start(grpc, fetch);
}

static void channel_lost(struct channel *ch, const char *why)
{
	struct grpc *grpc = ch->grpc;
	bool served = ch->served;
	struct fetches left;
	struct fetch *fetch;
	struct call *call;

	TAILQ_INIT(&left);
	LIST_FOREACH(call, &ch->calls, link)
	if (call->fetch != NULL) {
		call->fetch->at = NULL;
		TAILQ_INSERT_HEAD(&left, call->fetch, turn);
	}
	channel_free(ch);
	while ((fetch = TAILQ_FIRST(&left)) != NULL) {
		TAILQ_REMOVE(&left, fetch, turn);
		again_or_fail(grpc, fetch, served && buf_len(&fetch->body) == 0, why);
	}
}

/* Return: 0, or -1 when the session or the connection has failed. */
static int flush(struct channel *ch)
{
	while (buf_len(&ch->out) > 0) {
		ssize_t n = send(ch->fd, buf_head(&ch->out), buf_len(&ch->out), MSG_NOSIGNAL);

		if (n >= 0)
			buf_consume(&ch->out, (size_t)n);
		else if (errno == EAGAIN)
			return event_add(ch->writable, NULL);
		else if (errno != EINTR)
			return -1;
	}
	return 0;
}

static int collect(struct channel *ch)
{
	const uint8_t *data;
	ssize_t n = 0;

	while (buf_len(&ch->out) < SEND_HIGH &&
		(n = nghttp2_session_mem_send(ch->session, &data)) > 0)
		if (buf_append(&ch->out, data, (size_t)n) != 0)
			return -1;
	return (int)n;
}

/* False for a channel that nobody waits for and that takes no more calls. */
static bool is_wanted(const struct channel *ch)
{
	const struct call *call;

	if (ch->grpc->current == ch && !proxy_drains(ch->grpc->proxy))
		return true;
	LIST_FOREACH(call, &ch->calls, link)
	if (call->fetch != NULL)
		return true;
	return false;
}

/* Sends what there is, and ends a channel that is of no more use. */
static void pump(struct channel *ch)
{
	if (ch->connected && (collect(ch) < 0 || flush(ch) != 0))
		channel_lost(ch, "the upstream closed the connection");
	else if (!nghttp2_session_want_read(ch->session) &&
		 !nghttp2_session_want_write(ch->session))
		channel_lost(ch, "the upstream broke off the connection");
	else if (!is_wanted(ch))
		channel_free(ch);
}

static void on_writable(evutil_socket_t fd, short events, void *arg)
{
	struct channel *ch = arg;

	(void)events;
	if (!ch->connected) {
		if (upstream_connected(&ch->grpc->upstream, fd) != 0 ||
			event_add(ch->readable, NULL) != 0) {
			channel_lost(ch, "cannot connect to the upstream");
			return;
		}
		ch->connected = true;
	}
	pump(ch);
}

static void on_readable(evutil_socket_t fd, short events, void *arg)
{
	struct channel *ch = arg;
	struct grpc *grpc = ch->grpc;
	ssize_t n = recv(fd, grpc->rx, sizeof(grpc->rx), 0);

	(void)events;
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		channel_lost(ch, "the upstream closed the connection");
		return;
	}
	ch->active_ns = clock_ns();
	if (nghttp2_session_mem_recv(ch->session, (const uint8_t *)grpc->rx, (size_t)n) < 0)
		channel_lost(ch, "the upstream broke HTTP/2");
	else
		pump(ch);
}

static struct call *find(nghttp2_session *session, int32_t id)
{
	return nghttp2_session_get_stream_user_data(session, id);
}

static bool is_name(const uint8_t *name, size_t len, const char *expected)
{
	return len == strlen(expected) && memcmp(name, expected, len) == 0;
}

/* A number of up to three digits, else -1. */
static int parse_status(const uint8_t *text, size_t len)
{
	int status = 0;

	if (len == 0 || len > 3)
		return -1;
	for (; len > 0; len--, text++) {
		if (*text < '0' || *text > '9')
			return -1;
		status = status * 10 + (*text - '0');
	}
	return status;
}

static int on_field(nghttp2_session *session, const nghttp2_frame *frame, const uint8_t *name,
	size_t name_len, const uint8_t *value, size_t value_len, uint8_t flags, void *arg)
{
	struct call *call = find(session, frame->hd.stream_id);

	(void)flags;
	(void)arg;
	if (call == NULL)
		return 0;
	if (is_name(name, name_len, ":status"))
		call->status = parse_status(value, value_len);
	else if (is_name(name, name_len, "grpc-status"))
		call->grpc_status = parse_status(value, value_len);
	return 0;
}

/* Takes a call from its fetch, and its stream from the upstream. */
static void give_up(struct call *call)
{
	call->fetch = NULL;
	nghttp2_submit_rst_stream(
		call->channel->session, NGHTTP2_FLAG_NONE, call->id, NGHTTP2_CANCEL);
	proxy_work(call->channel->grpc->proxy);
}

static int on_data(nghttp2_session *session, uint8_t flags, int32_t id, const uint8_t *data,
	size_t len, void *arg)
{
	struct channel *ch = arg;
	struct call *call = find(session, id);
	struct fetch *fetch = call != NULL ? call->fetch : NULL;

	(void)flags;
	if (fetch == NULL)
		return 0;
	ch->served = true;
	if (buf_len(&fetch->body) + len <=
			PREFIX_LEN + proxy_options(ch->grpc->proxy)->srv.body_limit &&
		buf_append(&fetch->body, data, len) == 0)
		return 0;
	give_up(call);
	fetch_failed(fetch, 502, "the upstream sent too much");
	return 0;
}

/* Drops the prefix of the one message that the body is to be. */
static bool take_message(struct buf *body)
{
	uint32_t len;

	if (buf_len(body) < PREFIX_LEN || *buf_head(body) != 0)
		return false;
	memcpy(&len, buf_head(body) + 1, sizeof(len));
	buf_consume(body, PREFIX_LEN);
	return buf_len(body) == ntohl(len);
}

/* The stream of @call has ended. */
static void judge(const struct call *call, uint32_t error)
{
	struct fetch *fetch = call->fetch;

	fetch->at = NULL;
	if (error == NGHTTP2_REFUSED_STREAM)
		again_or_fail(call->channel->grpc, fetch, true, "the upstream refused the call");
	else if (error != NGHTTP2_NO_ERROR)
		fetch_failed(fetch, 502, "the upstream reset the call, error %u", error);
	else if (call->status != 200)
		fetch_failed(fetch, 502, "the upstream answered with status %d", call->status);
	else if (call->grpc_status < 0)
		fetch_failed(fetch, 502, "the upstream sent no grpc-status");
	else if (call->grpc_status > 0)
		fetch_failed(
			fetch, 502, "the upstream answered with gRPC status %d", call->grpc_status);
	else if (!take_message(&fetch->body))
		fetch_failed(fetch, 502, "the upstream sent a broken message");
	else
		fetch_done(fetch);
}

static int on_stream_close(nghttp2_session *session, int32_t id, uint32_t error, void *arg)
{
	struct call *call = find(session, id);

	(void)arg;
	if (call == NULL)
		return 0;
	if (call->fetch != NULL)
		judge(call, error);
	call_free(call);
	return 0;
}

static int on_frame(nghttp2_session *session, const nghttp2_frame *frame, void *arg)
{
	struct channel *ch = arg;

	(void)session;
	if (frame->hd.type == NGHTTP2_GOAWAY && ch->grpc->current == ch)
		ch->grpc->current = NULL;
	return 0;
}

/* Return: 0, or -1 when the session cannot be set up. */
static int greet(struct channel *ch)
{
	const nghttp2_settings_entry settings[] = {
		{NGHTTP2_SETTINGS_ENABLE_PUSH, 0},
		{NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, STREAM_WINDOW},
		{NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, 64 << 10},
	};

	if (nghttp2_session_client_new(&ch->session, ch->grpc->callbacks, ch) != 0) {
		ch->session = NULL;
		return -1;
	}
	if (nghttp2_submit_settings(ch->session, NGHTTP2_FLAG_NONE, settings,
		    sizeof(settings) / sizeof(*settings)) != 0)
		return -1;
	return nghttp2_session_set_local_window_size(
		ch->session, NGHTTP2_FLAG_NONE, 0, CHANNEL_WINDOW);
}

static struct channel *channel_open(struct grpc *grpc)
{
	struct event_base *base = proxy_base(grpc->proxy);
	int fd = upstream_connect(&grpc->upstream);
	struct channel *ch;

	if (fd < 0)
		return NULL;
	ch = calloc(1, sizeof(*ch));
	if (ch == NULL) {
		close(fd);
		return NULL;
	}
	ch->grpc = grpc;
	ch->fd = fd;
	LIST_INIT(&ch->calls);
	LIST_INSERT_HEAD(&grpc->channels, ch, link);
	ch->readable = event_new(base, fd, EV_READ | EV_PERSIST, on_readable, ch);
	ch->writable = event_new(base, fd, EV_WRITE, on_writable, ch);
	if (ch->readable != NULL && ch->writable != NULL && greet(ch) == 0 &&
		event_add(ch->writable, NULL) == 0)
		return ch;
	channel_free(ch);
	return NULL;
}

/* The request: google.protobuf.Empty, which has no bytes, behind its prefix. */
static ssize_t read_empty(nghttp2_session *session, int32_t id, uint8_t *into, size_t len,
	uint32_t *flags, nghttp2_data_source *source, void *arg)
{
	(void)session;
	(void)id;
	(void)source;
	(void)arg;
	if (len < PREFIX_LEN)
		return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
	memset(into, 0, PREFIX_LEN);
	*flags |= NGHTTP2_DATA_FLAG_EOF;
	return PREFIX_LEN;
}

static const nghttp2_data_provider empty_message = {.read_callback = read_empty};

/* Return: 0, or -1 for lack of memory. */
static int submit(struct channel *ch, struct fetch *fetch)
{
	nghttp2_nv fields[] = {
		FIELD(":method", "POST"),
		FIELD(":scheme", "http"),
		FIELD(":path", "/cityinfo.GeoCity/GetCities"),
		FIELD(":authority", ""),
		FIELD("te", "trailers"),
		FIELD("content-type", "application/grpc"),
	};
	struct call *call = calloc(1, sizeof(*call));

	if (call == NULL)
		return -1;
	fields[3].value = (uint8_t *)ch->grpc->upstream.name;
	fields[3].valuelen = strlen(ch->grpc->upstream.name);
	call->channel = ch;
	call->grpc_status = -1;
	call->id = nghttp2_submit_request(
		ch->session, NULL, fields, sizeof(fields) / sizeof(*fields), &empty_message, call);
	if (call->id < 0) {
		free(call);
		return -1;
	}
	call->fetch = fetch;
	fetch->at = call;
	LIST_INSERT_HEAD(&ch->calls, call, link);
	return 0;
}

static void grpc_start(void *state, struct fetch *fetch)
{
	struct grpc *grpc = state;

	if (grpc->current != NULL && !nghttp2_session_check_request_allowed(grpc->current->session))
		grpc->current = NULL;
	if (grpc->current == NULL)
		grpc->current = channel_open(grpc);
	if (grpc->current == NULL)
		fetch_failed(fetch, 502, "cannot connect to the upstream");
	else if (submit(grpc->current, fetch) != 0)
		fetch_failed(fetch, 502, "out of memory");
	proxy_work(grpc->proxy);
}

static void grpc_cancel(void *state, struct fetch *fetch)
{
	struct grpc *grpc = state;
	struct call *call = fetch->at;
	struct channel *ch = call->channel;

	fetch->at = NULL;
	give_up(call);
	/* Silent since before the call: perhaps it is dead, and new calls shall not wait for it. */
	if (ch->active_ns < fetch->start_ns && grpc->current == ch)
		grpc->current = NULL;
}

const struct leg grpc_leg = {.start = grpc_start, .cancel = grpc_cancel};

struct grpc *grpc_new(struct proxy *proxy)
{
	const struct proxy_options *options = proxy_options(proxy);
	struct grpc *grpc = calloc(1, sizeof(*grpc));

	if (grpc == NULL || nghttp2_session_callbacks_new(&grpc->callbacks) != 0) {
		fail_msg("cannot set up a worker: out of memory");
		goto err0;
	}
	grpc->proxy = proxy;
	LIST_INIT(&grpc->channels);
	nghttp2_session_callbacks_set_on_header_callback(grpc->callbacks, on_field);
	nghttp2_session_callbacks_set_on_data_chunk_recv_callback(grpc->callbacks, on_data);
	nghttp2_session_callbacks_set_on_frame_recv_callback(grpc->callbacks, on_frame);
	nghttp2_session_callbacks_set_on_stream_close_callback(grpc->callbacks, on_stream_close);
	if (upstream_init(&grpc->upstream, options->host, options->grpc_port) != 0)
		goto err1;
	return grpc;

err1:
	nghttp2_session_callbacks_del(grpc->callbacks);
err0:
	free(grpc);
	return NULL;
}

void grpc_send(struct grpc *grpc)
{
	struct channel *ch;
	struct channel *next;

	for (ch = LIST_FIRST(&grpc->channels); ch != NULL; ch = next) {
		next = LIST_NEXT(ch, link);
		pump(ch);
	}
}

void grpc_free(struct grpc *grpc)
{
	if (grpc == NULL)
		return;
	while (!LIST_EMPTY(&grpc->channels))
		channel_free(LIST_FIRST(&grpc->channels));
	nghttp2_session_callbacks_del(grpc->callbacks);
	free(grpc);
}
