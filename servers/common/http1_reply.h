#ifndef SERVERS_COMMON_HTTP1_REPLY_H
#define SERVERS_COMMON_HTTP1_REPLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "servers/common/http1.h"

/** enum http1_persistence - What becomes of the connection, and what a reply says about it. */
enum http1_persistence {
	HTTP1_PERSISTS,      /* as 1.1 does by itself: no word */
	HTTP1_PERSISTS_SAID, /* Connection: keep-alive, asked for by a client of 1.0 */
	HTTP1_CLOSES,        /* Connection: close */
};

/** struct http1_reply - A reply being written; for http1.c, which fills the first part. */
struct http1_reply {
	struct http1 *conn;
	struct buf *out;
	int64_t unix_time; /* for Date */
	unsigned allow;    /* methods for the Allow header of a 405 */
	bool head_only;    /* the request was a HEAD */
	enum http1_persistence persistence;

	/* offsets from buf_head(out); buf_reserve() may move the bytes */
	size_t start;
	size_t length_at; /* the digits of Content-Length */
	size_t digits;    /* reserved for them */
	size_t body_at;   /* 0 = not begun */
};

/** http1_reply_end() - Set Content-Length to what was appended; drop it again for a HEAD. */
int http1_reply_end(struct http1_reply *reply);

/** http1_reply_error() - Replace what was written so far by a reply that says @status. */
int http1_reply_error(struct http1_reply *reply, int status);

#endif
