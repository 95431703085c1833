#ifndef SERVERS_COMMON_HTTP2_STREAM_H
#define SERVERS_COMMON_HTTP2_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>

#include "lib/buf.h"
#include "servers/common/http2.h"

struct http2;

/** struct http2_stream - A request and its reply; for http2.c. */
struct http2_stream {
	LIST_ENTRY(http2_stream) link;  /* of the pool's lists */
	TAILQ_ENTRY(http2_stream) turn; /* while it waits for its turn to be answered */
	LIST_ENTRY(http2_stream) timed; /* while it has a deadline */
	struct http2 *conn;
	int32_t id;
	bool waits;          /* in the queue: the request is complete */
	bool refused;        /* http2_refuse() was called */
	bool answered;       /* http2_answer() was called */
	int64_t deadline_ns; /* 0 = none */
	struct http2_fields trailers;
	size_t vain;      /* bytes that came after one of these */
	struct buf body;  /* of the request */
	struct buf reply; /* not handed to the session yet */
	max_align_t state[];
};

LIST_HEAD(http2_streams, http2_stream);
TAILQ_HEAD(http2_queue, http2_stream);

/** struct http2_pool - The streams of a connection; some of those that ended are kept. */
struct http2_pool {
	size_t state_size;
	struct http2_streams used;
	struct http2_streams spare;
	size_t n_used;
	size_t n_spare;
};

/** http2_pool_init() - An empty pool; @state_size bytes go to the handler in each stream. */
void http2_pool_init(struct http2_pool *pool, size_t state_size);

/** http2_pool_take() - A stream without content. Return: NULL with errno ENOMEM. */
struct http2_stream *http2_pool_take(struct http2_pool *pool);

/** http2_pool_give() - Take a stream back. */
void http2_pool_give(struct http2_pool *pool, struct http2_stream *stream);

/** http2_pool_free() - Free all streams, used ones as well. */
void http2_pool_free(struct http2_pool *pool);

#endif
