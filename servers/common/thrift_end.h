#ifndef SERVERS_COMMON_THRIFT_END_H
#define SERVERS_COMMON_THRIFT_END_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * DOC: Where a Thrift message ends, and whether its structure holds.
 *
 * An unframed message says nowhere how long it is: its fields have to be walked to the end. A
 * framed one is walked as well, so that every length inside it is known to lie within the frame
 * before anything is allocated for it. The walk takes no memory, goes on where it stopped when
 * more bytes have come, and passes over strings and containers of fixed-size elements at once.
 *
 * Sources: doc/specs/thrift-binary-protocol.md and thrift-compact-protocol.md of Apache Thrift.
 */

#define THRIFT_DEPTH_MAX 64  /* structs and containers inside each other, as other libraries */
#define THRIFT_NAME_MAX  255 /* bytes of a method's name */

/** enum thrift_encoding - How a message is written. */
enum thrift_encoding { THRIFT_BINARY, THRIFT_COMPACT };

/** enum thrift_message - The types of messages that a server takes. */
enum thrift_message { THRIFT_CALL = 1, THRIFT_ONEWAY = 4 };

/** struct thrift_head - The head of a message. */
struct thrift_head {
	enum thrift_message type;
	int32_t seqid;
	char name[THRIFT_NAME_MAX + 1]; /* of the method; not empty, no NUL inside */
};

/** struct thrift_level - A struct or container whose end has not been found yet. */
struct thrift_level {
	bool fields;      /* a struct: fields until a stop */
	uint8_t types[2]; /* of the elements: lists have one type, maps alternate, by left's parity
			   */
	uint64_t left;    /* elements to come */
};

/** enum thrift_found - What thrift_end_find() says. */
enum thrift_found {
	THRIFT_BAD = -1, /* malformed, over a limit, or no request: give the connection up */
	THRIFT_MORE = 0, /* goes on past the bytes that are here */
	THRIFT_END = 1,  /* whole: its length is in struct thrift_end.pos */
};

/** struct thrift_end - A walk over one message. */
struct thrift_end {
	struct thrift_head head; /* once past it */
	size_t pos;              /* bytes walked; may run ahead of those that are here */
	/* private */
	enum thrift_encoding encoding;
	size_t limit;
	unsigned depth; /* levels in use; 0 before the head and after the end */
	struct thrift_level levels[THRIFT_DEPTH_MAX];
};

/**
 * thrift_end_begin() - Start on a new message of at most @limit bytes.
 * @limit: up to INT32_MAX, so that a length that others take for negative is over it.
 */
void thrift_end_begin(struct thrift_end *end, enum thrift_encoding encoding, size_t limit);

/**
 * thrift_end_find() - Walk on.
 * @data, @len: what is here of the message, from its first byte: the bytes of the call before,
 *   and more. Bytes behind the message are not looked at.
 */
enum thrift_found thrift_end_find(struct thrift_end *end, const char *data, size_t len);

#endif
