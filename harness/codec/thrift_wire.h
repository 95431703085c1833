#ifndef HARNESS_CODEC_THRIFT_WIRE_H
#define HARNESS_CODEC_THRIFT_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buf;

/**
 * DOC: Thrift's binary and compact protocols, as far as a load generator needs them: write a
 * message header and arguments, find the end of a reply and its parts. Source: the Thrift
 * protocol specifications doc/specs/thrift-binary-protocol.md and thrift-compact-protocol.md of
 * the Apache Thrift project.
 */

#define THRIFT_DEPTH_MAX 64 /* nested structs and containers; Thrift's own libraries use 64 */

/* Sequence numbers of requests lie in [2^14, 2^21): three bytes as a varint, so that all
 * compact messages of a run have one length and differ in these bytes only. */
#define THRIFT_SEQID_MIN (INT32_C(1) << 14)
#define THRIFT_SEQID_MAX (INT32_C(1) << 21)

enum thrift_message { THRIFT_CALL = 1, THRIFT_REPLY = 2, THRIFT_EXCEPTION = 3, THRIFT_ONEWAY = 4 };

/** enum thrift_type - Field types of the binary protocol. */
enum thrift_type {
	THRIFT_STOP = 0,
	THRIFT_BOOL = 2,
	THRIFT_BYTE = 3,
	THRIFT_DOUBLE = 4,
	THRIFT_I16 = 6,
	THRIFT_I32 = 8,
	THRIFT_I64 = 10,
	THRIFT_STRING = 11,
	THRIFT_STRUCT = 12,
	THRIFT_MAP = 13,
	THRIFT_SET = 14,
	THRIFT_LIST = 15,
};

/** struct thrift_head - A message's header, as offsets into its bytes. */
struct thrift_head {
	enum thrift_message type;
	int32_t seqid;
	size_t seqid_at;  /* where the sequence number's bytes are */
	size_t seqid_len; /* and how many */
	size_t name_at;
	size_t name_len;
	size_t body_at; /* the struct that follows */
};

/** enum thrift_parsed - What reading a piece of a message found. */
enum thrift_parsed { THRIFT_WHOLE, THRIFT_PARTIAL, THRIFT_BROKEN };

/** thrift_write_head() - Append a CALL header for method @name. Return: 0, or -1 with ENOMEM. */
int thrift_write_head(struct buf *out, bool compact, const char *name, int32_t seqid);

/** thrift_put_seqid() - Overwrite a sequence number of [THRIFT_SEQID_MIN, THRIFT_SEQID_MAX). */
void thrift_put_seqid(char *at, bool compact, int32_t seqid);

/** thrift_seqid_len() - Bytes of such a number on the wire. */
static inline size_t thrift_seqid_len(bool compact)
{
	return compact ? 3 : 4;
}

/** thrift_read_head() - Take the header of a message apart. */
enum thrift_parsed thrift_read_head(
	const char *data, size_t len, bool compact, struct thrift_head *head);

/**
 * thrift_skip_struct() - Find the end of a struct.
 * @at: offset of its first byte; set to the offset behind its last when whole.
 *
 * Sizes are checked against @len before anything is skipped, depth against THRIFT_DEPTH_MAX.
 */
enum thrift_parsed thrift_skip_struct(const char *data, size_t len, bool compact, size_t *at);

/**
 * thrift_first_field() - The id of a whole struct's first field: 0 is the result of a call.
 *
 * Return: the id, or -1 when the struct is empty.
 */
int thrift_first_field(const char *body, size_t len, bool compact);

/**
 * thrift_write_args() - Append a struct given in the text form of Thrift's JSON protocol.
 * @text, @len: e.g. {"1":{"rec":{"1":{"str":"koa-suit"}}}}; empty for a struct without fields.
 *
 * Return: 0, or -1 after a message that names the path of what is wrong.
 */
int thrift_write_args(struct buf *out, bool compact, const char *text, size_t len);

#endif
