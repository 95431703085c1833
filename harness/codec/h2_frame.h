#ifndef HARNESS_CODEC_H2_FRAME_H
#define HARNESS_CODEC_H2_FRAME_H

#include <stddef.h>
#include <stdint.h>

struct buf;

/** DOC: HTTP/2 frames, RFC 9113 section 4.1 and 6. */

#define H2_PREFACE         "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" /* section 3.4 */
#define H2_FRAME_HEAD      9                                  /* bytes */
#define H2_FRAME_MAX       16384     /* bytes of payload, the default and the least limit */
#define H2_WINDOW_DEFAULT  65535     /* bytes; section 6.9.2 */
#define H2_WINDOW_MAX      INT32_MAX /* section 6.9.1 */
#define H2_STREAM_ID_LIMIT (UINT32_C(1) << 31)

enum h2_type {
	H2_DATA,
	H2_HEADERS,
	H2_PRIORITY,
	H2_RST_STREAM,
	H2_SETTINGS,
	H2_PUSH_PROMISE,
	H2_PING,
	H2_GOAWAY,
	H2_WINDOW_UPDATE,
	H2_CONTINUATION,
};

enum h2_flag {
	H2_END_STREAM = 0x1,
	H2_ACK = 0x1,
	H2_END_HEADERS = 0x4,
	H2_PADDED = 0x8,
	H2_PRIORITY_FIELDS = 0x20,
};

enum h2_setting {
	H2_HEADER_TABLE_SIZE = 1,
	H2_ENABLE_PUSH = 2,
	H2_MAX_CONCURRENT_STREAMS = 3,
	H2_INITIAL_WINDOW_SIZE = 4,
	H2_MAX_FRAME_SIZE = 5,
};

enum h2_error {
	H2_NO_ERROR = 0,
	H2_REFUSED_STREAM = 7,
	H2_CANCEL = 8,
	H2_ENHANCE_YOUR_CALM = 11,
	H2_INADEQUATE_SECURITY = 12
};

/** struct h2_frame - A whole frame; @payload is borrowed. */
struct h2_frame {
	uint8_t type;
	uint8_t flags;
	uint32_t stream;
	const char *payload;
	size_t len;
};

/** h2_frame_parse() - Take the frame in front of @data apart. Return: its length, head
 *   included; 0 when it is not whole; -1 when it is larger than H2_FRAME_MAX. */
int h2_frame_parse(const char *data, size_t len, struct h2_frame *frame);

/** h2_frame_put() - Append a frame. Return: 0, or -1 with ENOMEM. */
int h2_frame_put(struct buf *out, enum h2_type type, uint8_t flags, uint32_t stream,
	const void *payload, size_t len);

/** h2_frame_put_u32() - Append a frame whose payload is one number: WINDOW_UPDATE, RST_STREAM. */
int h2_frame_put_u32(struct buf *out, enum h2_type type, uint32_t stream, uint32_t value);

#endif
