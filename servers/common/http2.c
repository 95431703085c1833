/*
 * http2_input, for all bytes of one read:
 *   nghttp2_session_mem_recv
 *     -> on_begin_headers -> on_field: handler->field
 *     -> on_frame: handler->head, on_data: handler->body, the last frame -> end_request
 *     -> on_frame of what is for no stream, on_invalid: is it a flood?
 *     -> on_stream_close: the only way a stream ends
 *   pump: nghttp2_session_mem_send -> read_reply; requests whose turn has come are answered
 * end_request: handler->end, or a place in the queue while many replies wait for the peer
 * on_timer: handler->late
 */
#include <event2/event.h>
#include <stdlib.h>
#include <string.h>

#include "lib/clock.h"
#include "servers/common/count.h"
#include "servers/common/http2.h"
#include "servers/common/http2_session.h"
#include "servers/common/http2_stream.h"

/* Opaque data of the ping that follows a first GOAWAY. */
static const uint8_t drain_ping[8] = {'d', 'r', 'a', 'i', 'n'};

struct http2 {
	nghttp2_session *session;
	struct stream *stream;
	const struct srv_worker *worker;
	const struct http2_service *service;
	struct http2_pool pool;
	struct http2_stream *last; /* that a callback was about; NULL = look it up */
	struct http2_queue queue;  /* complete requests, not answered yet */
	struct http2_streams timed;
	size_t body_bytes;
	size_t reply_bytes;
	bool greeted;   /* the preface and the first SETTINGS have come */
	bool in_head;   /* a header block was begun */
	bool in_time;   /* a deadline for one of these is set */
	bool holds;     /* pump() stopped for lack of room */
	bool draining;  /* the first GOAWAY was sent */
	bool parted;    /* and the second */
	int64_t second; /* in which these were counted: */
	unsigned resets;
	unsigned controls;
	int64_t first_ns;    /* no deadline is earlier; INT64_MAX = none */
	struct event *timer; /* NULL until it is needed */
	int64_t timer_ns;    /* when it fires; INT64_MAX = it does not */
};

const void *http2_arg(const struct http2_stream *s)
{
	return s->conn->service->arg;
}

const struct srv_options *http2_options(const struct http2_stream *s)
{
	return s->conn->worker->options;
}

struct slice http2_body(const struct http2_stream *s)
{
	return (struct slice){s->body.data + s->body.start, buf_len(&s->body)};
}

struct buf *http2_reply(struct http2_stream *s)
{
	return &s->reply;
}

static struct http2_stream *find(struct http2 *c, int32_t id)
{
	if (c->last == NULL || c->last->id != id)
		c->last = nghttp2_session_get_stream_user_data(c->session, id);
	return c->last;
}

static void drop_body(struct http2_stream *s)
{
	s->conn->body_bytes -= buf_len(&s->body);
	buf_clear(&s->body);
}

static ssize_t read_reply(nghttp2_session *session, int32_t id, uint8_t *into, size_t len,
	uint32_t *flags, nghttp2_data_source *source, void *arg)
{
	struct http2_stream *s = source->ptr;
	struct http2 *c = arg;
	size_t left = buf_len(&s->reply);
	size_t n = left < len ? left : len;

	memcpy(into, buf_head(&s->reply), n);
	buf_consume(&s->reply, n);
	c->reply_bytes -= n;
	if (n < left)
		return (ssize_t)n;
	*flags |= NGHTTP2_DATA_FLAG_EOF;
	if (s->trailers.n > 0) {
		*flags |= NGHTTP2_DATA_FLAG_NO_END_STREAM;
		if (nghttp2_submit_trailer(session, id, s->trailers.list, s->trailers.n) != 0)
			return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
	}
	return (ssize_t)n;
}

/* Cuts the stream off, without an answer or within it. */
static void give_up(struct http2_stream *s, uint32_t error)
{
	s->answered = true;
	drop_body(s);
	nghttp2_submit_rst_stream(s->conn->session, NGHTTP2_FLAG_NONE, s->id, error);
}

void http2_answer(struct http2_stream *s, struct http2_fields head, struct http2_fields trailers)
{
	nghttp2_data_provider provider = {.source.ptr = s, .read_callback = read_reply};
	struct http2 *c = s->conn;
	bool has_body = buf_len(&s->reply) > 0;

	count_request();
	s->answered = true;
	s->trailers = trailers;
	c->reply_bytes += buf_len(&s->reply);
	drop_body(s);
	if (nghttp2_submit_response(
		    c->session, s->id, head.list, head.n, has_body ? &provider : NULL) != 0)
		give_up(s, NGHTTP2_INTERNAL_ERROR);
}

void http2_refuse(struct http2_stream *s)
{
	s->refused = true;
	drop_body(s);
}

void http2_set_deadline(struct http2_stream *s, int64_t at_ns)
{
	s->deadline_ns = at_ns;
	LIST_INSERT_HEAD(&s->conn->timed, s, timed);
	if (at_ns < s->conn->first_ns)
		s->conn->first_ns = at_ns;
}

/* Answers those that wait, in their order, while there is room for replies. */
static void answer_waiting(struct http2 *c)
{
	struct http2_stream *s;

	while (c->reply_bytes < HTTP2_REPLIES_MAX && (s = TAILQ_FIRST(&c->queue)) != NULL) {
		TAILQ_REMOVE(&c->queue, s, turn);
		s->waits = false;
		c->service->handler->end(s, s->state);
	}
}

static void end_request(struct http2 *c, struct http2_stream *s)
{
	if (s->answered)
		return;
	if (c->reply_bytes < HTTP2_REPLIES_MAX && TAILQ_EMPTY(&c->queue)) {
		c->service->handler->end(s, s->state);
		return;
	}
	s->waits = true;
	TAILQ_INSERT_TAIL(&c->queue, s, turn);
}

/* Counts one of what nobody does often. @n: the count of this second. */
static void count(struct http2 *c, unsigned *n, unsigned max)
{
	int64_t now = stream_unix_time(c->stream);

	if (now != c->second) {
		c->second = now;
		c->resets = 0;
		c->controls = 0;
	}
	if (++*n == max)
		nghttp2_session_terminate_session(c->session, NGHTTP2_ENHANCE_YOUR_CALM);
}

static int on_begin_headers(nghttp2_session *session, const nghttp2_frame *frame, void *arg)
{
	struct http2 *c = arg;
	struct http2_stream *s;

	c->in_head = true;
	if (frame->headers.cat != NGHTTP2_HCAT_REQUEST)
		return 0;
	s = http2_pool_take(&c->pool);
	if (s == NULL)
		return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
	s->conn = c;
	s->id = frame->hd.stream_id;
	c->last = s;
	return nghttp2_session_set_stream_user_data(session, s->id, s);
}

static int on_field(nghttp2_session *session, const nghttp2_frame *frame, const uint8_t *name,
	size_t name_len, const uint8_t *value, size_t value_len, uint8_t flags, void *arg)
{
	struct http2 *c = arg;
	struct http2_stream *s;

	(void)session;
	(void)flags;
	if (frame->headers.cat != NGHTTP2_HCAT_REQUEST)
		return 0;
	s = find(c, frame->hd.stream_id);
	if (s != NULL)
		c->service->handler->field(s->state, (struct slice){(const char *)name, name_len},
			(struct slice){(const char *)value, value_len});
	return 0;
}

/* Bytes of a body that was refused. */
static void drop(struct http2 *c, struct http2_stream *s, size_t len)
{
	s->vain += len;
	if (s->answered || s->vain <= HTTP2_VAIN_MAX)
		return;
	c->service->handler->end(s, s->state);
}

static int on_data(nghttp2_session *session, uint8_t flags, int32_t id, const uint8_t *data,
	size_t len, void *arg)
{
	struct http2 *c = arg;
	struct http2_stream *s = find(c, id);

	(void)session;
	(void)flags;
	if (s == NULL)
		return 0;
	if (s->refused || s->answered) {
		drop(c, s, len);
		return 0;
	}
	if (c->body_bytes + len > c->worker->options->body_limit + HTTP2_BODIES_MAX ||
		buf_append(&s->body, data, len) != 0) {
		give_up(s, NGHTTP2_ENHANCE_YOUR_CALM);
		return 0;
	}
	c->body_bytes += len;
	c->service->handler->body(s, s->state);
	return 0;
}

static void on_headers_frame(struct http2 *c, const nghttp2_frame *frame)
{
	struct http2_stream *s = find(c, frame->hd.stream_id);

	c->in_head = false;
	if (s == NULL)
		return;
	if (frame->headers.cat == NGHTTP2_HCAT_REQUEST)
		c->service->handler->head(s, s->state);
	if (frame->hd.flags & NGHTTP2_FLAG_END_STREAM)
		end_request(c, s);
}

static void on_data_frame(struct http2 *c, const nghttp2_frame *frame)
{
	struct http2_stream *s;

	if (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) {
		s = find(c, frame->hd.stream_id);
		if (s != NULL)
			end_request(c, s);
	} else if (frame->hd.length == frame->data.padlen) {
		count(c, &c->controls, HTTP2_CONTROL_MAX);
	}
}

static int on_ping(struct http2 *c, const nghttp2_frame *frame)
{
	int32_t last = nghttp2_session_get_last_proc_stream_id(c->session);

	if (!(frame->hd.flags & NGHTTP2_FLAG_ACK) || !c->draining || c->parted ||
		memcmp(frame->ping.opaque_data, drain_ping, sizeof(drain_ping)) != 0)
		return 0;
	c->parted = true;
	return nghttp2_submit_goaway(
		c->session, NGHTTP2_FLAG_NONE, last, NGHTTP2_NO_ERROR, NULL, 0);
}

/* A whole frame has come; of DATA the bytes, and of HEADERS the fields, before it. */
static int on_frame(nghttp2_session *session, const nghttp2_frame *frame, void *arg)
{
	struct http2 *c = arg;

	(void)session;
	switch (frame->hd.type) {
	case NGHTTP2_HEADERS:
		on_headers_frame(c, frame);
		return 0;
	case NGHTTP2_DATA:
		on_data_frame(c, frame);
		return 0;
	case NGHTTP2_WINDOW_UPDATE:
		return 0;
	case NGHTTP2_RST_STREAM:
		count(c, &c->resets, HTTP2_RESETS_MAX);
		return 0;
	case NGHTTP2_SETTINGS:
		c->greeted = true;
		break;
	case NGHTTP2_PING:
		if (on_ping(c, frame) != 0)
			return NGHTTP2_ERR_CALLBACK_FAILURE;
		break;
	}
	count(c, &c->controls, HTTP2_CONTROL_MAX);
	return 0;
}

/* A stream that we reset for an error of the peer's counts as if the peer had. */
static int on_invalid(nghttp2_session *session, const nghttp2_frame *frame, int error, void *arg)
{
	struct http2 *c = arg;

	(void)session;
	(void)error;
	if (frame->hd.type == NGHTTP2_HEADERS)
		c->in_head = false;
	count(c, &c->resets, HTTP2_RESETS_MAX);
	return 0;
}

static int on_sent(nghttp2_session *session, const nghttp2_frame *frame, void *arg)
{
	const struct http2 *c = arg;

	/* Nothing more is wanted of a request that was answered early, RFC 9113 section 8.1. */
	if (frame->hd.type == NGHTTP2_HEADERS && (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) &&
		nghttp2_session_get_stream_remote_close(session, frame->hd.stream_id) == 0)
		return nghttp2_submit_rst_stream(
			session, NGHTTP2_FLAG_NONE, frame->hd.stream_id, NGHTTP2_NO_ERROR);
	/* The answer to this ping tells that the peer has read the first GOAWAY. */
	if (frame->hd.type == NGHTTP2_GOAWAY && c->draining && !c->parted)
		return nghttp2_submit_ping(session, NGHTTP2_FLAG_NONE, drain_ping);
	return 0;
}

static int on_stream_close(nghttp2_session *session, int32_t id, uint32_t error, void *arg)
{
	struct http2 *c = arg;
	struct http2_stream *s = find(c, id);

	(void)session;
	(void)error;
	c->last = NULL;
	if (s == NULL)
		return 0;
	if (s->waits)
		TAILQ_REMOVE(&c->queue, s, turn);
	if (s->deadline_ns != 0)
		LIST_REMOVE(s, timed);
	drop_body(s);
	if (s->answered)
		c->reply_bytes -= buf_len(&s->reply);
	http2_pool_give(&c->pool, s);
	return 0;
}

/* Return: 0, or -1 when the session has failed. */
static int pump(struct http2 *c, struct buf *out)
{
	const uint8_t *data;
	ssize_t n;

	c->holds = false;
	for (;;) {
		answer_waiting(c);
		if (buf_len(out) >= STREAM_OUT_HIGH) {
			c->holds = true;
			return 0;
		}
		n = nghttp2_session_mem_send(c->session, &data);
		if (n <= 0)
			break;
		if (buf_append(out, data, (size_t)n) != 0)
			return -1;
	}
	if (n == 0 && !nghttp2_session_want_read(c->session) &&
		!nghttp2_session_want_write(c->session))
		stream_close_after(c->stream);
	return (int)n;
}

/* The deadline of @s has passed. */
static void expire(struct http2 *c, struct http2_stream *s)
{
	LIST_REMOVE(s, timed);
	s->deadline_ns = 0;
	if (s->answered) {
		give_up(s, NGHTTP2_CANCEL);
		return;
	}
	c->service->handler->late(s, s->state);
	if (s->waits)
		TAILQ_REMOVE(&c->queue, s, turn);
	s->waits = false;
}

static void on_timer(evutil_socket_t fd, short events, void *arg)
{
	struct http2 *c = arg;
	int64_t now = clock_ns();
	struct http2_stream *s;
	struct http2_stream *next;

	(void)fd;
	(void)events;
	c->timer_ns = INT64_MAX;
	c->first_ns = INT64_MAX;
	for (s = LIST_FIRST(&c->timed); s != NULL; s = next) {
		next = LIST_NEXT(s, timed);
		if (s->deadline_ns <= now)
			expire(c, s);
		else if (s->deadline_ns < c->first_ns)
			c->first_ns = s->deadline_ns;
	}
	stream_wake(c->stream);
}

/* Has the timer fire at the first deadline of requests that are still here, or before. */
static void set_timer(struct http2 *c)
{
	struct timeval wait;
	int64_t left;

	if (LIST_EMPTY(&c->timed))
		c->first_ns = INT64_MAX;
	if (c->timer_ns <= c->first_ns)
		return;
	if (c->timer == NULL)
		c->timer = evtimer_new(c->worker->base, on_timer, c);
	if (c->timer == NULL)
		return;
	c->timer_ns = c->first_ns;
	left = c->first_ns - clock_ns();
	left = left > 0 ? left / NS_PER_US + 1 : 0;
	wait = (struct timeval){left / 1000000, left % 1000000};
	evtimer_add(c->timer, &wait);
}

/* The preface, and a begun header block, have their time. */
static void set_head_deadline(struct http2 *c)
{
	bool waits = !c->greeted || c->in_head;

	if (waits && !c->in_time)
		stream_set_deadline(c->stream, c->worker->options->header_ns);
	else if (!waits && c->in_time)
		stream_set_deadline(c->stream, 0);
	c->in_time = waits;
}

static ssize_t http2_input(void *state, const char *data, size_t len, struct buf *out)
{
	struct http2 *c = state;

	if (len > 0) {
		ssize_t n = nghttp2_session_mem_recv(c->session, (const uint8_t *)data, len);

		if (n < 0)
			return -1;
	}
	if (pump(c, out) != 0)
		return -1;
	set_head_deadline(c);
	set_timer(c);
	return (ssize_t)len;
}

static void set_callbacks(nghttp2_session_callbacks *callbacks)
{
	nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks, on_begin_headers);
	nghttp2_session_callbacks_set_on_header_callback(callbacks, on_field);
	nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, on_data);
	nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, on_frame);
	nghttp2_session_callbacks_set_on_invalid_frame_recv_callback(callbacks, on_invalid);
	nghttp2_session_callbacks_set_on_frame_send_callback(callbacks, on_sent);
	nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, on_stream_close);
}

static int http2_open(void *state, struct stream *stream, const struct srv_worker *worker)
{
	const struct stream_protocol *protocol = worker->spec->arg;
	struct http2 *c = state;

	c->stream = stream;
	c->worker = worker;
	c->service = protocol->arg;
	http2_pool_init(&c->pool, c->service->handler->state_size);
	TAILQ_INIT(&c->queue);
	LIST_INIT(&c->timed);
	c->first_ns = INT64_MAX;
	c->timer_ns = INT64_MAX;
	c->session = http2_session_new(set_callbacks, worker->options, c);
	if (c->session == NULL)
		return -1;
	set_head_deadline(c);
	return 0;
}

/* GOAWAY tells which streams were taken up, so that a request that crosses it can be sent again:
 * RFC 9113 section 6.8. */
static void http2_part(void *state, struct buf *out)
{
	struct http2 *c = state;

	if (c->greeted && nghttp2_session_terminate_session(c->session, NGHTTP2_NO_ERROR) == 0)
		pump(c, out);
}

static bool http2_busy(const void *state)
{
	const struct http2 *c = state;

	return c->pool.n_used > 0 || c->in_head || c->holds || (c->draining && !c->parted);
}

static bool http2_holds(const void *state)
{
	const struct http2 *c = state;

	return c->holds;
}

static void http2_drain(void *state)
{
	struct http2 *c = state;

	c->draining = nghttp2_submit_shutdown_notice(c->session) == 0;
}

static void http2_close(void *state)
{
	struct http2 *c = state;

	if (c->timer != NULL)
		event_free(c->timer);
	nghttp2_session_del(c->session);
	http2_pool_free(&c->pool);
}

const struct stream_ops http2_ops = {
	.name = "http2",
	.state_size = sizeof(struct http2),
	.open = http2_open,
	.input = http2_input,
	.expired = http2_part,
	.idle = http2_part,
	.busy = http2_busy,
	.holds = http2_holds,
	.drain = http2_drain,
	.close = http2_close,
};
