#ifndef TESTS_UNIT_H2_PEER_H
#define TESTS_UNIT_H2_PEER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <nghttp2/nghttp2.h>

#include "lib/buf.h"
#include "lib/slice.h"

/**
 * DOC: The server end of an HTTP/2 connection in memory, by nghttp2: the reference that our own
 * client side is tested against.
 */

/** struct h2_peer - What it does, and what it saw. */
struct h2_peer {
	/* Set before h2_peer_open(). */
	struct slice body;       /* of each reply, as it goes into DATA */
	const char *status;      /* ":status" */
	const char *grpc_status; /* in trailers; NULL: no trailers */
	const char *filler;      /* value of one more header, to need CONTINUATION; NULL: none */
	bool interim;            /* 103 first */
	size_t padding;          /* bytes of padding of each frame that can have it */
	uint32_t max_streams;    /* 0: not announced */
	uint32_t window;         /* initial, for the client's bodies; 0: the default */
	uint32_t table_size;     /* of the header table; UINT32_MAX: the default */
	bool hold;               /* no reply until h2_peer_reply_all() */

	/* What came. */
	unsigned requests;
	unsigned most_at_once;
	size_t body_bytes;
	char path[128];
	char authority[128];
	bool failed; /* nghttp2 found an error in what the client sent */

	nghttp2_session *session;
	struct buf out;
	int32_t held[1024];
	unsigned held_n;
	unsigned open;
};

/** h2_peer_open() - Begin the connection; its SETTINGS are queued. */
void h2_peer_open(struct h2_peer *p);

/** h2_peer_feed() - Bytes of the client. */
void h2_peer_feed(struct h2_peer *p, struct slice bytes);

/** h2_peer_take() - What it wants to send, until the next call. */
struct slice h2_peer_take(struct h2_peer *p);

/** h2_peer_reply_all() - Answer what was held back. */
void h2_peer_reply_all(struct h2_peer *p);

void h2_peer_close(struct h2_peer *p);

#endif
