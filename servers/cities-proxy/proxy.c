/*
 * proxy_get_*: a handler puts its reply off -> get: leg->start
 *   fetch_done, fetch_failed: from a leg -> the list of those that are done
 *   on_work, once in a turn of the loop: http1_ready for each of them -> later_answer
 *   on_timer: the deadline of the oldest
 *   later_gone: the client has gone -> leg->cancel
 */
#include <event2/event.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/clock.h"
#include "lib/fail.h"
#include "servers/cities-proxy/decode.h"
#include "servers/cities-proxy/fetch.h"
#include "servers/cities-proxy/grpc.h"
#include "servers/cities-proxy/proxy.h"
#include "servers/cities-proxy/rest.h"
#include "servers/common/cities_json.h"
#include "servers/common/http_json.h"

struct proxy {
	const struct srv_worker *worker;
	struct rest *rest;
	struct grpc *grpc;
	struct fetches timed; /* oldest first, which has the first deadline */
	struct fetches done;
	struct event *timer; /* runs while a fetch is timed */
	struct event *work;
	bool drains;
};

struct event_base *proxy_base(const struct proxy *proxy)
{
	return proxy->worker->base;
}

const struct proxy_options *proxy_options(const struct proxy *proxy)
{
	return (const struct proxy_options *)proxy->worker->options;
}

bool proxy_drains(const struct proxy *proxy)
{
	return proxy->drains;
}

/* Sets the timer for the oldest, or none. */
static void set_timer(struct proxy *proxy)
{
	const struct fetch *oldest = TAILQ_FIRST(&proxy->timed);
	int64_t left;
	struct timeval wait;

	if (oldest == NULL) {
		event_del(proxy->timer);
		return;
	}
	left = oldest->start_ns + proxy_options(proxy)->timeout_ns - clock_ns();
	left = left > 0 ? left / NS_PER_US + 1 : 0;
	wait = (struct timeval){left / 1000000, left % 1000000};
	event_add(proxy->timer, &wait);
}

static void untime(struct fetch *fetch)
{
	struct proxy *proxy = fetch->proxy;

	TAILQ_REMOVE(&proxy->timed, fetch, timed);
	if (TAILQ_EMPTY(&proxy->timed))
		event_del(proxy->timer);
}

static void set_done(struct fetch *fetch, int status)
{
	struct proxy *proxy = fetch->proxy;

	untime(fetch);
	fetch->status = status;
	fetch->stage = FETCH_DONE;
	TAILQ_INSERT_TAIL(&proxy->done, fetch, turn);
	event_active(proxy->work, EV_TIMEOUT, 0);
}

void fetch_done(struct fetch *fetch)
{
	set_done(fetch, 200);
}

void fetch_failed(struct fetch *fetch, int status, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(fetch->error, sizeof(fetch->error), format, args);
	va_end(args);
	set_done(fetch, status);
}

static void fetch_free(struct fetch *fetch)
{
	buf_free(&fetch->body);
	free(fetch);
}

static int answer_error(struct http1_reply *reply, int status, const char *error)
{
	struct buf *out = http1_reply_begin(reply, status, HTTP_JSON_TYPE, FETCH_ERROR_MAX);

	return out != NULL ? buf_printf(out, "{\"error\":\"%s\"}", error) : -1;
}

static int later_answer(struct http1_later *later, struct http1_reply *reply)
{
	struct fetch *fetch = (struct fetch *)later;
	int result;

	if (fetch->status == 200)
		result = fetch->answer(fetch, reply);
	else
		result = answer_error(reply, fetch->status, fetch->error);
	fetch_free(fetch);
	return result;
}

static void later_gone(struct http1_later *later)
{
	struct fetch *fetch = (struct fetch *)later;

	if (fetch->stage == FETCH_RUNS) {
		fetch->leg->cancel(fetch->leg_state, fetch);
		untime(fetch);
	} else if (fetch->stage == FETCH_DONE) {
		TAILQ_REMOVE(&fetch->proxy->done, fetch, turn);
	}
	fetch_free(fetch);
}

static void on_timer(evutil_socket_t fd, short events, void *arg)
{
	struct proxy *proxy = arg;
	int64_t past = clock_ns() - proxy_options(proxy)->timeout_ns;
	struct fetch *oldest;

	(void)fd;
	(void)events;
	while ((oldest = TAILQ_FIRST(&proxy->timed)) != NULL && oldest->start_ns <= past) {
		oldest->leg->cancel(oldest->leg_state, oldest);
		fetch_failed(oldest, 504, "the upstream took too long");
	}
	set_timer(proxy);
}

/* What is to be sent goes out, and what is done is answered. */
static void on_work(evutil_socket_t fd, short events, void *arg)
{
	struct proxy *proxy = arg;
	struct fetch *fetch;

	(void)fd;
	(void)events;
	while ((fetch = TAILQ_FIRST(&proxy->done)) != NULL) {
		TAILQ_REMOVE(&proxy->done, fetch, turn);
		fetch->stage = FETCH_READY;
		http1_ready(&fetch->later);
	}
	grpc_send(proxy->grpc);
}

void proxy_work(const struct proxy *proxy)
{
	event_active(proxy->work, EV_TIMEOUT, 0);
}

/* Puts the reply off and begins a fetch as @model. Return: 0 or -1. */
static int get(
	const struct http1_request *request, struct http1_reply *reply, const struct fetch *model)
{
	struct proxy *proxy = request->worker->app;
	struct fetch *fetch = malloc(sizeof(*fetch));
	bool first = TAILQ_EMPTY(&proxy->timed);

	if (fetch == NULL)
		return -1;
	*fetch = *model;
	fetch->later = (struct http1_later){.answer = later_answer, .gone = later_gone};
	fetch->proxy = proxy;
	fetch->start_ns = clock_ns();
	TAILQ_INSERT_TAIL(&proxy->timed, fetch, timed);
	if (first)
		set_timer(proxy);
	http1_later(reply, &fetch->later);
	fetch->leg_state = fetch->leg == &rest_leg ? (void *)proxy->rest : (void *)proxy->grpc;
	fetch->leg->start(fetch->leg_state, fetch);
	return 0;
}

static int print_cities(struct http1_reply *reply, const struct cities *cities)
{
	struct buf *out =
		http1_reply_begin(reply, 200, HTTP_JSON_TYPE, cities->n * CITIES_JSON_CITY_LEN);

	return out != NULL ? cities_json(out, cities) : -1;
}

static int answer_decoded(struct fetch *fetch, struct http1_reply *reply,
	int (*decode)(struct decoded *decoded, struct buf *body))
{
	struct decoded decoded;
	int result;

	if (decode(&decoded, &fetch->body) == 0)
		result = print_cities(reply, &decoded.cities);
	else
		result = answer_error(reply, 502, "the upstream sent no list of cities");
	decoded_free(&decoded);
	return result;
}

static int answer_rest(struct fetch *fetch, struct http1_reply *reply)
{
	return answer_decoded(fetch, reply, decode_json);
}

static int answer_grpc(struct fetch *fetch, struct http1_reply *reply)
{
	return answer_decoded(fetch, reply, decode_protobuf);
}

static int answer_raw(struct fetch *fetch, struct http1_reply *reply)
{
	struct slice body = {buf_head(&fetch->body), buf_len(&fetch->body)};

	return http1_reply_body(reply, 200, HTTP_JSON_TYPE, body);
}

int proxy_get_rest(const struct http1_request *request, struct http1_reply *reply)
{
	static const struct fetch model = {.leg = &rest_leg, .answer = answer_rest};

	return get(request, reply, &model);
}

int proxy_get_grpc(const struct http1_request *request, struct http1_reply *reply)
{
	static const struct fetch model = {.leg = &grpc_leg, .answer = answer_grpc};

	return get(request, reply, &model);
}

int proxy_get_raw(const struct http1_request *request, struct http1_reply *reply)
{
	static const struct fetch model = {.leg = &rest_leg, .answer = answer_raw};

	return get(request, reply, &model);
}

static int proxy_start(struct srv_worker *worker)
{
	struct proxy *proxy = calloc(1, sizeof(*proxy));

	if (proxy == NULL)
		return fail_errno("cannot set up a worker");
	worker->app = proxy;
	proxy->worker = worker;
	TAILQ_INIT(&proxy->timed);
	TAILQ_INIT(&proxy->done);
	proxy->timer = evtimer_new(worker->base, on_timer, proxy);
	proxy->work = event_new(worker->base, -1, 0, on_work, proxy);
	if (proxy->timer == NULL || proxy->work == NULL)
		return fail_msg("cannot set up a worker's events");
	proxy->rest = rest_new(proxy);
	proxy->grpc = grpc_new(proxy);
	if (proxy->rest == NULL || proxy->grpc == NULL)
		return -1;
	return stream_service.start(worker);
}

static void proxy_drain(struct srv_worker *worker)
{
	struct proxy *proxy = worker->app;

	stream_service.drain(worker);
	proxy->drains = true;
	rest_drain(proxy->rest);
	grpc_send(proxy->grpc);
}

/* The streams go first, and cancel what they wait for. */
static void proxy_stop(struct srv_worker *worker)
{
	struct proxy *proxy = worker->app;

	stream_service.stop(worker);
	if (proxy == NULL)
		return;
	rest_free(proxy->rest);
	grpc_free(proxy->grpc);
	if (proxy->timer != NULL)
		event_free(proxy->timer);
	if (proxy->work != NULL)
		event_free(proxy->work);
	free(proxy);
	worker->app = NULL;
}

const struct srv_service proxy_service = {
	.start = proxy_start,
	.drain = proxy_drain,
	.stop = proxy_stop,
};
