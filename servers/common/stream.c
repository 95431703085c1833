/*
 * service_start: listener and tick on the worker's loop
 *   on_accept -> accept_batch -> stream_open
 *   on_readable: one read -> process: ops->input -> send_replies
 *   on_writable: the peer read what it was owed -> send_replies -> process what was left
 *   settle, after each of them: the end, when a last reply or a drain asks for it
 *   on_tick, once a second: deadlines, idle connections
 * stream_finish: the last reply is written -> shutdown -> linger until the peer closes
 * stream_free: the only teardown
 */
#include <errno.h>
#include <event2/event.h>
#include <stdlib.h>
#include <sys/queue.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "lib/buf.h"
#include "lib/clock.h"
#include "lib/fail.h"
#include "servers/common/stream.h"

#define ACCEPT_BATCH 64       /* connections taken per wake-up, so that others get their turn */
#define TICK_NS      NS_PER_S /* the service's clock is at most this old */
#define LINGER_NS    NS_PER_S /* how long a closed connection's late bytes are dropped */
/* An edge tells of bytes once, which spares the kernel to look at the socket again after each read;
 * EV_CLOSED tells that the end of the stream came with them. */
#define READ_EVENTS (EV_READ | EV_CLOSED | EV_PERSIST | EV_ET)
#define OUT_KEEP    (1 << 20) /* bytes of reply buffer that a worker keeps for good */

struct stream {
	LIST_ENTRY(stream) link;
	struct service *service;
	struct event *event; /* of the one thing waited for: bytes, or room to write */
	int fd;
	bool writing;        /* waits for room to write; nothing is read meanwhile */
	bool paused;         /* the protocol waits, and enough was read */
	bool closing;        /* no more input; close when out is empty */
	bool lingering;      /* everything sent and shut down; input is dropped */
	int64_t active_ns;   /* service->now_ns of the last read or write */
	int64_t deadline_ns; /* 0 = none */
	struct buf in;       /* bytes that input() has not taken yet */
	struct buf out;      /* bytes that the socket has not taken yet */
	max_align_t state[];
};

/* A worker's side of the service. */
struct service {
	struct srv_worker *worker;
	const struct stream_protocol *protocol;
	struct event *accept;
	bool starved;       /* accepting stopped, for lack of descriptors or memory */
	struct event *tick; /* of tick_fd */
	int tick_fd; /* a timer of libevent's would make each turn of its loop read the clock */
	LIST_HEAD(streams, stream) streams;
	int64_t now_ns; /* refreshed each TICK_NS: exact enough for timeouts in seconds */
	int64_t unix_time;
	struct buf out; /* replies of the read being processed */
	char rx[STREAM_READ_SIZE];
};

static void on_readable(evutil_socket_t fd, short events, void *arg);
static void on_writable(evutil_socket_t fd, short events, void *arg);

/* Takes up accepting again; a try in vain stops it. */
static void accept_again(struct service *service)
{
	if (!service->starved || service->worker->draining)
		return;
	service->starved = false;
	event_add(service->accept, NULL);
}

static void stream_free(struct stream *s)
{
	const struct stream_ops *ops = s->service->protocol->ops;

	LIST_REMOVE(s, link);
	if (ops->close != NULL)
		ops->close(s->state);
	if (s->event != NULL)
		event_free(s->event);
	close(s->fd);
	accept_again(s->service);
	buf_free(&s->in);
	buf_free(&s->out);
	free(s);
}

/* Waits for bytes, or for room to write. Return: 0, or -1 when the stream is gone. */
static int wait_for(struct stream *s, bool writing)
{
	short events = writing ? EV_WRITE | EV_PERSIST : READ_EVENTS;

	s->writing = writing;
	event_del(s->event);
	event_assign(s->event, s->service->worker->base, s->fd, events,
		writing ? on_writable : on_readable, s);
	if (event_add(s->event, NULL) == 0)
		return 0;
	stream_free(s);
	return -1;
}

void stream_set_deadline(struct stream *s, int64_t ns)
{
	s->deadline_ns = ns > 0 ? s->service->now_ns + TICK_NS + ns : 0;
}

void stream_close_after(struct stream *s)
{
	s->closing = true;
}

int64_t stream_unix_time(const struct stream *s)
{
	return s->service->unix_time;
}

/* Everything owed is written. Ends the stream, or lets late bytes of the peer run dry first: a
 * close with unread bytes would reset the connection and could destroy the last reply. */
static void stream_finish(struct stream *s)
{
	if (s->lingering || shutdown(s->fd, SHUT_WR) != 0) {
		stream_free(s);
		return;
	}
	s->lingering = true;
	buf_free(&s->in);
	stream_set_deadline(s, LINGER_NS);
}

/* Writes the service's collected replies, or what was left of earlier ones. Return: 1 when all
 * is written, 0 when the peer must read first, -1 when the stream is gone. */
static int send_replies(struct stream *s, struct buf *out)
{
	while (buf_len(out) > 0) {
		ssize_t n = send(s->fd, buf_head(out), buf_len(out), MSG_NOSIGNAL);

		if (n >= 0) {
			buf_consume(out, (size_t)n);
			continue;
		}
		if (errno == EINTR)
			continue;
		if (errno != EAGAIN)
			goto gone;
		if (out == &s->out)
			return 0;
		if (buf_append(&s->out, buf_head(out), buf_len(out)) != 0)
			goto gone;
		buf_clear(out);
		return wait_for(s, true);
	}
	return 1;

gone:
	buf_clear(&s->service->out);
	stream_free(s);
	return -1;
}

/* Keeps in s->in what input() did not take; where @data came from there, it is its end. */
static int keep_rest(struct stream *s, const char *data, size_t len)
{
	if (buf_len(&s->in) == 0)
		return buf_append(&s->in, data, len);
	buf_consume(&s->in, buf_len(&s->in) - len);
	if (len == 0)
		buf_free(&s->in);
	return 0;
}

static bool is_busy(const struct stream *s)
{
	const struct stream_ops *ops = s->service->protocol->ops;

	return s->writing || (ops->busy != NULL && ops->busy(s->state));
}

static bool holds_replies(const struct stream *s)
{
	const struct stream_ops *ops = s->service->protocol->ops;

	return ops->holds != NULL && ops->holds(s->state);
}

static bool waits(const struct stream *s)
{
	const struct stream_ops *ops = s->service->protocol->ops;

	return ops->waits != NULL && ops->waits(s->state);
}

/* After bytes were answered or written: ends the stream if it was its last turn. */
static void settle(struct stream *s)
{
	if (s->service->worker->draining && !is_busy(s))
		s->closing = true;
	if (s->closing && !s->writing)
		stream_finish(s);
}

/* Hands bytes to the protocol, with one write for all replies, or one for each STREAM_OUT_HIGH of
 * them. @data is the whole of s->in, or what was just read while that is empty. */
static void process(struct stream *s, const char *data, size_t len)
{
	struct service *service = s->service;
	const struct stream_ops *ops = service->protocol->ops;
	bool more;
	int sent;

	do {
		ssize_t taken = ops->input(s->state, data, len, &service->out);

		if (taken < 0) {
			s->closing = true;
			taken = 0;
		}
		data += taken;
		len -= (size_t)taken;
		more = buf_len(&service->out) >= STREAM_OUT_HIGH;
		sent = send_replies(s, &service->out);
		if (sent < 0)
			return;
	} while (more && sent == 1 && (len > 0 || holds_replies(s)) && !s->closing);

	if (service->out.cap > OUT_KEEP)
		buf_free(&service->out);
	if (!s->closing && keep_rest(s, data, len) != 0)
		stream_free(s);
	else
		settle(s);
}

/* Hands in again what input() did not take, which may be nothing. */
static void process_rest(struct stream *s)
{
	size_t len = buf_len(&s->in);

	process(s, len > 0 ? buf_head(&s->in) : s->service->rx, len);
}

void stream_wake(struct stream *s)
{
	if (s->writing || s->closing)
		return;
	if (s->paused && wait_for(s, false) != 0)
		return;
	s->paused = false;
	process_rest(s);
}

/* True when the peer has reset the connection. */
static bool has_error(int fd)
{
	int error = 0;
	socklen_t len = sizeof(error);

	return getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &len) != 0 || error != 0;
}

static void on_readable(evutil_socket_t fd, short events, void *arg)
{
	struct stream *s = arg;
	struct service *service = s->service;
	ssize_t n;

	s->paused = buf_len(&s->in) >= STREAM_READ_SIZE && waits(s);
	if (s->paused) {
		if ((events & EV_CLOSED) || has_error(fd))
			stream_free(s);
		return;
	}
	n = recv(fd, service->rx, sizeof(service->rx), 0);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		stream_free(s);
		return;
	}
	s->active_ns = service->now_ns;
	/* There may be more than this edge told of. */
	if (((size_t)n == sizeof(service->rx) || (events & EV_CLOSED)) && wait_for(s, false) != 0)
		return;
	if (s->lingering)
		return;
	if (buf_len(&s->in) == 0)
		process(s, service->rx, (size_t)n);
	else if (buf_append(&s->in, service->rx, (size_t)n) == 0)
		process(s, buf_head(&s->in), buf_len(&s->in));
	else
		stream_free(s);
}

static void on_writable(evutil_socket_t fd, short events, void *arg)
{
	struct stream *s = arg;
	int sent = send_replies(s, &s->out);

	(void)fd;
	(void)events;
	if (sent < 0)
		return;
	s->active_ns = s->service->now_ns;
	if (sent == 0)
		return;
	buf_free(&s->out);
	if (wait_for(s, false) != 0)
		return;
	if ((buf_len(&s->in) > 0 || holds_replies(s)) && !s->closing)
		process_rest(s);
	else
		settle(s);
}

static void stream_open(struct service *service, int fd)
{
	const struct stream_ops *ops = service->protocol->ops;
	struct stream *s = calloc(1, sizeof(*s) + ops->state_size);

	if (s == NULL) {
		close(fd);
		return;
	}
	s->service = service;
	s->fd = fd;
	s->active_ns = service->now_ns;
	LIST_INSERT_HEAD(&service->streams, s, link);
	s->event = event_new(service->worker->base, fd, READ_EVENTS, on_readable, s);
	if (s->event == NULL || ops->open(s->state, s, service->worker) != 0 ||
		event_add(s->event, NULL) != 0)
		stream_free(s);
}

/* Return: true when there may be more to accept. */
static bool accept_batch(struct service *service)
{
	for (int i = 0; i < ACCEPT_BATCH; i++) {
		int fd = accept4(
			service->worker->listen_fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);

		if (fd >= 0) {
			stream_open(service, fd);
			continue;
		}
		/* The backlog waits until a connection ends, or the next tick, without spinning. */
		if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
			service->starved = true;
			event_del(service->accept);
		}
		if (errno != ECONNABORTED && errno != EINTR)
			return false;
	}
	return true;
}

static void on_accept(evutil_socket_t fd, short events, void *arg)
{
	(void)fd;
	(void)events;
	accept_batch(arg);
}

/* Its time is over: a last word of the protocol, if it has one, then the end. */
static void expire(struct stream *s, void (*last_word)(void *state, struct buf *out))
{
	struct service *service = s->service;

	if (s->lingering || s->writing || last_word == NULL) {
		stream_free(s);
		return;
	}
	s->closing = true;
	last_word(s->state, &service->out);
	if (send_replies(s, &service->out) == 1)
		stream_finish(s);
}

static void refresh_clock(struct service *service)
{
	service->now_ns = clock_ns();
	service->unix_time = time(NULL);
}

static void on_tick(evutil_socket_t fd, short events, void *arg)
{
	struct service *service = arg;
	const struct stream_ops *ops = service->protocol->ops;
	int64_t idle_ns = service->worker->options->idle_ns;
	struct stream *s;
	struct stream *next;
	uint64_t ticks;

	(void)events;
	if (read(fd, &ticks, sizeof(ticks)) < 0)
		return;
	refresh_clock(service);
	for (s = LIST_FIRST(&service->streams); s != NULL; s = next) {
		next = LIST_NEXT(s, link);
		if (service->now_ns - s->active_ns >= idle_ns + TICK_NS && !waits(s))
			expire(s, ops->idle);
		else if (!s->writing && s->deadline_ns != 0 && service->now_ns >= s->deadline_ns)
			expire(s, ops->expired);
	}
	accept_again(service);
}

static int service_start(struct srv_worker *worker)
{
	const struct itimerspec tick = {
		.it_value.tv_sec = TICK_NS / NS_PER_S, .it_interval.tv_sec = TICK_NS / NS_PER_S};
	struct service *service = calloc(1, sizeof(*service));

	if (service == NULL)
		return fail_errno("cannot set up a worker");
	worker->service = service;
	service->worker = worker;
	service->protocol = worker->spec->arg;
	LIST_INIT(&service->streams);
	refresh_clock(service);
	service->tick_fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
	if (service->tick_fd < 0 || timerfd_settime(service->tick_fd, 0, &tick, NULL) != 0)
		return fail_errno("cannot set up a worker's timer");
	service->accept = event_new(
		worker->base, worker->listen_fd, EV_READ | EV_PERSIST, on_accept, service);
	service->tick =
		event_new(worker->base, service->tick_fd, EV_READ | EV_PERSIST, on_tick, service);
	if (service->accept == NULL || service->tick == NULL ||
		event_add(service->accept, NULL) != 0 || event_add(service->tick, NULL) != 0)
		return fail_msg("cannot set up a worker's events");
	return 0;
}

/* Connections that the kernel has already taken on our behalf are ours to answer, and so is a
 * request that has already arrived on a connection that looks idle. */
static void service_drain(struct srv_worker *worker)
{
	struct service *service = worker->service;
	const struct stream_ops *ops = service->protocol->ops;
	struct stream *s;
	struct stream *next;
	char byte;

	while (accept_batch(service))
		;
	event_del(service->accept);
	event_del(service->tick);
	close(worker->listen_fd);
	worker->listen_fd = -1;
	for (s = LIST_FIRST(&service->streams); s != NULL; s = next) {
		next = LIST_NEXT(s, link);
		if (ops->drain != NULL && !s->closing) {
			ops->drain(s->state);
			stream_wake(s);
			continue;
		}
		if (is_busy(s) || s->lingering)
			continue;
		if (recv(s->fd, &byte, 1, MSG_PEEK) > 0)
			on_readable(s->fd, 0, s);
		else
			stream_free(s);
	}
}

static void service_stop(struct srv_worker *worker)
{
	struct service *service = worker->service;

	if (service == NULL)
		return;
	while (!LIST_EMPTY(&service->streams))
		stream_free(LIST_FIRST(&service->streams));
	if (service->accept != NULL)
		event_free(service->accept);
	if (service->tick != NULL)
		event_free(service->tick);
	if (service->tick_fd >= 0)
		close(service->tick_fd);
	buf_free(&service->out);
	free(service);
	worker->service = NULL;
}

const struct srv_service stream_service = {
	.start = service_start,
	.drain = service_drain,
	.stop = service_stop,
};
