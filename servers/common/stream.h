#ifndef SERVERS_COMMON_STREAM_H
#define SERVERS_COMMON_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "servers/common/srv.h"

struct buf;
struct stream;

/**
 * DOC: A TCP connection of a server, for any protocol that turns bytes into bytes.
 *
 * One read, one call of ops->input() that answers all that the read completed, one write.
 * Replies are collected in one buffer per worker; only what the socket does not take is kept
 * with the connection. While a connection is owed bytes that its peer does not read, nothing
 * more is read from it: memory per connection is bounded by STREAM_OUT_HIGH and one reply.
 */

#define STREAM_READ_SIZE (64 << 10)  /* bytes of one read */
#define STREAM_OUT_HIGH  (256 << 10) /* bytes of replies after which input() should return */

/** struct stream_ops - A protocol. */
struct stream_ops {
	const char *name;
	size_t state_size; /* allocated, zeroed, for each connection */
	/* Required. Return: 0, or -1 to refuse the connection. */
	int (*open)(void *state, struct stream *stream, const struct srv_worker *worker);
	/*
	 * Take bytes from the front of @data and append replies to @out. Required. What is not
	 * taken comes again in front of later bytes. Return early, between two messages, once
	 * @out holds STREAM_OUT_HIGH bytes: the rest comes again when those are written.
	 * Return: how many bytes were taken, or -1 to write @out and then close.
	 */
	ssize_t (*input)(void *state, const char *data, size_t len, struct buf *out);
	/* A deadline set by stream_set_deadline() has passed; may append a last reply to @out
	 * before the connection is closed. Optional. */
	void (*expired)(void *state, struct buf *out);
	/* Nothing has come or gone for the idle time; likewise, and without it the connection is
	 * just closed. Optional. */
	void (*idle)(void *state, struct buf *out);
	/* True while a message was begun and not answered: a drain waits for it. Optional. */
	bool (*busy)(const void *state);
	/* True while replies are held back that @out had no room for: input() is then called
	 * again, with no bytes, once those before them are written. Optional. */
	bool (*holds)(const void *state);
	/* True while a reply is awaited from elsewhere: input() takes nothing until stream_wake(),
	 * little more than STREAM_READ_SIZE is read meanwhile, and idling is no fault. Optional. */
	bool (*waits)(const void *state);
	/* The worker drains: input() is called after this, with no bytes, to say so to the peer.
	 * Optional; without it a connection that is not busy is just closed. */
	void (*drain)(void *state);
	/* Free what the state holds. Optional; safe after a failed open. */
	void (*close)(void *state);
};

/** stream_service - The srv_service whose spec->arg is a struct stream_protocol. */
extern const struct srv_service stream_service;

/** struct stream_protocol - What stream_service serves. */
struct stream_protocol {
	const struct stream_ops *ops;
	const void *arg; /* for the ops, e.g. routes */
};

/**
 * stream_set_deadline() - Close the connection after @ns from now unless called again; 0 = no
 *   deadline. Checked once a second: never early, up to two seconds late, and not while the
 *   peer owes a read.
 */
void stream_set_deadline(struct stream *stream, int64_t ns);

/** stream_close_after() - Close once the replies so far are written; input() may still return
 *   what it took. Bytes that come later are read and dropped for a moment, so that the peer
 *   gets the last reply rather than a reset. */
void stream_close_after(struct stream *stream);

/** stream_wake() - From an event of the protocol's own: have input() called, with no bytes, to
 *   append what it has to say. The stream may be gone afterwards. */
void stream_wake(struct stream *stream);

/** stream_unix_time() - Wall-clock seconds, refreshed once a second: for Date headers. */
int64_t stream_unix_time(const struct stream *stream);

#endif
