#include <event2/buffer.h>
#include <event2/event.h>
#include <event2/listener.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "lib/buf.h"
#include "lib/clock.h"
#include "lib/fail.h"
#include "servers/common/count.h"
#include "servers/http-evhttp/service.h"

/* With these allowed, evhttp leaves it to the routes to answer 405; to others it answers 501. */
#define METHODS                                                                                    \
	(EVHTTP_REQ_GET | EVHTTP_REQ_HEAD | EVHTTP_REQ_POST | EVHTTP_REQ_PUT | EVHTTP_REQ_DELETE | \
		EVHTTP_REQ_OPTIONS | EVHTTP_REQ_TRACE | EVHTTP_REQ_PATCH)

/* A route as evhttp calls it. */
struct binding {
	struct service *service;
	const struct evhttp_route *route;
};

struct service {
	struct srv_worker *worker;
	struct evhttp *http;
	struct evhttp_bound_socket *socket;
	struct event *tick;
	char date[sizeof("Sun, 06 Nov 1994 08:49:37 GMT")];
	struct buf body; /* of the reply being made */
	struct binding *bindings;
};

/* Sends service->body with the header fields in the order of the other HTTP servers. */
static void send_reply(
	struct service *service, struct evhttp_request *request, int status, const char *type)
{
	struct evkeyvalq *fields = evhttp_request_get_output_headers(request);
	struct buf *body = &service->body;
	char length[24];

	snprintf(length, sizeof(length), "%zu", buf_len(body));
	evhttp_add_header(fields, "Content-Type", type);
	evhttp_add_header(fields, "Content-Length", length);
	if (service->worker->draining)
		evhttp_add_header(fields, "Connection", "close");
	/* evhttp would send it after the reply to HEAD, too. */
	if (evhttp_request_get_command(request) != EVHTTP_REQ_HEAD)
		evbuffer_add(
			evhttp_request_get_output_buffer(request), buf_head(body), buf_len(body));
	evhttp_send_reply(request, status, NULL, NULL);
}

static void begin_reply(struct service *service, struct evhttp_request *request)
{
	struct evkeyvalq *fields = evhttp_request_get_output_headers(request);

	count_request();
	evhttp_add_header(fields, "Server", "rpcbench");
	evhttp_add_header(fields, "Date", service->date);
	buf_clear(&service->body);
}

static void on_request(struct evhttp_request *request, void *arg)
{
	const struct binding *binding = arg;
	const struct evhttp_route *route = binding->route;
	struct evbuffer *input = evhttp_request_get_input_buffer(request);
	enum evhttp_cmd_type method = evhttp_request_get_command(request);
	struct slice body = {(const char *)evbuffer_pullup(input, -1), evbuffer_get_length(input)};
	const char *query = evhttp_uri_get_query(evhttp_request_get_evhttp_uri(request));
	int status;

	begin_reply(binding->service, request);
	if (method == EVHTTP_REQ_HEAD)
		method = EVHTTP_REQ_GET;
	if (method != route->method) {
		evhttp_add_header(evhttp_request_get_output_headers(request), "Allow",
			route->method == EVHTTP_REQ_GET ? "GET, HEAD" : "POST");
		buf_printf(&binding->service->body, "405 Method Not Allowed\n");
		send_reply(binding->service, request, 405, "text/plain");
		return;
	}
	status = route->handle(slice_of(query != NULL ? query : ""), body, &binding->service->body);
	if (status < 0) {
		buf_clear(&binding->service->body);
		status = 500;
	}
	send_reply(binding->service, request, status, route->type);
}

static void on_unknown(struct evhttp_request *request, void *arg)
{
	struct service *service = arg;

	begin_reply(service, request);
	buf_printf(&service->body, "404 Not Found\n");
	send_reply(service, request, 404, "text/plain");
}

static void on_tick(evutil_socket_t fd, short events, void *arg)
{
	struct service *service = arg;
	time_t now = time(NULL);
	struct tm tm;

	(void)fd;
	(void)events;
	gmtime_r(&now, &tm);
	strftime(service->date, sizeof(service->date), "%a, %d %b %Y %H:%M:%S GMT", &tm);
	/* Accepting stops when descriptors run out. */
	evconnlistener_enable(evhttp_bound_socket_get_listener(service->socket));
}

/* Without this, evhttp would try again and again, with a warning each time. */
static void on_accept_error(struct evconnlistener *listener, void *arg)
{
	(void)arg;
	evconnlistener_disable(listener);
}

static int bind_routes(struct service *service)
{
	const struct evhttp_route *routes = service->worker->spec->arg;
	size_t n = 0;

	while (routes[n].path != NULL)
		n++;
	service->bindings = calloc(n, sizeof(*service->bindings));
	if (service->bindings == NULL)
		return -1;
	for (size_t i = 0; i < n; i++) {
		service->bindings[i] = (struct binding){service, &routes[i]};
		if (evhttp_set_cb(
			    service->http, routes[i].path, on_request, &service->bindings[i]) != 0)
			return -1;
	}
	evhttp_set_gencb(service->http, on_unknown, service);
	return 0;
}

static int service_start(struct srv_worker *worker)
{
	const struct srv_options *options = worker->options;
	const struct timeval second = {.tv_sec = 1};
	const struct timeval idle = {.tv_sec = options->idle_ns / NS_PER_S,
		.tv_usec = options->idle_ns % NS_PER_S / NS_PER_US};
	struct service *service = calloc(1, sizeof(*service));

	if (service == NULL)
		return fail_errno("cannot set up a worker");
	worker->service = service;
	service->worker = worker;
	service->http = evhttp_new(worker->base);
	service->tick = event_new(worker->base, -1, EV_PERSIST, on_tick, service);
	if (service->http == NULL || service->tick == NULL || bind_routes(service) != 0)
		return fail_msg("cannot set up evhttp");

	evhttp_set_allowed_methods(service->http, METHODS);
	evhttp_set_max_headers_size(service->http, (ev_ssize_t)options->header_limit);
	evhttp_set_max_body_size(service->http, (ev_ssize_t)options->body_limit);
	evhttp_set_timeout_tv(service->http, &idle);
	service->socket = evhttp_accept_socket_with_handle(service->http, worker->listen_fd);
	if (service->socket == NULL || event_add(service->tick, &second) != 0)
		return fail_msg("cannot set up evhttp");
	evconnlistener_set_error_cb(
		evhttp_bound_socket_get_listener(service->socket), on_accept_error);
	on_tick(-1, 0, service);
	return 0;
}

static void service_drain(struct srv_worker *worker)
{
	struct service *service = worker->service;

	/* One turn of the loop accepts what the kernel has already taken on our behalf. */
	event_base_loop(worker->base, EVLOOP_NONBLOCK);
	event_del(service->tick);
	evhttp_del_accept_socket(service->http, service->socket);
	service->socket = NULL;
	worker->listen_fd = -1; /* closed with it */
}

static void service_stop(struct srv_worker *worker)
{
	struct service *service = worker->service;

	if (service == NULL)
		return;
	if (service->http != NULL)
		evhttp_free(service->http);
	if (service->socket != NULL)
		worker->listen_fd = -1; /* closed by evhttp_free() */
	if (service->tick != NULL)
		event_free(service->tick);
	buf_free(&service->body);
	free(service->bindings);
	free(service);
	worker->service = NULL;
}

const struct srv_service evhttp_service = {
	.start = service_start,
	.drain = service_drain,
	.stop = service_stop,
};
