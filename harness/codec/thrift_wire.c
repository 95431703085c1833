#include <string.h>

#include "harness/codec/thrift_wire.h"
#include "lib/buf.h"
#include "lib/bytes.h"

#define BINARY_VERSION_1 UINT32_C(0x80010000)
#define COMPACT_ID       0x82
#define COMPACT_VERSION  1
#define NAME_MAX_LEN     1024 /* bytes of a method name: longer is no honest reply */

/* Types of the compact protocol; a bool field's value is its type. */
enum compact_type {
	C_STOP,
	C_TRUE,
	C_FALSE,
	C_BYTE,
	C_I16,
	C_I32,
	C_I64,
	C_DOUBLE,
	C_BINARY,
	C_LIST,
	C_SET,
	C_MAP,
	C_STRUCT
};

/* What is being read, and where. */
struct cursor {
	const char *data;
	size_t len;
	size_t at;
	bool compact;
};

static enum thrift_parsed skip_struct(struct cursor *c, unsigned depth);

/* ------------------------------------------------------------------ numbers */

static enum thrift_parsed skip_bytes(struct cursor *c, uint64_t n)
{
	if (n > c->len - c->at)
		return THRIFT_PARTIAL;
	c->at += n;
	return THRIFT_WHOLE;
}

static enum thrift_parsed read_byte(struct cursor *c, uint8_t *value)
{
	if (c->at == c->len)
		return THRIFT_PARTIAL;
	*value = (uint8_t)c->data[c->at++];
	return THRIFT_WHOLE;
}

/* At most ten bytes, as 64 bits need. */
static enum thrift_parsed read_varint(struct cursor *c, uint64_t *value)
{
	*value = 0;
	for (unsigned shift = 0; shift < 70; shift += 7) {
		uint8_t byte;

		if (read_byte(c, &byte) != THRIFT_WHOLE)
			return THRIFT_PARTIAL;
		*value |= (uint64_t)(byte & 0x7f) << shift;
		if ((byte & 0x80) == 0)
			return THRIFT_WHOLE;
	}
	return THRIFT_BROKEN;
}

/* A size that must not be negative in either protocol. */
static enum thrift_parsed read_size(struct cursor *c, uint64_t *size)
{
	if (c->compact) {
		enum thrift_parsed parsed = read_varint(c, size);

		return parsed == THRIFT_WHOLE && *size > INT32_MAX ? THRIFT_BROKEN : parsed;
	}
	if (c->len - c->at < 4)
		return THRIFT_PARTIAL;
	*size = bytes_get_u32(c->data + c->at);
	c->at += 4;
	return *size > INT32_MAX ? THRIFT_BROKEN : THRIFT_WHOLE;
}

/* ------------------------------------------------------------------ the header */

int thrift_write_head(struct buf *out, bool compact, const char *name, int32_t seqid)
{
	size_t len = strlen(name);
	char head[8];
	char number[4];

	thrift_put_seqid(number, compact, seqid);
	if (compact) {
		head[0] = (char)COMPACT_ID;
		head[1] = (char)(COMPACT_VERSION | THRIFT_CALL << 5);
		if (buf_append(out, head, 2) != 0 || buf_append(out, number, 3) != 0)
			return -1;
		/* A length below 128 is one varint byte; the caller's URL is bounded so. */
		head[0] = (char)len;
		if (buf_append(out, head, 1) != 0)
			return -1;
		return buf_append(out, name, len);
	}
	bytes_put_u32(head, BINARY_VERSION_1 | THRIFT_CALL);
	bytes_put_u32(head + 4, (uint32_t)len);
	if (buf_append(out, head, 8) != 0 || buf_append(out, name, len) != 0)
		return -1;
	return buf_append(out, number, 4);
}

void thrift_put_seqid(char *at, bool compact, int32_t seqid)
{
	if (!compact) {
		bytes_put_u32(at, (uint32_t)seqid);
		return;
	}
	at[0] = (char)(0x80 | (seqid & 0x7f));
	at[1] = (char)(0x80 | (seqid >> 7 & 0x7f));
	at[2] = (char)(seqid >> 14 & 0x7f);
}

static enum thrift_parsed read_name(struct cursor *c, struct thrift_head *head)
{
	uint64_t size;
	enum thrift_parsed parsed = read_size(c, &size);

	if (parsed != THRIFT_WHOLE)
		return parsed;
	if (size > NAME_MAX_LEN)
		return THRIFT_BROKEN;
	head->name_at = c->at;
	head->name_len = size;
	return skip_bytes(c, size);
}

static enum thrift_parsed read_compact_head(struct cursor *c, struct thrift_head *head)
{
	uint64_t seqid;
	uint8_t id;
	uint8_t version;
	enum thrift_parsed parsed;

	if (read_byte(c, &id) != THRIFT_WHOLE)
		return THRIFT_PARTIAL;
	if (id != COMPACT_ID)
		return THRIFT_BROKEN;
	if (read_byte(c, &version) != THRIFT_WHOLE)
		return THRIFT_PARTIAL;
	if ((version & 0x1f) != COMPACT_VERSION)
		return THRIFT_BROKEN;
	head->type = version >> 5;
	head->seqid_at = c->at;
	parsed = read_varint(c, &seqid);
	if (parsed != THRIFT_WHOLE)
		return parsed;
	head->seqid_len = c->at - head->seqid_at;
	head->seqid = (int32_t)seqid;
	return read_name(c, head);
}

static enum thrift_parsed read_binary_head(struct cursor *c, struct thrift_head *head)
{
	uint32_t version;
	enum thrift_parsed parsed;

	if (c->len - c->at < 4)
		return THRIFT_PARTIAL;
	version = bytes_get_u32(c->data + c->at);
	/* We call in the strict form; a server answers in the form it was asked in. */
	if ((version & 0xffff0000) != BINARY_VERSION_1)
		return THRIFT_BROKEN;
	c->at += 4;
	head->type = version & 0xff;
	parsed = read_name(c, head);
	if (parsed != THRIFT_WHOLE)
		return parsed;
	if (c->len - c->at < 4)
		return THRIFT_PARTIAL;
	head->seqid_at = c->at;
	head->seqid_len = 4;
	head->seqid = (int32_t)bytes_get_u32(c->data + c->at);
	c->at += 4;
	return THRIFT_WHOLE;
}

enum thrift_parsed thrift_read_head(
	const char *data, size_t len, bool compact, struct thrift_head *head)
{
	struct cursor c = {.data = data, .len = len, .compact = compact};
	enum thrift_parsed parsed =
		compact ? read_compact_head(&c, head) : read_binary_head(&c, head);

	head->body_at = c.at;
	return parsed;
}

/* ------------------------------------------------------------------ values */

/* Elements that take no bytes would let a small message ask for endless work: every type of
 * both protocols takes at least one byte, so a size beyond the rest is partial or broken. */
static enum thrift_parsed skip_elements(struct cursor *c, uint8_t type, uint64_t n, unsigned depth);

static enum thrift_parsed skip_binary(struct cursor *c, uint8_t type, unsigned depth)
{
	uint64_t size;
	uint8_t types[2];
	enum thrift_parsed parsed;

	switch (type) {
	case THRIFT_BOOL:
	case THRIFT_BYTE:
		return skip_bytes(c, 1);
	case THRIFT_I16:
		return skip_bytes(c, 2);
	case THRIFT_I32:
		return skip_bytes(c, 4);
	case THRIFT_I64:
	case THRIFT_DOUBLE:
		return skip_bytes(c, 8);
	case THRIFT_STRING:
		parsed = read_size(c, &size);
		return parsed == THRIFT_WHOLE ? skip_bytes(c, size) : parsed;
	case THRIFT_STRUCT:
		return skip_struct(c, depth + 1);
	case THRIFT_MAP:
		if (read_byte(c, &types[0]) != THRIFT_WHOLE ||
			read_byte(c, &types[1]) != THRIFT_WHOLE)
			return THRIFT_PARTIAL;
		parsed = read_size(c, &size);
		for (uint64_t i = 0; parsed == THRIFT_WHOLE && i < size; i++) {
			parsed = skip_elements(c, types[0], 1, depth);
			if (parsed == THRIFT_WHOLE)
				parsed = skip_elements(c, types[1], 1, depth);
		}
		return parsed;
	case THRIFT_SET:
	case THRIFT_LIST:
		if (read_byte(c, &types[0]) != THRIFT_WHOLE)
			return THRIFT_PARTIAL;
		parsed = read_size(c, &size);
		return parsed == THRIFT_WHOLE ? skip_elements(c, types[0], size, depth) : parsed;
	default:
		return THRIFT_BROKEN;
	}
}

static enum thrift_parsed skip_compact_map(struct cursor *c, unsigned depth)
{
	uint64_t size;
	uint8_t types;
	enum thrift_parsed parsed = read_size(c, &size);

	if (parsed != THRIFT_WHOLE || size == 0)
		return parsed;
	parsed = read_byte(c, &types);
	for (uint64_t i = 0; parsed == THRIFT_WHOLE && i < size; i++) {
		parsed = skip_elements(c, types >> 4, 1, depth);
		if (parsed == THRIFT_WHOLE)
			parsed = skip_elements(c, types & 0xf, 1, depth);
	}
	return parsed;
}

static enum thrift_parsed skip_compact(struct cursor *c, uint8_t type, unsigned depth)
{
	uint64_t size;
	uint8_t head;
	enum thrift_parsed parsed;

	switch (type) {
	case C_TRUE:
	case C_FALSE:
	case C_BYTE:
		return skip_bytes(c, 1);
	case C_I16:
	case C_I32:
	case C_I64:
		return read_varint(c, &size);
	case C_DOUBLE:
		return skip_bytes(c, 8);
	case C_BINARY:
		parsed = read_size(c, &size);
		return parsed == THRIFT_WHOLE ? skip_bytes(c, size) : parsed;
	case C_STRUCT:
		return skip_struct(c, depth + 1);
	case C_MAP:
		return skip_compact_map(c, depth);
	case C_LIST:
	case C_SET:
		if (read_byte(c, &head) != THRIFT_WHOLE)
			return THRIFT_PARTIAL;
		size = head >> 4;
		parsed = size == 15 ? read_size(c, &size) : THRIFT_WHOLE;
		return parsed == THRIFT_WHOLE ? skip_elements(c, head & 0xf, size, depth) : parsed;
	default:
		return THRIFT_BROKEN;
	}
}

static enum thrift_parsed skip_elements(struct cursor *c, uint8_t type, uint64_t n, unsigned depth)
{
	enum thrift_parsed parsed = THRIFT_WHOLE;

	if (depth > THRIFT_DEPTH_MAX)
		return THRIFT_BROKEN;
	for (uint64_t i = 0; parsed == THRIFT_WHOLE && i < n; i++)
		parsed = c->compact ? skip_compact(c, type, depth + 1)
				    : skip_binary(c, type, depth + 1);
	return parsed;
}

static enum thrift_parsed skip_binary_field(struct cursor *c, uint8_t type, unsigned depth)
{
	if (skip_bytes(c, 2) != THRIFT_WHOLE)
		return THRIFT_PARTIAL;
	return skip_binary(c, type, depth);
}

static enum thrift_parsed skip_compact_field(struct cursor *c, uint8_t head, unsigned depth)
{
	uint8_t type = head & 0xf;
	uint64_t id;

	if (head >> 4 == 0) {
		enum thrift_parsed parsed = read_varint(c, &id);

		if (parsed != THRIFT_WHOLE)
			return parsed;
	}
	if (type == C_TRUE || type == C_FALSE)
		return THRIFT_WHOLE;
	return skip_compact(c, type, depth);
}

static enum thrift_parsed skip_struct(struct cursor *c, unsigned depth)
{
	if (depth > THRIFT_DEPTH_MAX)
		return THRIFT_BROKEN;
	for (;;) {
		enum thrift_parsed parsed;
		uint8_t head;

		if (read_byte(c, &head) != THRIFT_WHOLE)
			return THRIFT_PARTIAL;
		if (head == THRIFT_STOP)
			return THRIFT_WHOLE;
		parsed = c->compact ? skip_compact_field(c, head, depth)
				    : skip_binary_field(c, head, depth);
		if (parsed != THRIFT_WHOLE)
			return parsed;
	}
}

enum thrift_parsed thrift_skip_struct(const char *data, size_t len, bool compact, size_t *at)
{
	struct cursor c = {.data = data, .len = len, .at = *at, .compact = compact};
	enum thrift_parsed parsed = skip_struct(&c, 0);

	*at = c.at;
	return parsed;
}

int thrift_first_field(const char *body, size_t len, bool compact)
{
	struct cursor c = {.data = body, .len = len, .compact = compact};
	uint64_t id;
	uint8_t head;

	if (read_byte(&c, &head) != THRIFT_WHOLE || head == THRIFT_STOP)
		return -1;
	if (!compact)
		return len < 3 ? -1 : (uint8_t)body[1] << 8 | (uint8_t)body[2];
	if (head >> 4 != 0)
		return head >> 4;
	if (read_varint(&c, &id) != THRIFT_WHOLE)
		return -1;
	/* Field ids are zigzag-encoded. */
	return (int)(id >> 1 ^ (~(id & 1) + 1));
}
