/*
 * The least that an HTTP server can do: it counts the ends of requests and sends a constant
 * for each. One read, one write, no parsing. What http-hello costs beyond it is the price of
 * being a server.
 *
 *   on_listen -> a connection
 *   on_readable: read, count -> send_owed; what the socket does not take waits for on_writable
 */
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lib/fail.h"
#include "peers/peer.h"
#include "servers/common/srv.h"

#define READ_SIZE (64 << 10)
#define BLOCK     2048 /* replies sent at once: more than one read has requests */
#define EVENTS    256

/* As many bytes as http-hello sends. */
static const char reply[] = "HTTP/1.1 200 OK\r\n"
			    "Server: rpcbench\r\n"
			    "Date: Thu, 01 Jan 1970 00:00:00 GMT\r\n"
			    "Content-Type: text/plain\r\n"
			    "Content-Length: 11\r\n"
			    "\r\n"
			    "Hello world";
#define REPLY_LEN (sizeof(reply) - 1)

/* A connection, at the index of its descriptor. */
struct conn {
	size_t owed;     /* bytes of replies not yet sent; it is not read from meanwhile */
	uint8_t matched; /* characters of "\r\n\r\n" seen last */
};

struct server {
	int epoll_fd;
	int listen_fd;
	struct conn *conns;
	size_t conns_max;
	uint64_t requests;
	char input[READ_SIZE];
	char block[BLOCK * REPLY_LEN];
};

static int watch(struct server *s, int op, int fd, uint32_t events)
{
	struct epoll_event event = {.events = events, .data.fd = fd};

	return epoll_ctl(s->epoll_fd, op, fd, &event);
}

/* How many requests end in @len bytes: a request has no body. */
static size_t count_ends(struct conn *conn, const char *data, size_t len)
{
	static const char end[] = "\r\n\r\n";
	unsigned matched = conn->matched;
	size_t ends = 0;

	for (size_t i = 0; i < len; i++) {
		if (data[i] == end[matched])
			matched++;
		else
			matched = data[i] == '\r';
		if (matched == 4) {
			ends++;
			matched = 0;
		}
	}
	conn->matched = (uint8_t)matched;
	return ends;
}

/* Return: 0, or -1 when the connection is lost. */
static int send_owed(struct server *s, int fd, struct conn *conn)
{
	while (conn->owed > 0) {
		size_t offset = (REPLY_LEN - conn->owed % REPLY_LEN) % REPLY_LEN;
		size_t len = sizeof(s->block) - offset;
		ssize_t sent;

		sent = send(
			fd, s->block + offset, conn->owed < len ? conn->owed : len, MSG_NOSIGNAL);
		if (sent < 0)
			return errno == EAGAIN ? 0 : -1;
		conn->owed -= (size_t)sent;
	}
	return 0;
}

/* Return: 0, or -1 when the connection is over. */
static int on_readable(struct server *s, int fd, struct conn *conn)
{
	ssize_t len = recv(fd, s->input, sizeof(s->input), 0);
	size_t ends;

	if (len < 0 && errno == EAGAIN)
		return 0;
	if (len <= 0)
		return -1;
	ends = count_ends(conn, s->input, (size_t)len);
	s->requests += ends;
	conn->owed = ends * REPLY_LEN;
	if (send_owed(s, fd, conn) != 0)
		return -1;
	return conn->owed > 0 ? watch(s, EPOLL_CTL_MOD, fd, EPOLLOUT) : 0;
}

/* Return: 0, or -1 when the connection is lost. */
static int on_writable(struct server *s, int fd, struct conn *conn)
{
	if (send_owed(s, fd, conn) != 0)
		return -1;
	return conn->owed == 0 ? watch(s, EPOLL_CTL_MOD, fd, EPOLLIN) : 0;
}

static void on_listen(struct server *s)
{
	int fd = accept4(s->listen_fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);

	if (fd < 0)
		return;
	if ((size_t)fd >= s->conns_max || watch(s, EPOLL_CTL_ADD, fd, EPOLLIN) != 0) {
		close(fd);
		return;
	}
	s->conns[fd] = (struct conn){0};
}

static void on_event(struct server *s, const struct epoll_event *event)
{
	int fd = event->data.fd;
	int status;

	if (fd == s->listen_fd) {
		on_listen(s);
		return;
	}
	status = event->events & EPOLLOUT ? on_writable(s, fd, &s->conns[fd])
					  : on_readable(s, fd, &s->conns[fd]);
	if (status != 0)
		close(fd);
}

static int server_open(struct server *s, int listen_fd)
{
	struct rlimit files;

	srv_raise_nofile();
	getrlimit(RLIMIT_NOFILE, &files);
	s->conns_max = files.rlim_cur;
	s->conns = calloc(s->conns_max, sizeof(*s->conns));
	s->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (s->conns == NULL || s->epoll_fd < 0)
		return fail_errno("cannot set up %zu connections", s->conns_max);
	for (size_t i = 0; i < BLOCK; i++)
		memcpy(s->block + i * REPLY_LEN, reply, REPLY_LEN);
	s->listen_fd = listen_fd;
	return watch(s, EPOLL_CTL_ADD, s->listen_fd, EPOLLIN);
}

int main(int argc, char **argv)
{
	static struct server server;
	struct epoll_event events[EVENTS];

	if (server_open(&server, peer_listen("null-epoll", argc, argv)) != 0)
		return 1;
	srv_ready(srv_port(server.listen_fd));
	for (;;) {
		int n = epoll_wait(server.epoll_fd, events, EVENTS, -1);

		for (int i = 0; i < n; i++)
			on_event(&server, &events[i]);
	}
}
