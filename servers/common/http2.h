#ifndef SERVERS_COMMON_HTTP2_H
#define SERVERS_COMMON_HTTP2_H

#include <nghttp2/nghttp2.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/slice.h"
#include "servers/common/stream.h"

struct buf;
struct http2_stream;

/**
 * DOC: The server side of HTTP/2 (RFC 9113) by nghttp2, with prior knowledge: a protocol for
 * stream_service.
 *
 * A main.c names what answers the requests and serves it with
 *	static const struct http2_service service = {.handler = &grpc_handler, .arg = &data};
 *	static const struct stream_protocol protocol = {.ops = &http2_ops, .arg = &service};
 *
 * All frames of one read are taken, then all replies are written at once. What a connection
 * may cost is bounded: its streams, the bodies they have sent, the replies that wait for the
 * peer's windows (a request is not answered before there is room for its reply), resets and
 * control frames in a second. A peer that goes over a bound loses the stream or, by a GOAWAY
 * that says ENHANCE_YOUR_CALM, the connection. A drain sends GOAWAY twice, as RFC 9113 section
 * 6.8 advises, and serves the streams that arrive between the two.
 */

#define HTTP2_STREAMS_MAX 1000       /* of a connection, at once */
#define HTTP2_REPLIES_MAX (4 << 20)  /* bytes of replies that wait, before the next is made */
#define HTTP2_BODIES_MAX  (1 << 20)  /* bytes of bodies that wait, beyond one of --body-limit */
#define HTTP2_VAIN_MAX    (64 << 10) /* bytes of a body after it was refused */
#define HTTP2_RESETS_MAX  2000       /* streams cut off by the peer in a second, CVE-2023-44487 */
#define HTTP2_CONTROL_MAX 10000      /* frames in a second that carry nothing for a stream */

/**
 * struct http2_handler - What answers requests.
 *
 * The calls for a stream come in the order of the rows below; none comes after the answer. @state
 * is its own, zeroed at first.
 */
struct http2_handler {
	size_t state_size;
	/* A field of the header block, pseudo-header fields included; valid during the call. */
	void (*field)(void *state, struct slice name, struct slice value);
	/* The header block is complete. May refuse the body. */
	void (*head)(struct http2_stream *stream, void *state);
	/* http2_body() has grown, by one frame at most. May refuse the rest. */
	void (*body)(struct http2_stream *stream, void *state);
	/* The request is complete, or too long after it was refused. Must answer. */
	void (*end)(struct http2_stream *stream, void *state);
	/* The deadline has passed, before or in place of the end. Must answer. */
	void (*late)(struct http2_stream *stream, void *state);
};

/** struct http2_service - The arg of a struct stream_protocol. */
struct http2_service {
	const struct http2_handler *handler;
	const void *arg; /* for the handler */
};

/** struct http2_fields - A block of fields. */
struct http2_fields {
	const nghttp2_nv *list;
	size_t n;
};

/** http2_ops - The protocol. */
extern const struct stream_ops http2_ops;

/** http2_arg() - The arg of the service that the stream belongs to. */
const void *http2_arg(const struct http2_stream *stream);

/** http2_options() - The options of the server. */
const struct srv_options *http2_options(const struct http2_stream *stream);

/** http2_body() - What has come of the request's body, until it is refused or answered. */
struct slice http2_body(const struct http2_stream *stream);

/** http2_reply() - The empty buffer to append a reply's body to, before http2_answer(). */
struct buf *http2_reply(struct http2_stream *stream);

/**
 * http2_refuse() - Drop the body; there will be no more calls of body().
 *
 * The answer waits for the end all the same: clients are not at their best when they get one
 * before they have sent everything. But only HTTP2_VAIN_MAX bytes long.
 */
void http2_refuse(struct http2_stream *stream);

/**
 * http2_set_deadline() - Call late(), or cut off the reply that was not read until then.
 * @at_ns: by clock_ns(). Once for a stream.
 */
void http2_set_deadline(struct http2_stream *stream, int64_t at_ns);

/**
 * http2_answer() - Send @head, then http2_reply() if that has bytes, then @trailers if it has
 *   fields. Once for a stream.
 * @head: need not be kept, but for bytes that are flagged so.
 * @trailers: constant. Only with a body.
 */
void http2_answer(
	struct http2_stream *stream, struct http2_fields head, struct http2_fields trailers);

#endif
