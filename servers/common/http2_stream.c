#include <stdlib.h>
#include <string.h>

#include "servers/common/http2_stream.h"

#define SPARE_MAX 128       /* streams kept by a connection: more at once are rare */
#define KEEP_MAX  (4 << 10) /* bytes of a buffer kept with a spare stream */

void http2_pool_init(struct http2_pool *pool, size_t state_size)
{
	*pool = (struct http2_pool){.state_size = state_size};
	LIST_INIT(&pool->used);
	LIST_INIT(&pool->spare);
}

static void stream_free(struct http2_stream *s)
{
	buf_free(&s->body);
	buf_free(&s->reply);
	free(s);
}

static void buf_recycle(struct buf *b)
{
	if (b->cap > KEEP_MAX)
		buf_free(b);
	else
		buf_clear(b);
}

struct http2_stream *http2_pool_take(struct http2_pool *pool)
{
	struct http2_stream *s = LIST_FIRST(&pool->spare);

	if (s != NULL) {
		LIST_REMOVE(s, link);
		pool->n_spare--;
	} else {
		s = calloc(1, sizeof(*s) + pool->state_size);
		if (s == NULL)
			return NULL;
	}
	LIST_INSERT_HEAD(&pool->used, s, link);
	pool->n_used++;
	return s;
}

void http2_pool_give(struct http2_pool *pool, struct http2_stream *s)
{
	struct buf body;
	struct buf reply;

	LIST_REMOVE(s, link);
	pool->n_used--;
	if (pool->n_spare >= SPARE_MAX) {
		stream_free(s);
		return;
	}
	buf_recycle(&s->body);
	buf_recycle(&s->reply);
	body = s->body;
	reply = s->reply;
	memset(s, 0, sizeof(*s) + pool->state_size);
	s->body = body;
	s->reply = reply;
	LIST_INSERT_HEAD(&pool->spare, s, link);
	pool->n_spare++;
}

static void free_all(struct http2_streams *streams)
{
	struct http2_stream *s;

	while ((s = LIST_FIRST(streams)) != NULL) {
		LIST_REMOVE(s, link);
		stream_free(s);
	}
}

void http2_pool_free(struct http2_pool *pool)
{
	free_all(&pool->used);
	free_all(&pool->spare);
}
