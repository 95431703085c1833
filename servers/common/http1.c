/*
 * http1_input, for all bytes of one read:
 *   read_head: llhttp over a whole header block -> on_url, on_header_*: notes of what is there
 *     -> on_headers_complete: accept_head decides on what was noted
 *   read_body: llhttp over what follows -> on_body
 *   on_message_complete pauses llhttp -> answer: the route's handler -> finish_answer
 *     or, when the handler puts the reply off, nothing is taken until http1_ready()
 *   refuse: a reply that says why, and the end of the connection
 *
 * A header block that is not complete yet is not taken: the stream hands its bytes in again with
 * those that follow, and llhttp starts over once a line more is there. So what it reports about a
 * header block is always in one piece.
 */
#include <llhttp.h>
#include <string.h>

#include "lib/buf.h"
#include "servers/common/count.h"
#include "servers/common/http1.h"
#include "servers/common/http1_head.h"
#include "servers/common/http1_reply.h"
#include "servers/common/http1_target.h"

struct http1 {
	llhttp_t parser; /* ->data is this struct */
	struct stream *stream;
	const struct srv_worker *worker;
	const struct http1_route *routes;
	struct buf *out; /* of the running input() */
	size_t seen;  /* bytes of an incomplete header block that were parsed in vain; 0 = none */
	bool timed;   /* the deadline for the header block is set */
	bool in_body; /* the header block was accepted, the message is not complete */
	bool closing; /* the last reply was written */
	struct http1_later *later; /* of the message, which is complete; NULL = none */
	int refusal;               /* status that a callback refuses the message with, 0 = none */

	/* the message */
	struct http1_head head;
	unsigned method;                 /* enum http1_method, 0 for those that no route serves */
	const struct http1_route *route; /* NULL: answered by 404 or 405 */
	unsigned allow;                  /* methods of its path, 0 = 404 */
	struct slice query;
	struct slice body; /* in place, until it goes to held */
	bool is_held;      /* held has the query, then the body; the two slices are void */
	struct buf held;
	size_t query_len;
	size_t body_len; /* so far */
	size_t extra;    /* bytes of chunk extensions and trailers so far */
};

static int note_refusal(struct http1 *c, int status)
{
	c->refusal = status;
	return -1;
}

static int on_url(llhttp_t *parser, const char *at, size_t len)
{
	struct http1 *c = parser->data;

	c->head.target = (struct slice){at, len};
	return 0;
}

/* Chunk extensions and trailers are dropped, but count as a header block does. */
static int on_extra(llhttp_t *parser, const char *at, size_t len)
{
	struct http1 *c = parser->data;

	(void)at;
	c->extra += len;
	return c->extra > c->worker->options->header_limit ? note_refusal(c, 431) : 0;
}

static int on_header_field(llhttp_t *parser, const char *at, size_t len)
{
	struct http1 *c = parser->data;

	if (c->in_body)
		return on_extra(parser, at, len);
	http1_head_field(&c->head, (struct slice){at, len});
	return 0;
}

static int on_header_value(llhttp_t *parser, const char *at, size_t len)
{
	struct http1 *c = parser->data;

	if (c->in_body)
		return on_extra(parser, at, len);
	http1_head_value(&c->head, (struct slice){at, len});
	return 0;
}

/* RFC 9110 section 9.3, and RFC 5789. CONNECT has no resource that could allow it. */
static bool is_known_method(uint8_t method, unsigned *served_as)
{
	*served_as = 0;
	switch (method) {
	case HTTP_GET:
	case HTTP_HEAD:
		*served_as = HTTP1_GET;
		return true;
	case HTTP_POST:
		*served_as = HTTP1_POST;
		return true;
	case HTTP_PUT:
	case HTTP_DELETE:
	case HTTP_OPTIONS:
	case HTTP_TRACE:
	case HTTP_PATCH:
		return true;
	default:
		return false;
	}
}

/* Finds the route of the message; none is no refusal. Return: 0 or the status of one. */
static int find_route(struct http1 *c)
{
	struct http1_target target;
	bool any;

	if (!is_known_method(c->parser.method, &c->method))
		return 501;
	if (!http1_target_parse(c->head.target, &target))
		return 400;
	any = target.path.data[0] == '*';
	if (any && c->parser.method != HTTP_OPTIONS)
		return 400;
	c->query = target.query;
	c->route = NULL;
	c->allow = 0;
	for (const struct http1_route *route = c->routes; route->path != NULL; route++) {
		if (!any && !http1_target_is(&target, route->path))
			continue;
		c->allow |= route->methods;
		if (route->methods & c->method)
			c->route = route;
	}
	return 0;
}

static int status_without_route(const struct http1 *c)
{
	return c->allow != 0 ? 405 : 404;
}

static int accept_head(struct http1 *c)
{
	bool has_body = (c->parser.flags & F_CHUNKED) || c->parser.content_length > 0;
	int expects = http1_head_expects(&c->head, &c->parser);
	int status = http1_head_check(&c->head, &c->parser);

	if (status == 0)
		status = find_route(c);
	if (status == 0 && expects < 0)
		status = 417;
	if (status == 0 && c->parser.content_length > c->worker->options->body_limit)
		status = 413;
	/* A client that waits is told at once that nobody takes its body. */
	if (status == 0 && expects > 0 && has_body && c->route == NULL)
		status = status_without_route(c);
	if (status != 0)
		return note_refusal(c, status);
	if (expects > 0 && has_body)
		return buf_append(c->out, "HTTP/1.1 100 Continue\r\n\r\n", 25);
	return 0;
}

static int on_headers_complete(llhttp_t *parser)
{
	struct http1 *c = parser->data;

	if (accept_head(c) != 0)
		return -1;
	parser->upgrade = 0;
	c->in_body = true;
	c->body_len = 0;
	c->extra = 0;
	return 0;
}

/* Moves what the handler needs out of the bytes as they were read. */
static int hold(struct http1 *c)
{
	if (c->is_held || c->route == NULL)
		return 0;
	if (buf_append(&c->held, c->query.data, c->query.len) != 0 ||
		buf_append(&c->held, c->body.data, c->body.len) != 0)
		return -1;
	c->query_len = c->query.len;
	c->is_held = true;
	return 0;
}

static int on_body(llhttp_t *parser, const char *at, size_t len)
{
	struct http1 *c = parser->data;

	c->body_len += len;
	if (c->body_len > c->worker->options->body_limit)
		return note_refusal(c, 413);
	if (c->route == NULL)
		return 0;
	if (c->body_len == len && !c->is_held) {
		c->body = (struct slice){at, len};
		return 0;
	}
	return hold(c) == 0 ? buf_append(&c->held, at, len) : -1;
}

static int on_message_complete(llhttp_t *parser)
{
	(void)parser;
	return HPE_PAUSED;
}

static const llhttp_settings_t settings = {
	.on_url = on_url,
	.on_header_field = on_header_field,
	.on_header_value = on_header_value,
	.on_chunk_extension_name = on_extra,
	.on_chunk_extension_value = on_extra,
	.on_headers_complete = on_headers_complete,
	.on_body = on_body,
	.on_message_complete = on_message_complete,
};

static struct http1_reply begin_reply(struct http1 *c)
{
	return (struct http1_reply){
		.conn = c,
		.out = c->out,
		.unix_time = stream_unix_time(c->stream),
		.start = buf_len(c->out),
		.allow = c->allow,
	};
}

/* Return: -1, which makes the stream close the connection after this reply. */
static int refuse(struct http1 *c, int status)
{
	struct http1_reply reply = begin_reply(c);

	count_request();
	reply.persistence = HTTP1_CLOSES;
	/* The parser's method is that of the message only once a callback has refused it. */
	reply.head_only = c->refusal != 0 && c->parser.method == HTTP_HEAD;
	http1_reply_error(&reply, status);
	return -1;
}

static enum http1_persistence persistence(const struct http1 *c, bool last)
{
	if (!llhttp_should_keep_alive(&c->parser) || (last && c->worker->draining))
		return HTTP1_CLOSES;
	return c->parser.http_minor == 0 ? HTTP1_PERSISTS_SAID : HTTP1_PERSISTS;
}

/* What a handler has filled, unless it @failed to. */
static int end_reply(struct http1_reply *reply, int failed)
{
	return failed == 0 && reply->body_at != 0 ? http1_reply_end(reply) : -1;
}

static int handle(const struct http1 *c, struct http1_reply *reply)
{
	int failed;
	struct http1_request request = {
		.method = (enum http1_method)c->method,
		.path = slice_of(c->route->path),
		.query = c->query,
		.body = c->body,
		.worker = c->worker,
	};

	if (c->is_held) {
		request.query = (struct slice){buf_head(&c->held), c->query_len};
		request.body = (struct slice){
			buf_head(&c->held) + c->query_len, buf_len(&c->held) - c->query_len};
	}
	failed = c->route->handle(&request, reply);
	return c->later != NULL ? 0 : end_reply(reply, failed);
}

/* llhttp goes on with the next message. */
static void forget_message(struct http1 *c)
{
	llhttp_resume(&c->parser);
	c->in_body = false;
	c->body.len = 0;
	if (c->is_held) {
		buf_free(&c->held);
		c->is_held = false;
	}
}

/* @reply is complete, or making it has @failed. Return: 0, or -1 after a refusal. */
static int finish_answer(struct http1 *c, struct http1_reply *reply, int failed)
{
	if (failed != 0) {
		reply->persistence = HTTP1_CLOSES;
		http1_reply_error(reply, 500);
		return -1;
	}
	if (reply->persistence == HTTP1_CLOSES) {
		c->closing = true;
		stream_close_after(c->stream);
	}
	forget_message(c);
	return 0;
}

static struct http1_reply begin_answer(struct http1 *c, bool last)
{
	struct http1_reply reply = begin_reply(c);

	reply.persistence = persistence(c, last);
	reply.head_only = c->parser.method == HTTP_HEAD;
	return reply;
}

/* The message is complete; @last: nothing was read behind it. Return: 0, or -1 after a refusal. */
static int answer(struct http1 *c, bool last)
{
	struct http1_reply reply = begin_answer(c, last);
	int failed;

	count_request();
	if (c->route != NULL)
		failed = handle(c, &reply);
	else
		failed = http1_reply_error(&reply, status_without_route(c));
	return c->later != NULL ? 0 : finish_answer(c, &reply, failed);
}

static int answer_later(struct http1 *c, bool last)
{
	struct http1_reply reply = begin_answer(c, last);
	struct http1_later *later = c->later;

	c->later = NULL;
	return finish_answer(c, &reply, end_reply(&reply, later->answer(later, &reply)));
}

int http1_later(struct http1_reply *reply, struct http1_later *later)
{
	later->conn = reply->conn;
	later->ready = false;
	later->conn->later = later;
	return 0;
}

void http1_ready(struct http1_later *later)
{
	later->ready = true;
	stream_wake(later->conn->stream);
}

/* @len bytes are no whole header block. Return: 0 to wait for more, -1 after a refusal. */
static ssize_t wait_for_head(struct http1 *c, const char *data, size_t len)
{
	if (len >= c->worker->options->header_limit)
		return refuse(c, memchr(data, '\n', len) == NULL ? 414 : 431);
	c->seen = len;
	return 0;
}

/* Return: how many bytes were taken, 0 when the header block is not complete, -1 after a refusal.
 */
static ssize_t read_head(struct http1 *c, const char *data, size_t len)
{
	size_t limit = c->worker->options->header_limit;
	size_t part = len < limit ? len : limit;
	llhttp_errno_t error;
	ssize_t taken;

	/* Empty lines in front of a request, RFC 9112 section 2.2. */
	if (data[0] == '\r' && len >= 2 && data[1] == '\n')
		return 2;
	if (!http1_is_token(data[0]) && !(data[0] == '\r' && len == 1))
		return refuse(c, 400);
	if (data[0] == '\r' ||
		(c->seen > 0 && len < limit && memchr(data + c->seen, '\n', len - c->seen) == NULL))
		return wait_for_head(c, data, len);

	c->head = (struct http1_head){0};
	error = llhttp_execute(&c->parser, data, part);
	if (error == HPE_PAUSED) {
		c->seen = 0;
		taken = llhttp_get_error_pos(&c->parser) - data;
		return answer(c, (size_t)taken == len) == 0 ? taken : -1;
	}
	if (error == HPE_OK && c->in_body) {
		c->seen = 0;
		return (ssize_t)part;
	}
	/* What is wrong with a request line is told when it is whole. */
	if (error == HPE_OK || (c->refusal == 0 && memchr(data, '\n', part) == NULL)) {
		llhttp_reset(&c->parser);
		return wait_for_head(c, data, part);
	}
	return refuse(c, c->refusal != 0 ? c->refusal
					 : http1_head_explain((struct slice){data, part}, error));
}

/* Return: how many bytes were taken, -1 after a refusal. */
static ssize_t read_body(struct http1 *c, const char *data, size_t len)
{
	llhttp_errno_t error = llhttp_execute(&c->parser, data, len);
	ssize_t taken;

	if (error == HPE_OK)
		return (ssize_t)len;
	if (error != HPE_PAUSED)
		return refuse(c, c->refusal != 0 ? c->refusal : 400);
	taken = llhttp_get_error_pos(&c->parser) - data;
	return answer(c, (size_t)taken == len) == 0 ? taken : -1;
}

/* A begun header block has its time to become complete. */
static void set_deadline(struct http1 *c, bool begun_now)
{
	bool waits = c->seen > 0;

	if (waits && (begun_now || !c->timed))
		stream_set_deadline(c->stream, c->worker->options->header_ns);
	else if (!waits && c->timed)
		stream_set_deadline(c->stream, 0);
	c->timed = waits;
}

static bool http1_waits(const void *state)
{
	const struct http1 *c = state;

	return c->later != NULL && !c->later->ready;
}

static bool http1_holds(const void *state)
{
	const struct http1 *c = state;

	return c->later != NULL && c->later->ready;
}

static ssize_t http1_input(void *state, const char *data, size_t len, struct buf *out)
{
	struct http1 *c = state;
	size_t at = 0;

	c->out = out;
	if (http1_waits(c))
		return 0;
	if (c->later != NULL && answer_later(c, len == 0) != 0)
		return -1;
	while (at < len && !c->closing && c->later == NULL && buf_len(out) < STREAM_OUT_HIGH) {
		ssize_t taken = c->in_body ? read_body(c, data + at, len - at)
					   : read_head(c, data + at, len - at);

		if (taken < 0)
			return -1;
		if (taken == 0)
			break;
		at += (size_t)taken;
	}
	if (c->in_body && c->later == NULL && hold(c) != 0)
		return -1;
	set_deadline(c, at > 0);
	return (ssize_t)at;
}

static int http1_open(void *state, struct stream *stream, const struct srv_worker *worker)
{
	const struct stream_protocol *protocol = worker->spec->arg;
	struct http1 *c = state;

	llhttp_init(&c->parser, HTTP_REQUEST, &settings);
	c->parser.data = c;
	c->stream = stream;
	c->worker = worker;
	c->routes = protocol->arg;
	return 0;
}

static void http1_expired(void *state, struct buf *out)
{
	struct http1 *c = state;

	c->out = out;
	refuse(c, 408);
}

static bool http1_busy(const void *state)
{
	const struct http1 *c = state;

	return c->seen > 0 || c->in_body;
}

static void http1_close(void *state)
{
	struct http1 *c = state;

	if (c->later != NULL)
		c->later->gone(c->later);
	buf_free(&c->held);
}

const struct stream_ops http1_ops = {
	.name = "http1",
	.state_size = sizeof(struct http1),
	.open = http1_open,
	.input = http1_input,
	.expired = http1_expired,
	.busy = http1_busy,
	.holds = http1_holds,
	.waits = http1_waits,
	.close = http1_close,
};
