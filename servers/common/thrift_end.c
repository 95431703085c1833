/*
 * thrift_end_find: the head once, then a step for each field, element and end of a level
 *   binary_head, binary_field, binary_value: the binary protocol's tokens
 *   compact_head, compact_field, compact_value: the compact protocol's
 * A token is taken whole or not at all, so a walk that runs out of bytes goes on at a token.
 */
#include <string.h>

#include "servers/common/thrift_end.h"

#define VARINT_MAX 10 /* bytes of a 64-bit varint */

/* Types of the binary protocol; those of the compact protocol follow. */
enum {
	B_STOP = 0,
	B_BOOL = 2,
	B_BYTE = 3,
	B_DOUBLE = 4,
	B_I16 = 6,
	B_I32 = 8,
	B_I64 = 10,
	B_STRING = 11,
	B_STRUCT = 12,
	B_MAP = 13,
	B_SET = 14,
	B_LIST = 15,
};

enum {
	C_STOP = 0,
	C_TRUE = 1,
	C_FALSE = 2,
	C_BYTE = 3,
	C_I16 = 4,
	C_I32 = 5,
	C_I64 = 6,
	C_DOUBLE = 7,
	C_BINARY = 8,
	C_LIST = 9,
	C_SET = 10,
	C_MAP = 11,
	C_STRUCT = 12,
	C_BOOL_FIELD = 16, /* ours: a field whose value is in its header */
};

/* What is here and not yet taken. */
struct cursor {
	const uint8_t *at;
	size_t left;
};

/* A value after its own header: bytes to pass over, or a level to enter. */
struct value {
	uint64_t skip;
	bool enter;
	struct thrift_level level;
};

/* The tokens of an encoding. Each takes from the cursor what it says, or fails. */
struct tokens {
	enum thrift_found (*head)(struct cursor *c, struct thrift_head *head);
	enum thrift_found (*field)(struct cursor *c, uint8_t *type); /* type 0: the struct ends */
	enum thrift_found (*value)(struct cursor *c, uint8_t type, struct value *value);
};

static enum thrift_found take(struct cursor *c, size_t n, const uint8_t **bytes)
{
	if (c->left < n)
		return THRIFT_MORE;
	*bytes = c->at;
	c->at += n;
	c->left -= n;
	return THRIFT_END;
}

static enum thrift_found take_u32(struct cursor *c, uint32_t *value)
{
	const uint8_t *b;

	if (take(c, 4, &b) != THRIFT_END)
		return THRIFT_MORE;
	*value = (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
	return THRIFT_END;
}

static enum thrift_found take_varint(struct cursor *c, uint64_t *value)
{
	const uint8_t *at = c->at;

	*value = 0;
	for (size_t i = 0; i < VARINT_MAX; i++) {
		if (i == c->left)
			return THRIFT_MORE;
		*value |= (uint64_t)(at[i] & 0x7f) << (7 * i);
		if (at[i] < 0x80) {
			c->at += i + 1;
			c->left -= i + 1;
			return THRIFT_END;
		}
	}
	return THRIFT_BAD;
}

/* The name itself, @len as its header says. */
static enum thrift_found take_name(struct cursor *c, uint64_t len, struct thrift_head *head)
{
	const uint8_t *name;

	if (len == 0 || len > THRIFT_NAME_MAX)
		return THRIFT_BAD;
	if (take(c, len, &name) != THRIFT_END)
		return THRIFT_MORE;
	memcpy(head->name, name, len);
	head->name[len] = '\0';
	return memchr(name, 0, len) == NULL ? THRIFT_END : THRIFT_BAD;
}

static enum thrift_found check_type(unsigned type, struct thrift_head *head)
{
	if (type != THRIFT_CALL && type != THRIFT_ONEWAY)
		return THRIFT_BAD;
	head->type = (enum thrift_message)type;
	return THRIFT_END;
}

/* Strict: version and type, name, sequence id. Old: name, type, sequence id. */
static enum thrift_found binary_head(struct cursor *c, struct thrift_head *head)
{
	enum thrift_found found;
	const uint8_t *type;
	uint32_t word;
	uint32_t len;

	found = take_u32(c, &word);
	if (found != THRIFT_END)
		return found;
	if (word >> 31 != 0) {
		if (word >> 16 != 0x8001 || check_type(word & 0xff, head) != THRIFT_END)
			return THRIFT_BAD;
		found = take_u32(c, &len);
		if (found == THRIFT_END)
			found = take_name(c, len, head);
	} else {
		found = take_name(c, word, head);
		if (found == THRIFT_END)
			found = take(c, 1, &type);
		if (found == THRIFT_END)
			found = check_type(*type, head);
	}
	if (found == THRIFT_END)
		found = take_u32(c, &word);
	head->seqid = (int32_t)word;
	return found;
}

static enum thrift_found binary_field(struct cursor *c, uint8_t *type)
{
	const uint8_t *bytes;

	if (c->left < 1)
		return THRIFT_MORE;
	*type = c->at[0];
	return take(c, *type == B_STOP ? 1 : 3, &bytes);
}

/* Bytes of a type whose values all have the same length; 0 for others. */
static unsigned binary_width(uint8_t type)
{
	static const uint8_t widths[] = {
		[B_BOOL] = 1, [B_BYTE] = 1, [B_DOUBLE] = 8, [B_I16] = 2, [B_I32] = 4, [B_I64] = 8};

	return type < sizeof(widths) ? widths[type] : 0;
}

/* A container of @count elements, or pairs, whose types' widths are given. */
static void fill_container(struct value *value, const uint8_t types[2], const unsigned widths[2],
	uint64_t count, bool pairs)
{
	if (widths[0] != 0 && widths[1] != 0) {
		value->skip = count * (pairs ? widths[0] + widths[1] : widths[0]);
		return;
	}
	value->enter = true;
	value->level.types[0] = types[0];
	value->level.types[1] = types[1];
	value->level.left = pairs ? 2 * count : count;
}

static bool binary_is_type(uint8_t type)
{
	return binary_width(type) != 0 || (type >= B_STRING && type <= B_LIST);
}

static enum thrift_found binary_container(struct cursor *c, bool pairs, struct value *value)
{
	const uint8_t *b;
	uint8_t types[2];
	unsigned widths[2];
	uint32_t count;

	if (take(c, pairs ? 2 : 1, &b) != THRIFT_END || take_u32(c, &count) != THRIFT_END)
		return THRIFT_MORE;
	types[0] = b[0];
	types[1] = pairs ? b[1] : b[0];
	if (!binary_is_type(types[0]) || !binary_is_type(types[1]))
		return THRIFT_BAD;
	widths[0] = binary_width(types[0]);
	widths[1] = binary_width(types[1]);
	fill_container(value, types, widths, count, pairs);
	return THRIFT_END;
}

static enum thrift_found binary_value(struct cursor *c, uint8_t type, struct value *value)
{
	uint32_t len;

	value->skip = binary_width(type);
	if (value->skip != 0)
		return THRIFT_END;
	switch (type) {
	case B_STRING:
		if (take_u32(c, &len) != THRIFT_END)
			return THRIFT_MORE;
		value->skip = len;
		return THRIFT_END;
	case B_STRUCT:
		value->enter = true;
		value->level.fields = true;
		return THRIFT_END;
	case B_MAP:
		return binary_container(c, true, value);
	case B_SET:
	case B_LIST:
		return binary_container(c, false, value);
	default:
		return THRIFT_BAD;
	}
}

/* 0x82, version 1 and the type, sequence id, name. */
static enum thrift_found compact_head(struct cursor *c, struct thrift_head *head)
{
	enum thrift_found found;
	const uint8_t *b;
	uint64_t seqid = 0;
	uint64_t len;

	found = take(c, 2, &b);
	if (found != THRIFT_END)
		return found;
	if (b[0] != 0x82 || (b[1] & 0x1f) != 1 || check_type(b[1] >> 5, head) != THRIFT_END)
		return THRIFT_BAD;
	found = take_varint(c, &seqid);
	if (found == THRIFT_END)
		found = take_varint(c, &len);
	if (found == THRIFT_END)
		found = take_name(c, len, head);
	head->seqid = (int32_t)(uint32_t)seqid;
	return found;
}

static enum thrift_found compact_field(struct cursor *c, uint8_t *type)
{
	const uint8_t *b;
	uint64_t id;

	if (take(c, 1, &b) != THRIFT_END)
		return THRIFT_MORE;
	*type = *b & 0x0f;
	if (*type == C_TRUE || *type == C_FALSE)
		*type = C_BOOL_FIELD;
	/* The other half is the distance from the field before, or 0 and the id follows. */
	return *type == C_STOP || *b >> 4 != 0 ? THRIFT_END : take_varint(c, &id);
}

static unsigned compact_width(uint8_t type)
{
	static const uint8_t widths[] = {[C_TRUE] = 1, [C_FALSE] = 1, [C_BYTE] = 1, [C_DOUBLE] = 8};

	return type < sizeof(widths) ? widths[type] : 0;
}

static enum thrift_found compact_container(
	const uint8_t types[2], uint64_t count, bool pairs, struct value *value)
{
	const unsigned widths[2] = {compact_width(types[0]), compact_width(types[1])};

	/* More would overflow when multiplied. */
	if (count > INT32_MAX)
		return THRIFT_BAD;
	for (int i = 0; i < 2; i++)
		if (types[i] < C_TRUE || types[i] > C_STRUCT)
			return THRIFT_BAD;
	fill_container(value, types, widths, count, pairs);
	return THRIFT_END;
}

static enum thrift_found compact_list(struct cursor *c, struct value *value)
{
	enum thrift_found found;
	const uint8_t *b;
	uint64_t count;

	if (take(c, 1, &b) != THRIFT_END)
		return THRIFT_MORE;
	count = *b >> 4;
	if (count == 15) {
		found = take_varint(c, &count);
		if (found != THRIFT_END)
			return found;
	}
	return compact_container((const uint8_t[2]){*b & 0x0f, *b & 0x0f}, count, false, value);
}

static enum thrift_found compact_map(struct cursor *c, struct value *value)
{
	enum thrift_found found;
	const uint8_t *b;
	uint64_t count;

	found = take_varint(c, &count);
	if (found != THRIFT_END || count == 0)
		return found;
	if (take(c, 1, &b) != THRIFT_END)
		return THRIFT_MORE;
	return compact_container((const uint8_t[2]){*b >> 4, *b & 0x0f}, count, true, value);
}

static enum thrift_found compact_value(struct cursor *c, uint8_t type, struct value *value)
{
	uint64_t number;

	value->skip = compact_width(type);
	if (value->skip != 0)
		return THRIFT_END;
	switch (type) {
	case C_BOOL_FIELD:
		return THRIFT_END;
	case C_I16:
	case C_I32:
	case C_I64:
		return take_varint(c, &number);
	case C_BINARY:
		return take_varint(c, &value->skip);
	case C_STRUCT:
		value->enter = true;
		value->level.fields = true;
		return THRIFT_END;
	case C_MAP:
		return compact_map(c, value);
	case C_SET:
	case C_LIST:
		return compact_list(c, value);
	default:
		return THRIFT_BAD;
	}
}

static const struct tokens tokens[] = {
	[THRIFT_BINARY] = {binary_head, binary_field, binary_value},
	[THRIFT_COMPACT] = {compact_head, compact_field, compact_value},
};

/* Goes into a level, unless it is too deep or has more elements than bytes may follow. */
static enum thrift_found enter(struct thrift_end *end, const struct thrift_level *level)
{
	if (end->depth == THRIFT_DEPTH_MAX || level->left > end->limit - end->pos)
		return THRIFT_BAD;
	end->levels[end->depth++] = *level;
	return THRIFT_END;
}

/* Takes one field with its value, one element, or one end of a level. */
static enum thrift_found step(struct thrift_end *end, struct cursor *c)
{
	const struct tokens *t = &tokens[end->encoding];
	struct thrift_level *top = &end->levels[end->depth - 1];
	struct value value = {0};
	size_t here = c->left;
	enum thrift_found found;
	uint8_t type = 0;

	if (top->fields) {
		found = t->field(c, &type);
		if (found != THRIFT_END)
			return found;
	} else if (top->left > 0) {
		type = top->types[top->left & 1];
	}
	if (type == 0) {
		end->depth--;
		end->pos += here - c->left;
		return THRIFT_END;
	}
	found = t->value(c, type, &value);
	if (found != THRIFT_END)
		return found;
	end->pos += here - c->left;
	if (end->pos > end->limit || value.skip > end->limit - end->pos)
		return THRIFT_BAD;
	end->pos += value.skip;
	if (!top->fields)
		top->left--;
	return value.enter ? enter(end, &value.level) : THRIFT_END;
}

void thrift_end_begin(struct thrift_end *end, enum thrift_encoding encoding, size_t limit)
{
	end->pos = 0;
	end->encoding = encoding;
	end->limit = limit;
	end->depth = 0;
}

static enum thrift_found walk(struct thrift_end *end, const char *data, size_t len)
{
	static const struct thrift_level arguments = {.fields = true};
	struct cursor c = {(const uint8_t *)data, len};
	enum thrift_found found;

	if (end->pos == 0) {
		found = tokens[end->encoding].head(&c, &end->head);
		if (found != THRIFT_END)
			return found;
		end->pos = len - c.left;
		if (end->pos > end->limit || enter(end, &arguments) != THRIFT_END)
			return THRIFT_BAD;
	}
	while (end->depth > 0) {
		if (end->pos >= len)
			return THRIFT_MORE;
		c.at = (const uint8_t *)data + end->pos;
		c.left = len - end->pos;
		found = step(end, &c);
		if (found != THRIFT_END)
			return found;
	}
	return end->pos <= end->limit ? THRIFT_END : THRIFT_BAD;
}

enum thrift_found thrift_end_find(struct thrift_end *end, const char *data, size_t len)
{
	enum thrift_found found = walk(end, data, len);

	return found == THRIFT_MORE && len >= end->limit ? THRIFT_BAD : found;
}
