#ifndef HARNESS_CODEC_H2_HEAD_H
#define HARNESS_CODEC_H2_HEAD_H

#include <nghttp2/nghttp2.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/buf.h"

struct load_params;

/**
 * DOC: Header blocks of HTTP/2 (HPACK, RFC 7541), by nghttp2. All requests of a run have the
 * same header, so its blocks are encoded once: the first request of a connection puts the
 * header into the peer's dynamic table, later ones refer to it, as any client of the protocol
 * would have it. A peer that wants a smaller table than HTTP/2's default gets literals.
 */

enum h2_block {
	H2_BLOCK_FIRST,   /* literals that enter the table */
	H2_BLOCK_NEXT,    /* references to them */
	H2_BLOCK_LITERAL, /* literals that leave the table alone */
	H2_BLOCKS
};

/** h2_head_encode() - The request's header in all three forms. Return: 0, or -1 after a
 *   message. */
int h2_head_encode(const struct load_params *params, bool grpc, struct buf blocks[H2_BLOCKS]);

/** struct h2_reply_head - What matters of a reply's header or trailers. */
struct h2_reply_head {
	unsigned status; /* 0 in trailers */
	int grpc_status; /* -1 when absent */
	bool has_length;
	uint64_t length;
};

/**
 * h2_head_decode() - Decode a whole block. @inflater: of the connection.
 *
 * Return: 0; -1 when it is no header block, or a malformed header (RFC 9113 section 8.1.1).
 */
int h2_head_decode(
	nghttp2_hd_inflater *inflater, const char *block, size_t len, struct h2_reply_head *head);

#endif
