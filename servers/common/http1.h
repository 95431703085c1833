#ifndef SERVERS_COMMON_HTTP1_H
#define SERVERS_COMMON_HTTP1_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/slice.h"
#include "servers/common/stream.h"

struct buf;
struct http1;
struct http1_reply;

/**
 * DOC: The server side of HTTP/1.1 (RFC 9110 and RFC 9112): a protocol for stream_service.
 *
 * A main.c lists its routes and serves them with
 *	static const struct stream_protocol protocol = {.ops = &http1_ops, .arg = routes};
 *
 * llhttp parses, in strict mode. Requests of one read are answered in order by one write. What
 * the handler is given points into the bytes as they were read; only a body that came in
 * several reads is copied.
 *
 * A request that breaks the protocol, or a limit, is refused and the connection closed: 400
 * (also for whatever could be framed in two ways, RFC 9112 section 11.2), 408, 413, 414, 417,
 * 431, 501, 505. What the routes answer leaves it open: 404, and 405 with Allow, which is also
 * the answer to OPTIONS. Of the interim replies it sends 100, of the transfer codings it knows
 * chunked. Chunk extensions and trailers are read and dropped, as are Upgrade (RFC 9110 section
 * 7.8) and the host, so that every host has the same routes. llhttp takes neither a chunk
 * extension with a quoted value nor a tab behind a Content-Length: both are refused.
 */

/** enum http1_method - Methods that a route may serve, to be or-ed. */
enum http1_method {
	HTTP1_GET = 1 << 0, /* brings HEAD with it */
	HTTP1_HEAD = 1 << 1,
	HTTP1_POST = 1 << 2,
};

/** struct http1_request - What a handler gets; valid until it returns. */
struct http1_request {
	enum http1_method method; /* HEAD comes as GET */
	struct slice path;        /* decoded, without the query */
	struct slice query;       /* after the '?', as sent */
	struct slice body;
	const struct srv_worker *worker;
};

/**
 * struct http1_later - A reply that comes later; part of something of the handler's own.
 *
 * Of answer() and gone(), one is called, once, and the struct is not looked at after that. The
 * connection takes no further request before, so that replies keep the order of requests.
 */
struct http1_later {
	/* Fills @reply, as a handler does, at once. */
	int (*answer)(struct http1_later *later, struct http1_reply *reply);
	/* The connection has gone, and the reply is not wanted any more. It may not call
	 * http1_ready(), not of another struct either. */
	void (*gone)(struct http1_later *later);
	struct http1 *conn; /* for http1.c */
	bool ready;         /* likewise */
};

/** struct http1_route - One path; a table of routes ends with a zeroed row. */
struct http1_route {
	const char *path; /* exact */
	unsigned methods;
	/* Fills @reply. Return: 0; what http1_later() returned; or -1 to answer 500 and close. */
	int (*handle)(const struct http1_request *request, struct http1_reply *reply);
};

/** http1_ops - The protocol; its argument is the table of routes. */
extern const struct stream_ops http1_ops;

/**
 * http1_reply_begin() - Write the head of the one reply to a request.
 * @status: of the table in http1_reply.c, 500 when it is not there.
 * @type: the media type.
 * @expected_len: a guess at the body's length; a guess of the wrong magnitude costs a memmove.
 *
 * Return: the buffer to append the body to, by nothing but appends, until the handler returns;
 *   the reply keeps it (transfer none). NULL with errno ENOMEM.
 */
struct buf *http1_reply_begin(
	struct http1_reply *reply, int status, const char *type, size_t expected_len);

/** http1_reply_body() - The one reply to a request, of a body at hand. Return: 0 or -1. */
int http1_reply_body(struct http1_reply *reply, int status, const char *type, struct slice body);

/** http1_later() - Put the reply off; for a handler to return that has not begun it. */
int http1_later(struct http1_reply *reply, struct http1_later *later);

/**
 * http1_ready() - Have @later->answer() called: at once, or when the client has read what it was
 *   owed. For events of the handler's own, not from within a handler.
 */
void http1_ready(struct http1_later *later);

#endif
