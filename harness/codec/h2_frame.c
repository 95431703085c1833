#include <string.h>

#include "harness/codec/h2_frame.h"
#include "lib/buf.h"

uint32_t h2_get_u32(const char *at)
{
	const unsigned char *b = (const unsigned char *)at;

	return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
}

static void put_u32(char *at, uint32_t value)
{
	at[0] = (char)(value >> 24);
	at[1] = (char)(value >> 16);
	at[2] = (char)(value >> 8);
	at[3] = (char)value;
}

int h2_frame_parse(const char *data, size_t len, struct h2_frame *frame)
{
	size_t payload;

	if (len < H2_FRAME_HEAD)
		return 0;
	payload = h2_get_u32(data) >> 8;
	if (payload > H2_FRAME_MAX)
		return -1;
	if (len - H2_FRAME_HEAD < payload)
		return 0;
	*frame = (struct h2_frame){
		.type = (uint8_t)data[3],
		.flags = (uint8_t)data[4],
		.stream = h2_get_u32(data + 5) & (H2_STREAM_ID_LIMIT - 1),
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
	put_u32(head, (uint32_t)len << 8 | type);
	head[4] = (char)flags;
	put_u32(head + 5, stream);
	if (len > 0)
		memcpy(head + H2_FRAME_HEAD, payload, len);
	out->end += H2_FRAME_HEAD + len;
	return 0;
}

int h2_frame_put_u32(struct buf *out, enum h2_type type, uint32_t stream, uint32_t value)
{
	char payload[4];

	put_u32(payload, value);
	return h2_frame_put(out, type, 0, stream, payload, sizeof(payload));
}
