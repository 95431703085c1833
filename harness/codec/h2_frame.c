#include <string.h>

#include "harness/codec/h2_frame.h"
#include "lib/buf.h"
#include "lib/bytes.h"

int h2_frame_parse(const char *data, size_t len, struct h2_frame *frame)
{
	size_t payload;

	if (len < H2_FRAME_HEAD)
		return 0;
	payload = bytes_get_u32(data) >> 8;
	if (payload > H2_FRAME_MAX)
		return -1;
	if (len - H2_FRAME_HEAD < payload)
		return 0;
	*frame = (struct h2_frame){
		.type = (uint8_t)data[3],
		.flags = (uint8_t)data[4],
		.stream = bytes_get_u32(data + 5) & (H2_STREAM_ID_LIMIT - 1),
		.payload = data + H2_FRAME_HEAD,
		.len = payload,
	};
	return (int)(H2_FRAME_HEAD + payload);
}

int h2_frame_put(struct buf *out, enum h2_type type, uint8_t flags, uint32_t stream,
	const void *payload, size_t len)
{
	char *head;

	if (buf_reserve(out, H2_FRAME_HEAD + len) != 0)
		return -1;
	head = buf_tail(out);
	bytes_put_u32(head, (uint32_t)len << 8 | type);
	head[4] = (char)flags;
	bytes_put_u32(head + 5, stream);
	if (len > 0)
		memcpy(head + H2_FRAME_HEAD, payload, len);
	out->end += H2_FRAME_HEAD + len;
	return 0;
}

int h2_frame_put_u32(struct buf *out, enum h2_type type, uint32_t stream, uint32_t value)
{
	char payload[4];

	bytes_put_u32(payload, value);
	return h2_frame_put(out, type, 0, stream, payload, sizeof(payload));
}
