#ifndef TESTS_UNIT_H2_CLIENT_H
#define TESTS_UNIT_H2_CLIENT_H

#include <nghttp2/nghttp2.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/buf.h"
#include "lib/slice.h"
#include "servers/common/http2.h"

/**
 * DOC: A connection in memory between http2_ops and the client side of nghttp2. It also stands in
 * for servers/common/stream.c.
 */

#define H2_CALLS_MAX 2000

/** struct h2_call - A request to make, and what was answered. */
struct h2_call {
	/* Set before h2_client_call(); NULL or 0 takes what a gRPC client sends. */
	const char *method;  /* POST */
	const char *path;    /* /unpkg.Unpkg/FindOne */
	const char *type;    /* application/grpc; "" = none */
	const char *timeout; /* none */
	const char *filler;  /* value of one more field; none */
	struct slice body;
	bool open; /* the body does not end */

	/* What came. */
	char status[8];
	char grpc_status[8];
	char message[256];
	char encodings[32];
	struct buf reply;
	bool trailers; /* the status came behind a body */
	bool closed;
	uint32_t error; /* of the reset, when closed */
	size_t sent;
};

/** struct stream - The server's connection. */
struct stream {
	int64_t deadline_ns;
	bool closing;
	int64_t unix_time;
	struct h2_client *client;
};

/** struct h2_client - Both ends. */
struct h2_client {
	struct srv_options options; /* set before h2_client_open() */
	uint32_t window;            /* initial, of the client; 0 = the default */
	bool no_table;              /* announce a header table of size 0 */

	struct stream_protocol protocol;
	struct srv_spec spec;
	struct srv_worker worker;
	struct stream stream;
	void *state;
	struct buf replies; /* that the client has not read */
	bool deaf;          /* nothing is read */
	bool closed;        /* by the server */
	size_t largest;     /* bytes of replies to one input() */

	nghttp2_session *session; /* NULL for raw bytes alone */
	struct h2_call *calls[H2_CALLS_MAX];
	unsigned n;
	unsigned goaways;
	uint32_t goaway_error;
};

/** h2_client_open() - Begin; the client's preface is sent. */
void h2_client_open(struct h2_client *c, const struct http2_service *service);

/** h2_client_call() - Submit; @call is the caller's, and lives until h2_client_close(). */
void h2_client_call(struct h2_client *c, struct h2_call *call);

/** h2_client_feed() - Bytes for the server in pieces of @piece; 0 = whole. */
void h2_client_feed(struct h2_client *c, struct slice bytes, size_t piece);

/** h2_client_run() - Go back and forth until both are silent; see h2_client_feed(). */
void h2_client_run(struct h2_client *c, size_t piece);

/** h2_client_reply() - The message of a reply, without its prefix. */
struct slice h2_client_reply(const struct h2_call *call);

/** h2_client_close() - End; frees what replies hold. */
void h2_client_close(struct h2_client *c);

#endif
