/*
 * Connections: what they read goes to the protocol, what it replies waits here until it is due.
 *
 *   conn_accept   on_read -> ops->feed -> conn_request, conn_plain or conn_reply
 *   conn_flush    sends what is due; on_write and on_time come back to it
 *   conn_close    the only teardown
 */
#include <errno.h>
#include <event2/event.h>
#include <event2/event_struct.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lib/clock.h"
#include "tests/badserver/conn.h"

#define RX_SIZE    (256 << 10)
#define SENDS_A_GO 16        /* long replies of one connection before others get their turn */
#define OUT_MAX    (4 << 20) /* bytes that wait; then nothing more is read */

struct conn {
	LIST_ENTRY(conn) entry;
	int fd;
	bool closing; /* close when the protocol returns */
	bool busy;    /* within feed() */
	bool reading;
	struct event readable;
	struct event writable;
	struct event timer;
	void *state;
	uint64_t requests;
	struct buf in;
	struct buf out;        /* plain replies, before all in the queue */
	struct reply *queue;   /* by due_ns, or in order */
	struct reply *swapped; /* goes behind the next one */
	int64_t last_ns;       /* when a reply was last ended */
	enum end end;          /* after @out */
};

struct counts counts;

static LIST_HEAD(conns, conn) conns = LIST_HEAD_INITIALIZER(conns);
static struct event_base *base;
static const struct proto_ops *ops;
static enum proto proto;
static char rx[RX_SIZE];
static int64_t first_ns; /* when the first connection came */
static struct acts request_acts;

static void conn_flush(struct conn *c);

void conn_setup(void *event_base, const struct proto_ops *proto_ops, enum proto which)
{
	base = event_base;
	ops = proto_ops;
	proto = which;
}

enum proto conn_proto(void)
{
	return proto;
}

uint64_t conn_number(void)
{
	return counts.requests;
}

static void queue_free(struct reply **queue)
{
	while (*queue != NULL) {
		struct reply *r = *queue;

		*queue = r->next;
		reply_free(r);
	}
}

static void conn_close(struct conn *c, bool reset)
{
	struct linger linger = {.l_onoff = 1};

	if (reset)
		setsockopt(c->fd, SOL_SOCKET, SO_LINGER, &linger, sizeof(linger));
	event_del(&c->readable);
	event_del(&c->writable);
	event_del(&c->timer);
	close(c->fd);
	if (c->state != NULL && ops->close != NULL)
		ops->close(c->state);
	queue_free(&c->queue);
	queue_free(&c->swapped);
	buf_free(&c->in);
	buf_free(&c->out);
	LIST_REMOVE(c, entry);
	free(c);
}

/* Not while the protocol is at work on it. */
static void conn_end(struct conn *c, enum end end)
{
	if (end == END_FIN)
		shutdown(c->fd, SHUT_WR);
	else if (c->busy)
		c->closing = true;
	else
		conn_close(c, end == END_RESET);
}

void conn_drop_all(void)
{
	struct conn *c = LIST_FIRST(&conns);

	while (c != NULL) {
		struct conn *next = LIST_NEXT(c, entry);

		if (c->busy)
			c->closing = true;
		else
			conn_close(c, true);
		c = next;
	}
}

/* ------------------------------------------------------------------ what happens when */

static void happen_to_server(const struct acts *acts)
{
	if (has(acts, ACT_EXIT))
		server_exit();
	if (has(acts, ACT_STALL))
		clock_sleep_until(clock_ns() + acts->number[ACT_STALL]);
	if (has(acts, ACT_HOLD))
		server_hold(acts->number[ACT_HOLD]);
	if (has(acts, ACT_REFUSE))
		server_refuse(acts->number[ACT_REFUSE]);
	if (has(acts, ACT_DIE)) {
		server_refuse(acts->number[ACT_DIE]);
		conn_drop_all();
	}
}

const struct acts *conn_request(struct conn *c)
{
	struct moment moment = {
		.number = ++counts.requests,
		.of_conn = ++c->requests,
		.elapsed_ns = clock_ns() - first_ns,
	};

	script_at(&moment, &request_acts);
	if (request_acts.set != 0)
		happen_to_server(&request_acts);
	return &request_acts;
}

/* ------------------------------------------------------------------ out */

static void arm(struct conn *c, int64_t ns)
{
	struct timeval tv = {.tv_sec = ns / NS_PER_S, .tv_usec = ns % NS_PER_S / NS_PER_US};

	event_add(&c->timer, &tv);
}

/* Sends as much as the socket takes. Return: 1 when all is gone, 0 when not, -1 when the
 * connection is lost. */
static int send_out(struct conn *c)
{
	while (buf_len(&c->out) > 0) {
		ssize_t n = send(c->fd, buf_head(&c->out), buf_len(&c->out), MSG_NOSIGNAL);

		if (n < 0 && errno == EAGAIN) {
			event_add(&c->writable, NULL);
			return 0;
		}
		if (n < 0) {
			conn_end(c, END_CLOSE);
			return -1;
		}
		counts.tx_bytes += (uint64_t)n;
		buf_consume(&c->out, (size_t)n);
	}
	return 1;
}

/* The same for one piece of the reply in front. */
static int send_piece(struct conn *c, struct reply *r)
{
	const char *data;
	size_t len = reply_span(r, &data);
	ssize_t n = send(c->fd, data, len, MSG_NOSIGNAL);

	if (n < 0 && errno == EAGAIN) {
		event_add(&c->writable, NULL);
		return 0;
	}
	if (n < 0) {
		conn_end(c, END_CLOSE);
		return -1;
	}
	counts.tx_bytes += (uint64_t)n;
	r->sent += (uint64_t)n;
	if (r->sent == r->split && r->sent < r->limit) {
		r->due_ns = clock_ns() + r->gap_ns;
		r->split = r->piece > 0 ? r->sent + r->piece : REPLY_NEVER;
	}
	return 1;
}

/* The reply in front is out. Return: false when the connection is gone or used up. */
static bool end_reply(struct conn *c)
{
	struct reply *r = c->queue;
	enum end end = r->end;

	counts.replies += !r->control && r->sent > 0 && r->sent == reply_length(r);
	c->queue = r->next;
	c->last_ns = clock_ns();
	reply_free(r);
	if (end != END_NONE)
		conn_end(c, end);
	return end == END_NONE || end == END_FIN;
}

static void conn_flush(struct conn *c)
{
	if (c->closing || send_out(c) != 1)
		return;
	for (int i = 0; c->queue != NULL; i++) {
		struct reply *r = c->queue;
		int64_t paced_ns = r->sent == 0 ? c->last_ns + r->pace_ns : 0;
		int64_t due_ns = r->due_ns > paced_ns ? r->due_ns : paced_ns;
		int64_t left_ns = due_ns > 0 ? due_ns - clock_ns() : 0;

		if (left_ns > 0 || i == SENDS_A_GO) {
			arm(c, left_ns > 0 ? left_ns : 0);
			return;
		}
		if (r->sent == r->limit) {
			if (!end_reply(c))
				return;
		} else if (send_piece(c, r) != 1) {
			return;
		}
	}
	if (!c->reading && c->state != NULL) {
		c->reading = true;
		event_add(&c->readable, NULL);
	}
}

static void on_write(evutil_socket_t fd, short what, void *arg)
{
	(void)fd;
	(void)what;
	conn_flush(arg);
}

static void queue_reply(struct conn *c, struct reply *r)
{
	struct reply **at = &c->queue;

	while (*at != NULL && (ops->ordered || (*at)->sent > 0 || (*at)->due_ns <= r->due_ns))
		at = &(*at)->next;
	r->next = *at;
	*at = r;
}

static struct reply *new_reply(const struct reply *from)
{
	struct reply *r = malloc(sizeof(*r));

	if (r == NULL)
		abort();
	*r = *from;
	return r;
}

void conn_send(struct conn *c, const void *data, size_t len)
{
	if (c->queue == NULL) {
		append(&c->out, data, len);
		return;
	}
	struct reply r = {0};

	append(&r.head, data, len);
	r.control = true;
	r.limit = reply_length(&r);
	r.split = REPLY_NEVER;
	queue_reply(c, new_reply(&r));
}

void conn_plain(struct conn *c, const char *data, size_t len)
{
	struct acts none = {0};

	if (c->queue == NULL && c->swapped == NULL) {
		append(&c->out, data, len);
		counts.replies++;
		return;
	}
	struct reply r = {0};

	append(&r.head, data, len);
	conn_reply(c, &none, &r);
}

static void queue_copies(struct conn *c, const struct reply *r, int64_t n)
{
	for (; n > 0; n--) {
		struct reply *copy = new_reply(r);

		reply_copy(copy, r);
		queue_reply(c, copy);
	}
}

void conn_reply(struct conn *c, const struct acts *acts, const struct reply *reply)
{
	struct reply *r = new_reply(reply);

	if (has(acts, ACT_DROP)) {
		reply_free(r);
		return;
	}
	reply_act(r, acts, counts.requests);
	if (has(acts, ACT_SWAP) && c->swapped == NULL) {
		c->swapped = r;
		return;
	}
	queue_copies(c, r, act_number(acts, ACT_EXTRA, 0));
	queue_reply(c, r);
	if (c->swapped != NULL)
		queue_reply(c, c->swapped);
	c->swapped = NULL;
}

/* ------------------------------------------------------------------ in */

/* Hands on what there is. Return: false when the connection is gone. */
static bool feed(struct conn *c, const char *data, size_t len)
{
	ssize_t taken;

	if (buf_len(&c->in) > 0) {
		append(&c->in, data, len);
		data = buf_head(&c->in);
		len = buf_len(&c->in);
	}
	c->busy = true;
	taken = ops->feed(c, c->state, data, len);
	c->busy = false;
	if (taken < 0 || c->closing) {
		c->busy = true; /* its end comes below */
		conn_flush(c);
		conn_close(c, taken >= 0);
		return false;
	}
	if (buf_len(&c->in) > 0)
		buf_consume(&c->in, (size_t)taken);
	else if ((size_t)taken < len)
		append(&c->in, data + taken, len - (size_t)taken);
	return true;
}

static void on_read(evutil_socket_t fd, short what, void *arg)
{
	struct conn *c = arg;
	ssize_t n = recv(fd, rx, sizeof(rx), 0);

	(void)what;
	if (n < 0 && errno == EAGAIN)
		return;
	if (n <= 0) {
		conn_close(c, false);
		return;
	}
	counts.rx_bytes += (uint64_t)n;
	if (!feed(c, rx, (size_t)n))
		return;
	if (buf_len(&c->out) > OUT_MAX) {
		c->reading = false;
		event_del(&c->readable);
	}
	conn_flush(c);
}

static void on_time(evutil_socket_t fd, short what, void *arg)
{
	struct conn *c = arg;

	(void)fd;
	(void)what;
	conn_flush(c);
}

/* What the script says of the connection itself. Return: false when it is gone. */
static bool happen_to_conn(struct conn *c, const struct acts *acts)
{
	happen_to_server(acts);
	if (c->closing || has(acts, ACT_RESET) || has(acts, ACT_CLOSE)) {
		conn_close(c, !has(acts, ACT_CLOSE));
		return false;
	}
	if (has(acts, ACT_RAW))
		conn_send(c, acts->text[ACT_RAW].data, acts->text[ACT_RAW].len);
	if (has(acts, ACT_IGNORE))
		return true;
	c->state = ops->open(c, acts);
	if (c->state == NULL)
		abort();
	if (has(acts, ACT_DELAY)) {
		arm(c, acts->number[ACT_DELAY]);
	} else {
		c->reading = true;
		event_add(&c->readable, NULL);
	}
	return true;
}

void conn_accept(int fd)
{
	struct conn *c = calloc(1, sizeof(*c));
	struct moment moment = {.connection = true, .number = ++counts.accepted};
	struct acts acts;
	int one = 1;

	if (c == NULL)
		abort();
	if (first_ns == 0)
		first_ns = clock_ns();
	moment.elapsed_ns = clock_ns() - first_ns;
	c->fd = fd;
	evutil_make_socket_nonblocking(fd);
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	event_assign(&c->readable, base, fd, EV_READ | EV_PERSIST, on_read, c);
	event_assign(&c->writable, base, fd, EV_WRITE, on_write, c);
	event_assign(&c->timer, base, -1, 0, on_time, c);
	LIST_INSERT_HEAD(&conns, c, entry);
	c->busy = true;
	script_at(&moment, &acts);
	c->busy = false;
	if (happen_to_conn(c, &acts) && c->state != NULL && !has(&acts, ACT_DELAY))
		conn_flush(c);
}
