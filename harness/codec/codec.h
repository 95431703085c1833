#ifndef HARNESS_CODEC_CODEC_H
#define HARNESS_CODEC_CODEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "harness/load/outcome.h"

struct buf;
struct load_params;
struct reference;

/**
 * DOC: A codec is the client side of a protocol, without sockets, clock or memory policy: bytes
 * go in, ends of requests and bytes come out. The engine owns sockets, clock, slots and
 * histograms. Client and server sides of a protocol are written apart, so that one bug cannot
 * hide in both.
 *
 * Slots name the requests in flight on a connection: numbers below env->depth. The engine gives
 * the slot out that has been free for longest. So a codec that ends requests in the order of
 * their submission (CODEC_INORDER) sees 0, 1, 2, … depth-1, 0, … and need not store them.
 */

#define CODEC_INORDER     1u /* replies come in the order of the requests */
#define CODEC_HTTP_STATUS 2u /* replies carry an HTTP status */

/* Returned by feed() and eof() beside 0 = go on. Below 0: -(enum outcome), the connection is
 * broken and everything in flight on it ends that way. */
#define CODEC_CLOSED 1 /* used up in good order: replace it */

/** struct codec_env - What a connection's codec gets from the engine; valid until close. */
struct codec_env {
	void *shared;   /* from codec_ops.prepare of this thread */
	uint32_t depth; /* slots */
	void *ctx;      /* for done */
	/*
	 * Ends the request in @slot. Called from feed() and eof() only, and never calls back.
	 * @status: HTTP status, or gRPC code, or 0. @bytes: of its reply on the wire.
	 */
	void (*done)(void *ctx, uint32_t slot, enum outcome outcome, unsigned status, size_t bytes);
};

/** struct codec_ops - One protocol; a static const at the end of its file. */
struct codec_ops {
	const char *name; /* in records: "http1" */
	const char *scheme;
	uint16_t port;     /* of a URL without one; 0 = required */
	unsigned flags;    /* CODEC_… */
	size_t state_size; /* of a connection; the engine allocates it, zeroed */
	/*
	 * Build what the connections of one thread share: the request's bytes, templates of
	 * replies. Required. @reference is where expected bodies are kept, for all threads.
	 * Return: owned by the engine, freed by release; NULL after a message.
	 */
	void *(*prepare)(const struct load_params *params, struct reference *reference);
	void (*release)(void *shared);
	/* A connection was set up. Required. Return: 0 or -1. */
	int (*open)(void *state, const struct codec_env *env);
	/* Queue one request. Required. Return: 0, or -1 when no more may be in flight now. */
	int (*submit)(void *state, uint32_t slot);
	/* Append what is queued to @out. Required. Return: 0, or -1 out of memory. */
	int (*flush)(void *state, struct buf *out);
	/* Take all @len bytes. Required. Return: see CODEC_CLOSED. */
	int (*feed)(void *state, const char *in, size_t len);
	/* The peer closed, or reset, the connection: ends a reply that is delimited by a close.
	 * Required. Return: CODEC_CLOSED between replies, below 0 within one. */
	int (*eof)(void *state, bool reset);
	/* Give up the request in @slot alone, whose time is over; the engine ends it. Optional:
	 * otherwise the connection is given up. Return: 0 or -1. */
	int (*cancel)(void *state, uint32_t slot);
	/* What it means that the oldest request's time is over. Optional: OUT_TIMEOUT. */
	enum outcome (*overdue)(const void *state);
	/* Free what the state holds. Optional; safe after a failed open. */
	void (*close)(void *state);
};

/** codec_by_scheme() - The row for a URL scheme; NULL when there is none. */
const struct codec_ops *codec_by_scheme(const char *scheme);

/** codec_schemes() - All schemes, comma-separated, for messages. */
const char *codec_schemes(void);

#endif
