#ifndef HARNESS_CODEC_H2_CONN_H
#define HARNESS_CODEC_H2_CONN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "harness/codec/codec.h"
#include "harness/codec/h2_head.h"
#include "harness/codec/reference.h"
#include "lib/buf.h"

/**
 * DOC: A client's HTTP/2 connection, shared by the two halves of the codec: h2_send.c has what
 * goes out, h2.c what comes in. Nobody else uses this.
 */

#define GRPC_PREFIX 5    /* compressed flag and length of a message */
#define KNOWN_MAX   1024 /* bytes of a header block worth remembering */

/* A header block of an earlier reply, and what it means. */
struct h2_known {
	char block[KNOWN_MAX];
	size_t len; /* 0 = none */
	struct h2_reply_head head;
};

/* What the connections of a thread share. */
struct h2_shared {
	struct buf hello; /* preface, SETTINGS, and a wide window */
	struct buf blocks[H2_BLOCKS];
	struct buf body; /* for gRPC with the message's prefix */
	bool grpc;
	bool head; /* the method is HEAD */
	bool check_status;
	struct reference *reference;
	enum check_level level;
	struct h2_known header;
	struct h2_known trailers;
};

/* The request in one slot. */
struct h2_stream {
	uint32_t id;         /* 0 = not begun */
	bool got_header;     /* the reply's */
	int64_t send_window; /* bytes the peer lets us send on it */
	size_t sent;         /* bytes of the body */
	size_t bytes;        /* of the reply on the wire */
	uint32_t unrefilled; /* bytes received since its window was opened again */
	struct h2_reply_head head;
	size_t prefix_len; /* bytes of the message's prefix so far */
	unsigned char prefix[GRPC_PREFIX];
	struct body_check check;
};

struct h2 {
	const struct codec_env *env;
	struct h2_shared *shared;
	nghttp2_hd_inflater *inflater;
	struct h2_stream *streams; /* by slot */
	uint32_t *slot_of;         /* by low bits of a stream's number: a guess to be checked */
	uint32_t slot_mask;
	uint32_t *waiting; /* a ring of slots that wait for a stream */
	uint32_t waiting_head;
	uint32_t waiting_n;
	uint32_t active; /* streams */
	uint32_t unsent; /* of them with a rest of their body */
	uint32_t next_id;
	enum h2_block block; /* form of the next request's header */
	bool shrink_table;   /* the next block must say so */
	bool going_away;     /* no new streams */
	bool gave_up;        /* on some stream: its reply may still come */
	bool got_settings;
	uint32_t max_streams; /* the peer's settings */
	int64_t initial_window;
	int64_t send_window; /* of the connection */
	uint32_t unrefilled;
	uint32_t continued; /* the stream that CONTINUATION must follow on, or 0 */
	uint8_t continued_flags;
	struct buf headers; /* a header block over several frames */
	struct buf control; /* frames we owe */
	struct buf partial; /* a frame that is not whole yet */
};

/** h2c_prepare(), grpc_prepare(), h2_release() - As codec_ops has them. */
void *h2c_prepare(const struct load_params *params, struct reference *reference);
void *grpc_prepare(const struct load_params *params, struct reference *reference);
void h2_release(void *shared);

/** h2_submit(), h2_flush() - As codec_ops has them. */
int h2_submit(void *state, uint32_t slot);
int h2_flush(void *state, struct buf *out);

/** h2_next_waiting() - Take the slot off the ring that has waited longest for a stream. */
uint32_t h2_next_waiting(struct h2 *h);

#endif
