/*
 * rest_start -> give to an idle connection, a new one, or the queue
 *   conn_open -> on_connected -> send_request
 *   on_readable: llhttp -> on_body ... on_complete -> finish: conn_release, or conn_lost
 *   conn_release: the next of the queue, or idle
 * conn_free: the only teardown; feed() gives its place to the queue
 */
#include <errno.h>
#include <event2/event.h>
#include <llhttp.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/fail.h"
#include "servers/cities-proxy/proxy.h"
#include "servers/cities-proxy/rest.h"
#include "servers/cities-proxy/upstream.h"

#define READ_SIZE   (128 << 10) /* bytes of one read */
#define RESERVE_MAX (1 << 20)   /* bytes that a Content-Length is trusted for */
#define REQUEST_MAX (UPSTREAM_NAME_MAX + 128)

struct conn {
	LIST_ENTRY(conn) link; /* of idle or busy ones */
	struct rest *rest;
	struct event *event;
	int fd;
	llhttp_t parser;     /* ->data is this struct */
	struct fetch *fetch; /* NULL = idle */
	bool reused;         /* it has served before */
	bool began;          /* bytes of the reply have come */
	bool complete;       /* all have */
	bool persists;       /* valid if complete */
	size_t head_len;     /* bytes of the reply's head, about */
};

LIST_HEAD(conns, conn);

struct rest {
	const struct proxy *proxy;
	struct upstream upstream;
	struct conns idle;
	struct conns busy;
	size_t n_conns;
	struct fetches queue;
	char request[REQUEST_MAX];
	size_t request_len;
	char rx[READ_SIZE];
};

static int conn_open(struct rest *rest, struct fetch *fetch);
static void on_readable(evutil_socket_t fd, short events, void *arg);

static void conn_free(struct conn *c)
{
	LIST_REMOVE(c, link);
	c->rest->n_conns--;
	if (c->event != NULL)
		event_free(c->event);
	close(c->fd);
	free(c);
}

static void set_down(struct fetch *fetch)
{
	fetch_failed(fetch, 502, "cannot connect to the upstream");
}

/* Gives requests that wait the connections that may be made. */
static void feed(struct rest *rest)
{
	struct fetch *fetch;

	while (rest->n_conns < (size_t)proxy_options(rest->proxy)->connections &&
		(fetch = TAILQ_FIRST(&rest->queue)) != NULL) {
		TAILQ_REMOVE(&rest->queue, fetch, turn);
		if (conn_open(rest, fetch) != 0)
			set_down(fetch);
	}
}

/* The connection is of no more use. */
static void conn_lost(struct conn *c, const char *why)
{
	struct rest *rest = c->rest;
	struct fetch *fetch = c->fetch;
	bool again = c->reused && !c->began;

	conn_free(c);
	if (fetch != NULL && again && !fetch->retried) {
		fetch->retried = true;
		if (conn_open(rest, fetch) != 0)
			set_down(fetch);
	} else if (fetch != NULL) {
		fetch_failed(fetch, 502, "%s", why);
	}
	feed(rest);
}

/* A request is so short that an idle socket takes it whole. */
static void send_request(struct conn *c)
{
	const struct rest *rest = c->rest;

	if (send(c->fd, rest->request, rest->request_len, MSG_NOSIGNAL) !=
		(ssize_t)rest->request_len)
		conn_lost(c, "the upstream closed the connection");
}

static void take(struct conn *c, struct fetch *fetch)
{
	LIST_REMOVE(c, link);
	LIST_INSERT_HEAD(&c->rest->busy, c, link);
	c->fetch = fetch;
	fetch->at = c;
	c->began = false;
	c->complete = false;
	c->head_len = 0;
	send_request(c);
}

/* The reply is complete, and the connection may serve the next. */
static void conn_release(struct conn *c)
{
	struct rest *rest = c->rest;
	struct fetch *next = TAILQ_FIRST(&rest->queue);

	c->fetch = NULL;
	c->reused = true;
	if (!c->persists || (next == NULL && proxy_drains(rest->proxy))) {
		conn_free(c);
		feed(rest);
	} else if (next != NULL) {
		TAILQ_REMOVE(&rest->queue, next, turn);
		take(c, next);
	} else {
		LIST_REMOVE(c, link);
		LIST_INSERT_HEAD(&rest->idle, c, link);
	}
}

static int on_head_bytes(llhttp_t *parser, const char *at, size_t len)
{
	struct conn *c = parser->data;

	(void)at;
	c->head_len += len;
	return c->head_len > proxy_options(c->rest->proxy)->srv.header_limit ? -1 : 0;
}

static int on_headers_complete(llhttp_t *parser)
{
	struct conn *c = parser->data;
	uint64_t len = parser->content_length;

	if (parser->upgrade || len > proxy_options(c->rest->proxy)->srv.body_limit)
		return -1;
	return buf_reserve(&c->fetch->body, len < RESERVE_MAX ? len : RESERVE_MAX);
}

static int on_body(llhttp_t *parser, const char *at, size_t len)
{
	struct conn *c = parser->data;
	struct buf *body = &c->fetch->body;

	if (buf_len(body) + len > proxy_options(c->rest->proxy)->srv.body_limit)
		return -1;
	return buf_append(body, at, len);
}

static int on_complete(llhttp_t *parser)
{
	struct conn *c = parser->data;

	if (parser->status_code < 200)
		return 0; /* an interim reply */
	c->complete = true;
	c->persists = llhttp_should_keep_alive(parser) != 0;
	return HPE_PAUSED;
}

static const llhttp_settings_t settings = {
	.on_status = on_head_bytes,
	.on_header_field = on_head_bytes,
	.on_header_value = on_head_bytes,
	.on_chunk_extension_name = on_head_bytes,
	.on_chunk_extension_value = on_head_bytes,
	.on_headers_complete = on_headers_complete,
	.on_body = on_body,
	.on_message_complete = on_complete,
};

static void finish(struct conn *c)
{
	struct fetch *fetch = c->fetch;

	if (c->parser.status_code == 200)
		fetch_done(fetch);
	else
		fetch_failed(fetch, 502, "the upstream answered with status %d",
			(int)c->parser.status_code);
	conn_release(c);
}

/* The upstream has closed, which may be the end of a reply without a length. */
static void on_end(struct conn *c)
{
	if (c->fetch != NULL && c->began && llhttp_finish(&c->parser) != HPE_OK && !c->complete) {
		conn_lost(c, "the upstream closed the connection in its reply");
	} else if (c->complete) {
		c->persists = false;
		finish(c);
	} else {
		conn_lost(c, "the upstream closed the connection");
	}
}

static void on_bytes(struct conn *c, const char *data, size_t len)
{
	llhttp_errno_t error;

	c->began = true;
	error = llhttp_execute(&c->parser, data, len);
	if (error == HPE_OK)
		return;
	if (!c->complete) {
		conn_lost(c, "the upstream sent a broken reply");
		return;
	}
	/* Nobody asked for what comes behind the reply. */
	if (llhttp_get_error_pos(&c->parser) != data + len)
		c->persists = false;
	llhttp_resume(&c->parser);
	finish(c);
}

static void on_readable(evutil_socket_t fd, short events, void *arg)
{
	struct conn *c = arg;
	struct rest *rest = c->rest;
	ssize_t n = recv(fd, rest->rx, sizeof(rest->rx), 0);

	(void)events;
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (c->fetch == NULL)
		conn_free(c);
	else if (n < 0)
		conn_lost(c, "the upstream reset the connection");
	else if (n == 0)
		on_end(c);
	else
		on_bytes(c, rest->rx, (size_t)n);
}

static void on_connected(evutil_socket_t fd, short events, void *arg)
{
	struct conn *c = arg;

	(void)events;
	if (upstream_connected(&c->rest->upstream, fd) != 0) {
		conn_lost(c, "cannot connect to the upstream");
		return;
	}
	event_assign(
		c->event, proxy_base(c->rest->proxy), fd, EV_READ | EV_PERSIST, on_readable, c);
	if (event_add(c->event, NULL) == 0)
		send_request(c);
	else
		conn_lost(c, "out of memory");
}

/* Return: 0, or -1 when it cannot connect. */
static int conn_open(struct rest *rest, struct fetch *fetch)
{
	int fd = upstream_connect(&rest->upstream);
	struct conn *c;

	if (fd < 0)
		return -1;
	c = calloc(1, sizeof(*c));
	if (c == NULL) {
		close(fd);
		return -1;
	}
	c->rest = rest;
	c->fd = fd;
	llhttp_init(&c->parser, HTTP_RESPONSE, &settings);
	c->parser.data = c;
	LIST_INSERT_HEAD(&rest->busy, c, link);
	rest->n_conns++;
	c->event = event_new(proxy_base(rest->proxy), fd, EV_WRITE, on_connected, c);
	if (c->event == NULL || event_add(c->event, NULL) != 0) {
		conn_free(c);
		return -1;
	}
	c->fetch = fetch;
	fetch->at = c;
	return 0;
}

static void rest_start(void *state, struct fetch *fetch)
{
	struct rest *rest = state;
	struct conn *idle = LIST_FIRST(&rest->idle);

	fetch->at = NULL;
	if (idle != NULL) {
		take(idle, fetch);
		return;
	}
	TAILQ_INSERT_TAIL(&rest->queue, fetch, turn);
	feed(rest);
}

static void rest_cancel(void *state, struct fetch *fetch)
{
	struct rest *rest = state;

	if (fetch->at == NULL) {
		TAILQ_REMOVE(&rest->queue, fetch, turn);
		return;
	}
	conn_free(fetch->at);
	feed(rest);
}

const struct leg rest_leg = {.start = rest_start, .cancel = rest_cancel};

struct rest *rest_new(const struct proxy *proxy)
{
	const struct proxy_options *options = proxy_options(proxy);
	struct rest *rest = calloc(1, sizeof(*rest));

	if (rest == NULL) {
		fail_errno("cannot set up a worker");
		return NULL;
	}
	rest->proxy = proxy;
	LIST_INIT(&rest->idle);
	LIST_INIT(&rest->busy);
	TAILQ_INIT(&rest->queue);
	if (upstream_init(&rest->upstream, options->host, options->port) != 0) {
		free(rest);
		return NULL;
	}
	rest->request_len = (size_t)snprintf(rest->request, sizeof(rest->request),
		"GET /cities HTTP/1.1\r\nHost: %s\r\nAccept: application/json\r\n\r\n",
		rest->upstream.name);
	return rest;
}

void rest_drain(struct rest *rest)
{
	while (!LIST_EMPTY(&rest->idle))
		conn_free(LIST_FIRST(&rest->idle));
}

void rest_free(struct rest *rest)
{
	if (rest == NULL)
		return;
	rest_drain(rest);
	while (!LIST_EMPTY(&rest->busy))
		conn_free(LIST_FIRST(&rest->busy));
	free(rest);
}
