#ifndef TESTS_BADSERVER_SCRIPT_H
#define TESTS_BADSERVER_SCRIPT_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/slice.h"

/** DOC: What is to go wrong, and when; the grammar is in README.md. */

enum proto {
	PROTO_HTTP1 = 1,
	PROTO_H2C = 2,
	PROTO_GRPC = 4,
	PROTO_THRIFT_FRAMED = 8,
	PROTO_THRIFT_BINARY = 16,
};

/** enum act - All that can go wrong. Their names, arguments and protocols: table in script.c. */
enum act {
	ACT_DELAY,
	ACT_PACE,
	ACT_STALL,
	ACT_SPLIT,
	ACT_WALK,
	ACT_PIECES,
	ACT_GAP,
	ACT_CLOSE,
	ACT_RESET,
	ACT_FIN,
	ACT_DROP,
	ACT_EXTRA,
	ACT_SWAP,
	ACT_BEFORE,
	ACT_RAW,
	ACT_THEN,
	ACT_IGNORE,
	ACT_HOLD,
	ACT_REFUSE,
	ACT_DIE,
	ACT_EXIT,
	ACT_BODY,
	ACT_WRONG,
	ACT_STATUS,
	ACT_HEADER,
	ACT_LENGTH,
	ACT_NO_LENGTH,
	ACT_VERSION,
	ACT_CHUNKED,
	ACT_CHUNK_EXT,
	ACT_TRAILER,
	ACT_LF,
	ACT_INTERIM,
	ACT_ENDLESS,
	ACT_LONG_HEADER,
	ACT_NUMBERED,
	ACT_NO_BODY,
	ACT_EARLY,
	ACT_PAD,
	ACT_CONTINUATION,
	ACT_FRAME,
	ACT_RST,
	ACT_GOAWAY,
	ACT_LAST,
	ACT_SETTINGS,
	ACT_NO_SETTINGS,
	ACT_PING,
	ACT_GRPC_STATUS,
	ACT_NO_TRAILERS,
	ACT_TRAILERS_ONLY,
	ACT_MESSAGES,
	ACT_COMPRESSED,
	ACT_SEQID,
	ACT_NAME,
	ACT_TYPE,
	ACT_EXCEPTION,
	ACT_FIELD,
	ACTS
};

/** struct acts - What is to happen to one request or connection. */
struct acts {
	uint64_t set; /* a bit each */
	int64_t number[ACTS];
	struct slice text[ACTS];
};

_Static_assert(ACTS <= 64, "a bit each");

static inline bool has(const struct acts *acts, enum act act)
{
	return (acts->set >> act & 1) != 0;
}

/** act_number() - The argument of @act, or @otherwise when it is not to happen. */
static inline int64_t act_number(const struct acts *acts, enum act act, int64_t otherwise)
{
	return has(acts, act) ? acts->number[act] : otherwise;
}

/**
 * script_parse() - Read the rules.
 * @rules: one string each. @proto: what they must make sense for.
 *
 * Return: 0, or -1 after a message that names the rule, the word and what was expected.
 */
int script_parse(char **rules, int n, enum proto proto);

/** script_free() - Forget all rules. */
void script_free(void);

/** struct moment - What the conditions of rules ask about. */
struct moment {
	bool connection;    /* one was accepted; else a request has come */
	uint64_t number;    /* of the connection or request, from 1, over the whole server */
	uint64_t of_conn;   /* of the request on its connection, from 1 */
	int64_t elapsed_ns; /* since the first connection */
};

/** script_at() - What is to happen now. @acts: set anew; later rules win. */
void script_at(const struct moment *moment, struct acts *acts);

#endif
