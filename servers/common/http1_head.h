#ifndef SERVERS_COMMON_HTTP1_HEAD_H
#define SERVERS_COMMON_HTTP1_HEAD_H

#include <llhttp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/slice.h"

/** enum http1_field - Header fields that are looked at, beyond those that llhttp knows. */
enum http1_field {
	HTTP1_FIELD_OTHER,
	HTTP1_FIELD_HOST,
	HTTP1_FIELD_EXPECT,
	HTTP1_FIELD_CODING, /* Transfer-Encoding */
	HTTP1_FIELDS,
};

/** struct http1_head - What was noted of a header block while it was parsed; points into it. */
struct http1_head {
	struct slice target;
	struct slice values[HTTP1_FIELDS]; /* the last one of each field */
	uint8_t counts[HTTP1_FIELDS];      /* up to 2: more than one is wrong for all of them */
	uint8_t field;                     /* of the value that comes next */
	bool broken;                       /* what llhttp lets pass and RFC 9112 does not */
	const char *end;                   /* of the name or value noted last */
};

/** http1_head_field() - Note a field's name, in one piece. */
void http1_head_field(struct http1_head *head, struct slice name);

/** http1_head_value() - Note a field's value, in one piece unless it is folded. */
void http1_head_value(struct http1_head *head, struct slice value);

/**
 * http1_head_check() - Judge a complete header block.
 * @parser: which parsed it, in its callback on_headers_complete.
 *
 * Return: 0, or the status to refuse the request with.
 */
int http1_head_check(const struct http1_head *head, const llhttp_t *parser);

/**
 * http1_head_expects() - Judge the field Expect, RFC 9110 section 10.1.1.
 *
 * Return: 1 when the client waits for the interim reply 100, 0 when it does not, -1 when it
 *   expects something else.
 */
int http1_head_expects(const struct http1_head *head, const llhttp_t *parser);

/**
 * http1_head_explain() - Why llhttp stopped in a header block.
 * @data: the block from its first byte, at least up to the end of the request line.
 *
 * Return: the status to refuse the request with.
 */
int http1_head_explain(struct slice data, llhttp_errno_t error);

#endif
