#ifndef TESTS_BADSERVER_CONN_H
#define TESTS_BADSERVER_CONN_H

#include <stdbool.h>
#include <stdint.h>

#include "tests/badserver/reply.h"

struct conn;

/** struct counts - What the server saw and did. */
struct counts {
	uint64_t accepted;
	uint64_t requests; /* whole ones read */
	uint64_t replies;  /* whole ones given to the kernel */
	uint64_t rx_bytes;
	uint64_t tx_bytes;
};

extern struct counts counts;

/** struct proto_ops - The server side of one protocol. */
struct proto_ops {
	/* A connection begins. Return: its state, or NULL. */
	void *(*open)(struct conn *conn, const struct acts *acts);
	/* Bytes have come. Return: how many were taken; the others are shown again. -1 = close. */
	ssize_t (*feed)(struct conn *conn, void *state, const char *in, size_t len);
	void (*close)(void *state);
	bool ordered; /* a reply that is not due holds later ones up */
};

extern const struct proto_ops http1_ops;
extern const struct proto_ops h2_ops;
extern const struct proto_ops thrift_ops;

/** conn_setup() - Once, before the first connection. @base: struct event_base. */
void conn_setup(void *base, const struct proto_ops *ops, enum proto proto);

/** conn_proto() - Which protocol is spoken. */
enum proto conn_proto(void);

/** conn_accept() - Take a connected socket over. */
void conn_accept(int fd);

/** conn_drop_all() - Reset every connection. */
void conn_drop_all(void);

/** conn_request() - A request has come. Return: what is to happen to it; valid until the next. */
const struct acts *conn_request(struct conn *conn);

/** conn_number() - How many requests have come, this one included. */
uint64_t conn_number(void);

/** conn_plain() - A reply to which nothing happens. */
void conn_plain(struct conn *conn, const char *data, size_t len);

/** conn_send() - Bytes that are no reply: at once, or behind the replies that wait. */
void conn_send(struct conn *conn, const void *data, size_t len);

/** conn_reply() - Do to @reply what @acts say, and send it. Takes over what it holds. */
void conn_reply(struct conn *conn, const struct acts *acts, const struct reply *reply);

/** main.c: what happens to the whole server. */
void server_hold(int64_t ns);   /* accepts nothing for so long */
void server_refuse(int64_t ns); /* does not even listen */
void server_exit(void);

#endif
