/*
 * Thrift's JSON protocol is the text form that every Thrift library can print: a struct is
 * {"ID":{"TYPE":VALUE},…}, a list ["TYPE",SIZE,VALUE…], a map ["KEYTYPE","VALUETYPE",SIZE,{…}].
 */
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "harness/codec/thrift_wire.h"
#include "lib/buf.h"
#include "lib/fail.h"

#define PATH_LEN 256 /* bytes of the path shown in messages */

/* A type's name in the text and its number in both protocols. */
struct type_row {
	const char *name;
	uint8_t binary;
	uint8_t compact;
	int64_t min; /* of integers */
	int64_t max;
};

static const struct type_row types[] = {
	{"tf", THRIFT_BOOL, 1, 0, 1},
	{"i8", THRIFT_BYTE, 3, INT8_MIN, INT8_MAX},
	{"i16", THRIFT_I16, 4, INT16_MIN, INT16_MAX},
	{"i32", THRIFT_I32, 5, INT32_MIN, INT32_MAX},
	{"i64", THRIFT_I64, 6, INT64_MIN, INT64_MAX},
	{"dbl", THRIFT_DOUBLE, 7, 0, 0},
	{"str", THRIFT_STRING, 8, 0, 0},
	{"lst", THRIFT_LIST, 9, 0, 0},
	{"set", THRIFT_SET, 10, 0, 0},
	{"map", THRIFT_MAP, 11, 0, 0},
	{"rec", THRIFT_STRUCT, 12, 0, 0},
};

struct writer {
	struct buf *out;
	bool compact;
	char path[PATH_LEN];
};

static int write_value(
	struct writer *w, const struct type_row *type, const json_t *value, unsigned depth);

static int bad(const struct writer *w, const char *expected)
{
	return fail_msg("--body: %s: expected %s", w->path[0] != '\0' ? w->path : "/", expected);
}

/* NULL for an unknown name, and for none. */
static const struct type_row *find_type(const char *text)
{
	for (size_t i = 0; text != NULL && i < sizeof(types) / sizeof(types[0]); i++)
		if (strcmp(types[i].name, text) == 0)
			return &types[i];
	return NULL;
}

static int write_big_endian(struct writer *w, uint64_t value, size_t bytes)
{
	char text[8];

	for (size_t i = 0; i < bytes; i++)
		text[i] = (char)(value >> 8 * (bytes - 1 - i));
	return buf_append(w->out, text, bytes);
}

static int write_varint(struct writer *w, uint64_t value)
{
	char text[10];
	size_t n = 0;

	for (; value >= 0x80; value >>= 7)
		text[n++] = (char)(value | 0x80);
	text[n++] = (char)value;
	return buf_append(w->out, text, n);
}

static int write_zigzag(struct writer *w, int64_t value)
{
	return write_varint(w, (uint64_t)value << 1 ^ (value < 0 ? UINT64_MAX : 0));
}

static int write_byte(struct writer *w, uint8_t value)
{
	return buf_append(w->out, &value, 1);
}

static int write_size(struct writer *w, uint64_t size)
{
	return w->compact ? write_varint(w, size) : write_big_endian(w, size, 4);
}

static int write_integer(struct writer *w, const struct type_row *type, const json_t *value)
{
	int64_t number = json_integer_value(value);

	if (!json_is_integer(value) || number < type->min || number > type->max)
		return bad(w, "a whole number within its type's range");
	switch (type->binary) {
	case THRIFT_BOOL:
		return write_byte(w, w->compact ? (number != 0 ? 1 : 2) : (uint8_t)number);
	case THRIFT_BYTE:
		return write_byte(w, (uint8_t)number);
	case THRIFT_I16:
		return w->compact ? write_zigzag(w, number)
				  : write_big_endian(w, (uint64_t)number, 2);
	case THRIFT_I32:
		return w->compact ? write_zigzag(w, number)
				  : write_big_endian(w, (uint64_t)number, 4);
	default:
		return w->compact ? write_zigzag(w, number)
				  : write_big_endian(w, (uint64_t)number, 8);
	}
}

static int write_double(struct writer *w, const json_t *value)
{
	double number = json_number_value(value);
	uint64_t bits;

	if (!json_is_number(value))
		return bad(w, "a number");
	memcpy(&bits, &number, sizeof(bits));
	/* The compact protocol is little-endian here, against its specification's first text:
	 * that is what all of Thrift's libraries do. */
	return write_big_endian(w, w->compact ? __builtin_bswap64(bits) : bits, 8);
}

static int write_string(struct writer *w, const json_t *value)
{
	if (!json_is_string(value))
		return bad(w, "a string");
	if (write_size(w, json_string_length(value)) != 0)
		return -1;
	return buf_append(w->out, json_string_value(value), json_string_length(value));
}

/* ["TYPE",SIZE,VALUE…]: a list or set. */
static int write_list(struct writer *w, const json_t *value, unsigned depth)
{
	const struct type_row *type = find_type(json_string_value(json_array_get(value, 0)));
	size_t n = json_array_size(value) >= 2 ? json_array_size(value) - 2 : 0;

	if (type == NULL || json_integer_value(json_array_get(value, 1)) != (json_int_t)n)
		return bad(w, "[\"TYPE\",SIZE,VALUES…] with as many values as the size says");
	if (!w->compact && (write_byte(w, type->binary) != 0 || write_size(w, n) != 0))
		return -1;
	if (w->compact && write_byte(w, (uint8_t)((n < 15 ? n : 15) << 4 | type->compact)) != 0)
		return -1;
	if (w->compact && n >= 15 && write_varint(w, n) != 0)
		return -1;
	for (size_t i = 0; i < n; i++)
		if (write_value(w, type, json_array_get(value, i + 2), depth + 1) != 0)
			return -1;
	return 0;
}

/* Keys of a map are always text in JSON; a number's text becomes the number again. */
static int write_key(struct writer *w, const struct type_row *type, const char *key, unsigned depth)
{
	json_t *value = type->binary == THRIFT_STRING ? json_string(key)
						      : json_loads(key, JSON_DECODE_ANY, NULL);
	int ret = value != NULL ? write_value(w, type, value, depth)
				: bad(w, "a map key of its type");

	json_decref(value);
	return ret;
}

/* ["KEYTYPE","VALUETYPE",SIZE,{KEY:VALUE,…}]. */
static int write_map(struct writer *w, const json_t *value, unsigned depth)
{
	const struct type_row *key_type = find_type(json_string_value(json_array_get(value, 0)));
	const struct type_row *value_type = find_type(json_string_value(json_array_get(value, 1)));
	json_t *entries = json_array_get(value, 3);
	size_t n = json_object_size(entries);
	const char *key;
	json_t *entry;

	if (key_type == NULL || value_type == NULL || !json_is_object(entries) ||
		json_integer_value(json_array_get(value, 2)) != (json_int_t)n)
		return bad(w, "[\"KEYTYPE\",\"VALUETYPE\",SIZE,{…}] with as many entries as the "
			      "size says");
	if (!w->compact &&
		(write_byte(w, key_type->binary) != 0 || write_byte(w, value_type->binary) != 0))
		return -1;
	if (write_size(w, n) != 0)
		return -1;
	if (w->compact && n > 0 &&
		write_byte(w, (uint8_t)(key_type->compact << 4 | value_type->compact)) != 0)
		return -1;
	json_object_foreach (entries, key, entry) {
		if (write_key(w, key_type, key, depth + 1) != 0 ||
			write_value(w, value_type, entry, depth + 1) != 0)
			return -1;
	}
	return 0;
}

/* The compact protocol writes a small step from the last id in four bits, and a bool field's
 * value as its type. */
static int write_field_head(
	struct writer *w, const struct type_row *type, const json_t *value, long id, long last_id)
{
	uint8_t number = w->compact ? type->compact : type->binary;
	long step = id - last_id;

	if (!w->compact)
		return write_byte(w, number) != 0 ? -1 : write_big_endian(w, (uint64_t)id, 2);
	if (type->binary == THRIFT_BOOL)
		number = json_integer_value(value) != 0 ? 1 : 2;
	if (step > 0 && step <= 15)
		return write_byte(w, (uint8_t)(step << 4 | number));
	return write_byte(w, number) != 0 ? -1 : write_zigzag(w, id);
}

/* "ID":{"TYPE":VALUE} */
static int write_field(
	struct writer *w, const char *name, json_t *field, long *last_id, unsigned depth)
{
	const char *type_name = json_object_iter_key(json_object_iter(field));
	const struct type_row *type = find_type(type_name);
	const json_t *value = type != NULL ? json_object_get(field, type_name) : NULL;
	char *end;
	long id = strtol(name, &end, 10);

	if (end == name || *end != '\0' || id < INT16_MIN || id > INT16_MAX)
		return bad(w, "a field id, a number of 16 bits");
	if (json_object_size(field) != 1 || type == NULL)
		return bad(w, "{\"TYPE\":VALUE} with a type of tf i8 i16 i32 i64 dbl str lst set "
			      "map rec");
	if (write_field_head(w, type, value, id, *last_id) != 0)
		return -1;
	*last_id = id;
	if (w->compact && type->binary == THRIFT_BOOL)
		return json_is_integer(value) ? 0 : bad(w, "0 or 1");
	return write_value(w, type, value, depth + 1);
}

static int write_struct(struct writer *w, const json_t *value, unsigned depth)
{
	size_t path_len = strlen(w->path);
	long last_id = 0;
	const char *name;
	json_t *field;

	if (!json_is_object(value))
		return bad(w, "a struct, {\"ID\":{\"TYPE\":VALUE},…}");
	json_object_foreach ((json_t *)value, name, field) {
		snprintf(w->path + path_len, PATH_LEN - path_len, "/%s", name);
		if (write_field(w, name, field, &last_id, depth) != 0)
			return -1;
		w->path[path_len] = '\0';
	}
	return write_byte(w, THRIFT_STOP);
}

static int write_value(
	struct writer *w, const struct type_row *type, const json_t *value, unsigned depth)
{
	if (depth > THRIFT_DEPTH_MAX)
		return bad(w, "less nesting");
	switch (type->binary) {
	case THRIFT_DOUBLE:
		return write_double(w, value);
	case THRIFT_STRING:
		return write_string(w, value);
	case THRIFT_LIST:
	case THRIFT_SET:
		return write_list(w, value, depth);
	case THRIFT_MAP:
		return write_map(w, value, depth);
	case THRIFT_STRUCT:
		return write_struct(w, value, depth);
	default:
		return write_integer(w, type, value);
	}
}

int thrift_write_args(struct buf *out, bool compact, const char *text, size_t len)
{
	struct writer w = {.out = out, .compact = compact};
	json_error_t error;
	json_t *args;
	int ret;

	if (len == 0)
		return write_byte(&w, THRIFT_STOP);
	args = json_loadb(text, len, JSON_REJECT_DUPLICATES, &error);
	if (args == NULL)
		return fail_msg(
			"--body: line %d: %s; expected arguments in Thrift's JSON protocol, "
			"like {\"1\":{\"str\":\"name\"}}",
			error.line, error.text);
	ret = write_struct(&w, args, 0);
	json_decref(args);
	return ret;
}
