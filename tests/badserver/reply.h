#ifndef TESTS_BADSERVER_REPLY_H
#define TESTS_BADSERVER_REPLY_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "lib/buf.h"
#include "tests/badserver/script.h"

/** enum end - What becomes of the connection after a reply. */
enum end { END_NONE, END_FIN, END_CLOSE, END_RESET };

/**
 * struct reply - Bytes on their way out: @head, then @pattern so many times, then @tail.
 *
 * A protocol fills these four; conn_reply() knows the rest.
 */
struct reply {
	struct buf head;
	struct buf pattern;
	uint64_t times;
	struct buf tail;
	enum end end;

	struct reply *next;
	bool control; /* no reply, just bytes */
	int64_t due_ns;
	int64_t pace_ns;
	uint64_t sent;
	uint64_t limit; /* bytes that go out before @end */
	uint64_t split; /* the first pause is before this byte */
	uint64_t piece; /* and the later ones that many bytes apart; 0 = none */
	int64_t gap_ns;
};

#define REPLY_ENDLESS UINT64_MAX /* as @times */
#define REPLY_NEVER   UINT64_MAX /* as @split; as a length: there is no end */

/** append() - As buf_append(); without memory there is no test. */
static inline void append(struct buf *to, const void *data, size_t len)
{
	if (buf_append(to, data, len) != 0)
		abort();
}

/** reply_wrap - Append one unit of a body to @out; @last: the last one. */
typedef void reply_wrap(struct buf *out, const char *data, size_t len, bool last, void *ctx);

/**
 * reply_body() - Append a body in units of at most @unit bytes.
 *
 * Its length is that of ACT_BODY, or 2 for "hi"; a long one becomes the pattern. What the
 * protocol appends after it belongs into reply_rest().
 */
void reply_body(
	struct reply *reply, const struct acts *acts, size_t unit, reply_wrap *wrap, void *ctx);

/** reply_rest() - Where the bytes behind the body go. */
struct buf *reply_rest(struct reply *reply);

/** reply_act() - What @acts do to its bytes and times. @number: of the request. */
void reply_act(struct reply *reply, const struct acts *acts, uint64_t number);

/** reply_length() - Bytes of all of it, or REPLY_NEVER. */
uint64_t reply_length(const struct reply *reply);

/** reply_span() - The bytes to go that lie together, up to the next pause or the end. */
size_t reply_span(const struct reply *reply, const char **data);

/** reply_copy() - Make @copy, which has the same fields, own bytes of its own. */
void reply_copy(struct reply *copy, const struct reply *reply);

/** reply_free() - And the struct itself. */
void reply_free(struct reply *reply);

#endif
