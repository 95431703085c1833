/*
 * The life of a request, top to bottom:
 *
 *   conn_open     a connection begins
 *   conn_fill     where requests begin; conn_take in an open loop
 *   conn_send     one write for all that is queued
 *   on_readable   one read, one reading of the clock, feed -> on_done; then fill and send again
 *   on_done       the only place where requests end
 *   conn_drop     the only teardown; the connection is set up again, at once or after a back-off
 */
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "harness/load/conn.h"
#include "harness/load/pace.h"
#include "harness/load/target.h"
#include "harness/load/worker.h"
#include "lib/clock.h"

#define BACKOFF_MIN_NS (1 * NS_PER_MS)
#define BACKOFF_MAX_NS (100 * NS_PER_MS)
#define SOURCE_TRIES   16 /* local addresses whose ports have run out, before that is an error */
#define READS_A_TURN   16 /* full reads of one connection before others get their turn */

static void conn_drop(struct conn *c, enum outcome outcome);

static bool in_window(const struct worker *w, int64_t at_ns)
{
	return at_ns >= w->window_ns && at_ns < w->window_end_ns;
}

/* ------------------------------------------------------------------ connecting */

int conn_init(struct conn *c, struct worker *worker)
{
	*c = (struct conn){
		.worker = worker,
		.fd = -1,
		.depth = (uint32_t)worker->params->pipeline,
	};
	c->start_ns = calloc(c->depth, sizeof(*c->start_ns));
	c->free_slots = calloc(c->depth, sizeof(*c->free_slots));
	if (worker->pace != NULL)
		c->planned_ns = calloc(c->depth, sizeof(*c->planned_ns));
	if (worker->pace != NULL && c->planned_ns == NULL)
		return -1;
	c->codec = calloc(1, worker->codec->state_size);
	return c->start_ns != NULL && c->free_slots != NULL && c->codec != NULL ? 0 : -1;
}

static void close_socket(struct conn *c)
{
	if (c->fd >= 0)
		close(c->fd);
	c->fd = -1;
	buf_free(&c->out);
	if (c->state != CONN_OPEN)
		return;
	c->worker->open_conns--;
	c->worker->alive_ns = c->worker->now_ns;
	if (c->worker->codec->close != NULL)
		c->worker->codec->close(c->codec);
}

void conn_free(struct conn *c)
{
	if (c->worker == NULL)
		return;
	close_socket(c);
	free(c->start_ns);
	free(c->planned_ns);
	free(c->free_slots);
	free(c->codec);
	*c = (struct conn){.fd = -1};
}

static enum outcome connect_outcome(int error)
{
	switch (error) {
	case ECONNREFUSED:
		return OUT_CONNECT_REFUSED;
	case EADDRNOTAVAIL:
	case EADDRINUSE:
		return OUT_ADDR_IN_USE;
	case ETIMEDOUT:
		return OUT_CONNECT_TIMEOUT;
	default:
		return OUT_CONNECT;
	}
}

/* A socket that connects, from the local address whose turn it is. Return: it, or -1 with errno. */
static int begin_connect(struct worker *w)
{
	const struct target *target = w->params->target;
	const struct sockaddr *address = (const struct sockaddr *)&target->address;
	int fd = socket(address->sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	int one = 1;
	int error;

	if (fd < 0)
		return -1;
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	if (source_bind(&w->params->source, w->connects++, fd) == 0 &&
		(connect(fd, address, target->address_len) == 0 || errno == EINPROGRESS))
		return fd;
	error = errno;
	close(fd);
	errno = error;
	return -1;
}

void conn_open(struct conn *c)
{
	struct worker *w = c->worker;
	uint32_t tries =
		w->params->source.count < SOURCE_TRIES ? w->params->source.count : SOURCE_TRIES;
	struct epoll_event event = {
		.events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET,
		.data.ptr = c,
	};

	c->state = CONN_CONNECTING;
	c->opened_ns = w->now_ns;
	do
		c->fd = begin_connect(w);
	while (c->fd < 0 && errno == EADDRNOTAVAIL && tries-- > 1);
	if (c->fd < 0 || epoll_ctl(w->epoll_fd, EPOLL_CTL_ADD, c->fd, &event) != 0)
		conn_drop(c, connect_outcome(errno));
}

static void on_done(void *ctx, uint32_t slot, enum outcome outcome, unsigned status, size_t bytes);

/* connect() has ended one way or the other. Return: true when the connection is open. */
static bool on_connected(struct conn *c)
{
	struct worker *w = c->worker;
	socklen_t len = sizeof(int);
	int error = 0;

	if (getsockopt(c->fd, SOL_SOCKET, SO_ERROR, &error, &len) != 0)
		error = errno;
	if (error != 0) {
		conn_drop(c, connect_outcome(error));
		return false;
	}
	for (uint32_t i = 0; i < c->depth; i++)
		c->free_slots[i] = i;
	c->free_head = 0;
	c->unsent = false;
	c->begun = 0;
	c->replies = 0;
	c->heard_ns = w->now_ns;
	c->reset = false;
	c->env = (struct codec_env){
		.shared = w->shared,
		.depth = c->depth,
		.ctx = c,
		.done = on_done,
	};
	memset(c->codec, 0, w->codec->state_size);
	c->state = CONN_OPEN;
	w->open_conns++;
	w->alive_ns = w->now_ns;
	if (w->codec->open(c->codec, &c->env) != 0) {
		conn_drop(c, OUT_CONNECT);
		return false;
	}
	if (!c->was_established)
		w->record->established++;
	else if (in_window(w, w->now_ns))
		w->record->reconnects++;
	c->was_established = true;
	return true;
}

/* ------------------------------------------------------------------ requests */

/* How many requests this connection may carry before it is replaced. */
static uint64_t request_limit(const struct worker *w)
{
	if (!w->params->keep_alive)
		return 1;
	return w->params->requests_per_connection > 0 ? w->params->requests_per_connection
						      : UINT64_MAX;
}

bool conn_take(struct conn *c)
{
	struct worker *w = c->worker;
	uint32_t slot = c->free_slots[c->free_head];
	int64_t planned_ns;
	bool held;

	if (c->state != CONN_OPEN || c->inflight == c->depth || c->begun >= request_limit(w) ||
		w->codec->submit(c->codec, slot) != 0)
		return false;
	planned_ns = pace_peek(w->pace);
	held = pace_take(w->pace);
	c->free_head = c->free_head + 1 < c->depth ? c->free_head + 1 : 0;
	c->start_ns[slot] = w->now_ns;
	c->planned_ns[slot] = planned_ns;
	c->inflight++;
	c->begun++;
	c->unsent = true;
	w->inflight++;
	w->begun_total++;
	if (planned_ns < w->window_ns)
		return true;
	w->record->sent++;
	if (w->quota != UINT64_MAX)
		w->quota--;
	if (!held)
		histogram_add(&w->record->send_lag, w->now_ns - planned_ns);
	return true;
}

/* In a closed loop as many as there are slots, in an open loop what has waited for one. */
static void conn_fill(struct conn *c)
{
	struct worker *w = c->worker;
	uint64_t limit = request_limit(w);
	uint64_t begun = 0;

	if (w->now_ns >= w->window_end_ns)
		return;
	if (w->pace != NULL) {
		while (pace_backlog(w->pace) > 0 && conn_take(c))
			;
		return;
	}
	while (c->inflight < c->depth && c->begun < limit && w->quota > 0) {
		uint32_t slot = c->free_slots[c->free_head];

		if (w->codec->submit(c->codec, slot) != 0)
			break;
		c->free_head = c->free_head + 1 < c->depth ? c->free_head + 1 : 0;
		c->start_ns[slot] = w->now_ns;
		c->inflight++;
		c->begun++;
		begun++;
		if (w->now_ns >= w->window_ns && w->quota != UINT64_MAX)
			w->quota--;
	}
	w->inflight += begun;
	w->begun_total += begun;
	if (in_window(w, w->now_ns))
		w->record->sent += begun;
}

static void conn_send(struct conn *c)
{
	struct worker *w = c->worker;
	struct buf *out = buf_len(&c->out) > 0 ? &c->out : &w->tx;
	ssize_t n;

	c->unsent = false;
	if (w->codec->flush(c->codec, out) != 0) {
		buf_clear(&w->tx);
		conn_drop(c, OUT_PROTOCOL);
		return;
	}
	while (buf_len(out) > 0) {
		n = send(c->fd, buf_head(out), buf_len(out), MSG_NOSIGNAL);
		if (n < 0 && errno == EINTR)
			continue;
		c->reset |= n < 0 && errno == ECONNRESET;
		if (n < 0)
			break;
		if (in_window(w, w->now_ns))
			w->record->tx_bytes += (uint64_t)n;
		buf_consume(out, (size_t)n);
	}
	if (buf_len(out) == 0)
		return;

	/* The rest waits for the next EPOLLOUT edge. A peer that has closed may have answered
	 * before: its replies and its end are read first, so that is left to on_readable. */
	if (out == &w->tx) {
		if (buf_append(&c->out, buf_head(out), buf_len(out)) != 0)
			conn_drop(c, OUT_PROTOCOL);
		buf_clear(&w->tx);
	}
}

void conn_start(struct conn *c)
{
	if (c->state != CONN_OPEN || !c->worker->running)
		return;
	conn_fill(c);
	conn_send(c);
}

void conn_send_taken(struct conn *c)
{
	if (c->state == CONN_OPEN && c->unsent)
		conn_send(c);
}

/* Begun within the window and not ended within it. */
static void count_inflight(struct worker *w, int64_t start_ns)
{
	int64_t end_ns = w->window_end_ns < w->now_ns ? w->window_end_ns : w->now_ns;
	int64_t age_ns = end_ns > start_ns ? end_ns - start_ns : 0;

	w->record->inflight_at_end++;
	w->record->inflight_sum_ns += (uint64_t)age_ns;
	if (age_ns > w->record->oldest_inflight_ns)
		w->record->oldest_inflight_ns = age_ns;
}

/* Begun before the window: the part of its time that is within it. */
static void count_carried(struct worker *w)
{
	int64_t end_ns = w->window_end_ns < w->now_ns ? w->window_end_ns : w->now_ns;

	if (end_ns > w->window_ns)
		w->record->carried_sum_ns += (uint64_t)(end_ns - w->window_ns);
}

static void release_slot(struct conn *c, uint32_t slot)
{
	uint32_t tail = c->free_head + (c->depth - c->inflight);

	c->free_slots[tail < c->depth ? tail : tail - c->depth] = slot;
	c->start_ns[slot] = 0;
	c->inflight--;
	c->worker->inflight--;
}

static void on_done(void *ctx, uint32_t slot, enum outcome outcome, unsigned status, size_t bytes)
{
	struct conn *c = ctx;
	struct worker *w = c->worker;
	int64_t sent_ns = c->start_ns[slot];
	int64_t start_ns = c->planned_ns != NULL ? c->planned_ns[slot] : sent_ns;

	release_slot(c, slot);
	if (bytes > 0) {
		c->replies++;
		w->replied_total++;
		w->alive_ns = w->now_ns;
	}
	if (c->replies == 1 && !c->was_served) {
		c->was_served = true;
		w->record->served++;
	}
	w->ok_count += outcome == OUT_OK;

	if (c->planned_ns != NULL && in_window(w, w->now_ns) && outcome != OUT_TIMEOUT)
		w->record->answered++;
	if (start_ns < w->window_ns) {
		count_carried(w);
		return;
	}
	if (w->now_ns >= w->window_end_ns) {
		count_inflight(w, start_ns);
		return;
	}
	if (bytes > 0 || outcome == OUT_GRPC)
		w->record->status_codes[status < RECORD_STATUS_MAX ? status : 0]++;
	record_done(w->record, outcome, start_ns, w->now_ns,
		(size_t)((w->now_ns - w->window_ns) / NS_PER_S), bytes);
	if (c->planned_ns != NULL && outcome == OUT_OK)
		histogram_add(&w->record->service, w->now_ns - sent_ns);
	if (c->planned_ns != NULL && outcome == OUT_TIMEOUT)
		histogram_add(&w->record->service_timed_out, w->now_ns - sent_ns);
	w->last_done_ns = w->now_ns;
}

void conn_settle(struct conn *c)
{
	for (uint32_t slot = 0; c->inflight > 0 && slot < c->depth; slot++) {
		int64_t start_ns = c->start_ns[slot];

		if (start_ns == 0)
			continue;
		if (c->planned_ns != NULL)
			start_ns = c->planned_ns[slot];
		release_slot(c, slot);
		if (start_ns >= c->worker->window_ns)
			count_inflight(c->worker, start_ns);
		else
			count_carried(c->worker);
	}
}

/* Reads once and hands the bytes on. Return: what recv() returned; the connection may be gone
 * (c->state tells) when that is above 0. */
static ssize_t read_once(struct conn *c)
{
	struct worker *w = c->worker;
	ssize_t n = recv(c->fd, w->rx, WORKER_RX_SIZE, 0);
	int ret;

	w->now_ns = clock_ns();
	if (n <= 0)
		return n;
	c->heard_ns = w->now_ns;
	ret = w->codec->feed(c->codec, w->rx, (size_t)n);
	if (ret < 0)
		conn_drop(c, (enum outcome) - ret);
	else if (ret == CODEC_CLOSED || (c->inflight == 0 && c->begun >= request_limit(w)))
		conn_drop(c, OUT_STALE);
	return n;
}

/* The peer has closed or reset the connection. */
static void on_eof(struct conn *c, bool reset)
{
	int ret = c->worker->codec->eof(c->codec, reset);

	if (ret < 0)
		conn_drop(c, (enum outcome) - ret);
	else if (c->replies > 0)
		conn_drop(c, OUT_STALE);
	else
		conn_drop(c, reset ? OUT_RESET : OUT_EOF);
}

/* A short read has emptied the socket: a later byte is a new edge. Unless the peer has closed:
 * then there is no other edge, and the end itself must be read. */
static void on_readable(struct conn *c, bool closed)
{
	struct epoll_event event = {
		.events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET,
		.data.ptr = c,
	};

	for (int i = 0; i < READS_A_TURN; i++) {
		ssize_t n = read_once(c);

		if (n > 0 && c->state != CONN_OPEN)
			return;
		if (n < 0 && errno == EINTR)
			continue;
		if (n == 0 || (n < 0 && errno != EAGAIN)) {
			on_eof(c, n < 0 || c->reset);
			return;
		}
		if (n < 0 || (n < WORKER_RX_SIZE && !closed)) {
			conn_start(c);
			return;
		}
	}
	conn_start(c);
	if (c->state == CONN_OPEN &&
		epoll_ctl(c->worker->epoll_fd, EPOLL_CTL_MOD, c->fd, &event) != 0)
		conn_drop(c, OUT_PROTOCOL);
}

void conn_event(struct conn *c, uint32_t events)
{
	if (c->state == CONN_CONNECTING) {
		c->worker->now_ns = clock_ns();
		if (!on_connected(c))
			return;
		conn_start(c);
		/* A peer that speaks first, or closes, may have done so already: one edge for both.
		 */
		if ((events & ~(uint32_t)EPOLLOUT) == 0)
			return;
	}
	if (c->state != CONN_OPEN)
		return;
	if ((events & EPOLLOUT) != 0 && buf_len(&c->out) > 0)
		conn_send(c);
	if (c->state == CONN_OPEN && (events & ~(uint32_t)EPOLLOUT) != 0)
		on_readable(c, (events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR)) != 0);
}

/* ------------------------------------------------------------------ the end of a connection */

/*
 * Everything in flight ends as @outcome, the socket is closed, and the connection is set up
 * again: at once when it had served, else after a back-off that doubles.
 */
static void conn_drop(struct conn *c, enum outcome outcome)
{
	struct worker *w = c->worker;
	bool served = c->state == CONN_OPEN && c->replies > 0;

	/* What befell the connection is counted once, beside the requests that it took along. */
	if (outcome >= OUT_REQUEST_KINDS && outcome < OUT_KINDS) {
		w->record->outcomes[outcome]++;
		outcome = OUT_PROTOCOL;
	}
	for (uint32_t slot = 0; c->inflight > 0 && slot < c->depth; slot++)
		if (c->start_ns[slot] != 0)
			on_done(c, slot, outcome, 0, 0);
	close_socket(c);
	c->state = CONN_CLOSED;
	if (served) {
		c->backoff_ns = 0;
		if (w->running && w->quota > 0)
			conn_open(c);
		return;
	}
	c->backoff_ns = c->backoff_ns == 0 ? BACKOFF_MIN_NS : c->backoff_ns * 2;
	if (c->backoff_ns > BACKOFF_MAX_NS)
		c->backoff_ns = BACKOFF_MAX_NS;
	c->reopen_ns = w->now_ns + c->backoff_ns;
}

static int64_t oldest_start(const struct conn *c)
{
	int64_t oldest = INT64_MAX;

	for (uint32_t slot = 0; slot < c->depth; slot++)
		if (c->start_ns[slot] != 0 && c->start_ns[slot] < oldest)
			oldest = c->start_ns[slot];
	return oldest;
}

/* The oldest request's time is over. Where the peer still sends, and the protocol can give up
 * one request alone, the others stay. */
static void on_overdue(struct conn *c, int64_t oldest_ns, int64_t limit_ns)
{
	const struct codec_ops *codec = c->worker->codec;
	int64_t started_ns;

	if (codec->cancel == NULL || c->heard_ns <= oldest_ns) {
		conn_drop(c, codec->overdue != NULL ? codec->overdue(c->codec) : OUT_TIMEOUT);
		return;
	}
	for (uint32_t slot = 0; slot < c->depth; slot++) {
		started_ns = c->start_ns[slot];
		if (started_ns == 0 || started_ns > limit_ns)
			continue;
		if (codec->cancel(c->codec, slot) != 0) {
			conn_drop(c, OUT_TIMEOUT);
			return;
		}
		on_done(c, slot, OUT_TIMEOUT, 0, 0);
	}
	conn_start(c);
}

void conn_tick(struct conn *c)
{
	struct worker *w = c->worker;
	int64_t limit = w->now_ns - w->params->timeout_ns;
	int64_t oldest;

	switch (c->state) {
	case CONN_CLOSED:
		if (w->running && w->quota > 0 && w->now_ns >= c->reopen_ns)
			conn_open(c);
		break;
	case CONN_CONNECTING:
		if (c->opened_ns <= limit)
			conn_drop(c, OUT_CONNECT_TIMEOUT);
		break;
	case CONN_OPEN:
		oldest = c->inflight > 0 ? oldest_start(c) : INT64_MAX;
		if (oldest <= limit)
			on_overdue(c, oldest, limit);
		break;
	}
}
