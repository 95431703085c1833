#include <stdbool.h>
#include <string.h>
#include <thrift/c_glib/protocol/thrift_compact_protocol.h>

#include "servers/common/thrift_bytes.h"
#include "servers/common/thrift_compact.h"
#include "servers/common/thrift_end.h"

#define PROTOCOL_ID 0x82
#define VERSION     1 /* in the low 5 bits of a byte, the message's type above */
#define VARINT_MAX  10
#define VARINT32    5 /* bytes of the longest varint of 32 bits */

typedef struct {
	ThriftCompactProtocol parent;   /* keeps the id of the last field */
	gint16 outer[THRIFT_DEPTH_MAX]; /* that id of each struct around the present one */
	unsigned depth;
} ThriftCompact;

typedef struct {
	ThriftCompactProtocolClass parent;
} ThriftCompactClass;

G_DEFINE_TYPE(ThriftCompact, thrift_compact, THRIFT_TYPE_COMPACT_PROTOCOL)

/* Type on the wire of each type of the library, and back. */
static const guint8 to_wire[16] = {[T_BOOL] = 1,
	[T_BYTE] = 3,
	[T_I16] = 4,
	[T_I32] = 5,
	[T_I64] = 6,
	[T_DOUBLE] = 7,
	[T_STRING] = 8,
	[T_LIST] = 9,
	[T_SET] = 10,
	[T_MAP] = 11,
	[T_STRUCT] = 12};
static const guint8 from_wire[16] = {[1] = T_BOOL,
	[2] = T_BOOL,
	[3] = T_BYTE,
	[4] = T_I16,
	[5] = T_I32,
	[6] = T_I64,
	[7] = T_DOUBLE,
	[8] = T_STRING,
	[9] = T_LIST,
	[10] = T_SET,
	[11] = T_MAP,
	[12] = T_STRUCT};

static ThriftBytes *bytes_of(ThriftProtocol *protocol)
{
	return (ThriftBytes *)protocol->transport;
}

static gint32 fail(GError **error, ThriftProtocolError code, const char *message)
{
	g_set_error_literal(error, THRIFT_PROTOCOL_ERROR, (gint)code, message);
	return -1;
}

/* Small distances of either sign to small numbers. */
static uint32_t zigzag(int32_t value)
{
	return (uint32_t)value << 1 ^ (uint32_t)(value >> 31);
}

static int32_t unzigzag(uint32_t value)
{
	return (int32_t)(value >> 1 ^ (0 - (value & 1)));
}

static char *put_varint(char *to, uint32_t value)
{
	for (; value >= 0x80; value >>= 7)
		*to++ = (char)(value | 0x80);
	*to++ = (char)value;
	return to;
}

static char *put_string(char *to, const char *text, size_t len)
{
	to = put_varint(to, (uint32_t)len);
	memcpy(to, text, len);
	return to + len;
}

/* Gives back what was reserved and not written. Return: the bytes written. */
static gint32 written(ThriftBytes *bytes, size_t reserved, const char *start, const char *end)
{
	bytes->out->end -= reserved - (size_t)(end - start);
	return (gint32)(end - start);
}

static gint32 write_varint(ThriftProtocol *protocol, uint32_t value, GError **error)
{
	char *start = thrift_bytes_room(bytes_of(protocol), VARINT32, error);

	if (start == NULL)
		return -1;
	return written(bytes_of(protocol), VARINT32, start, put_varint(start, value));
}

static gint32 write_message_begin(ThriftProtocol *protocol, const gchar *name,
	const ThriftMessageType type, const gint32 seqid, GError **error)
{
	size_t len = strlen(name);
	size_t reserved = 2 + VARINT32 + VARINT32 + len;
	char *start = thrift_bytes_room(bytes_of(protocol), reserved, error);
	char *to;

	if (start == NULL)
		return -1;
	/* Arguments that were not read to their end have left structs behind. */
	((ThriftCompact *)protocol)->depth = 0;
	((ThriftCompactProtocol *)protocol)->_last_field_id = 0;
	start[0] = (char)PROTOCOL_ID;
	start[1] = (char)(VERSION | type << 5);
	to = put_varint(start + 2, (uint32_t)seqid);
	to = put_string(to, name, len);
	return written(bytes_of(protocol), reserved, start, to);
}

static gint32 enter_struct(ThriftProtocol *protocol, GError **error)
{
	ThriftCompactProtocol *base = (ThriftCompactProtocol *)protocol;
	ThriftCompact *compact = (ThriftCompact *)protocol;

	if (compact->depth == THRIFT_DEPTH_MAX)
		return fail(error, THRIFT_PROTOCOL_ERROR_DEPTH_LIMIT, "structs too deep");
	compact->outer[compact->depth++] = base->_last_field_id;
	base->_last_field_id = 0;
	return 0;
}

static gint32 write_struct_begin(ThriftProtocol *protocol, const gchar *name, GError **error)
{
	(void)name;
	return enter_struct(protocol, error);
}

static gint32 read_struct_begin(ThriftProtocol *protocol, gchar **name, GError **error)
{
	*name = NULL;
	return enter_struct(protocol, error);
}

static gint32 leave_struct(ThriftProtocol *protocol, GError **error)
{
	ThriftCompact *compact = (ThriftCompact *)protocol;

	(void)error;
	compact->parent._last_field_id = compact->outer[--compact->depth];
	return 0;
}

static gint32 write_field_begin(ThriftProtocol *protocol, const gchar *name, const ThriftType type,
	const gint16 id, GError **error)
{
	ThriftCompactProtocol *base = (ThriftCompactProtocol *)protocol;
	gint delta = id - base->_last_field_id;
	char *start;
	char *to;

	/* The header of a bool waits for its value. */
	if (type == T_BOOL)
		return ((ThriftProtocolClass *)thrift_compact_parent_class)
			->write_field_begin(protocol, name, type, id, error);
	start = thrift_bytes_room(bytes_of(protocol), 1 + VARINT32, error);
	if (start == NULL)
		return -1;
	to = start;
	if (delta > 0 && delta <= 15) {
		*to++ = (char)(delta << 4 | to_wire[type]);
	} else {
		*to++ = (char)to_wire[type];
		to = put_varint(to, zigzag(id));
	}
	base->_last_field_id = id;
	return written(bytes_of(protocol), 1 + VARINT32, start, to);
}

static gint32 write_field_stop(ThriftProtocol *protocol, GError **error)
{
	char *to = thrift_bytes_room(bytes_of(protocol), 1, error);

	if (to == NULL)
		return -1;
	*to = T_STOP;
	return 1;
}

static gint32 write_i16(ThriftProtocol *protocol, const gint16 value, GError **error)
{
	return write_varint(protocol, zigzag(value), error);
}

static gint32 write_i32(ThriftProtocol *protocol, const gint32 value, GError **error)
{
	return write_varint(protocol, zigzag(value), error);
}

static gint32 write_string(ThriftProtocol *protocol, const gchar *text, GError **error)
{
	size_t len = text != NULL ? strlen(text) : 0;
	char *start = thrift_bytes_room(bytes_of(protocol), VARINT32 + len, error);

	if (start == NULL)
		return -1;
	return written(bytes_of(protocol), VARINT32 + len, start,
		put_string(start, text != NULL ? text : "", len));
}

/* Return: bytes read, or -1. */
static gint32 read_varint(ThriftBytes *bytes, uint64_t *value, GError **error)
{
	size_t left = (size_t)(bytes->in_end - bytes->in);
	const guint8 *at = (const guint8 *)bytes->in;

	*value = 0;
	for (size_t i = 0; i < VARINT_MAX && i < left; i++) {
		*value |= (uint64_t)(at[i] & 0x7f) << (7 * i);
		if (at[i] < 0x80) {
			bytes->in += i + 1;
			return (gint32)(i + 1);
		}
	}
	if (left < VARINT_MAX)
		return thrift_bytes_short(error);
	return fail(error, THRIFT_PROTOCOL_ERROR_INVALID_DATA, "varint too long");
}

static gint32 read_i32(ThriftProtocol *protocol, gint32 *value, GError **error)
{
	uint64_t number;
	gint32 read = read_varint(bytes_of(protocol), &number, error);

	if (read >= 0)
		*value = unzigzag((uint32_t)number);
	return read;
}

static gint32 read_i16(ThriftProtocol *protocol, gint16 *value, GError **error)
{
	gint32 number = 0;
	gint32 read = read_i32(protocol, &number, error);

	*value = (gint16)number;
	return read;
}

static gint32 read_string(ThriftProtocol *protocol, gchar **text, GError **error)
{
	ThriftBytes *bytes = bytes_of(protocol);
	const char *start = bytes->in;
	uint64_t len;

	*text = NULL;
	if (read_varint(bytes, &len, error) < 0 || !thrift_bytes_string(bytes, len, text, error))
		return -1;
	return (gint32)(bytes->in - start);
}

static gint32 read_message_begin(ThriftProtocol *protocol, gchar **name, ThriftMessageType *type,
	gint32 *seqid, GError **error)
{
	ThriftBytes *bytes = bytes_of(protocol);
	const char *at = thrift_bytes_take(bytes, 2, error);
	uint64_t number;

	*name = NULL;
	if (at == NULL)
		return -1;
	if ((guint8)at[0] != PROTOCOL_ID || (at[1] & 0x1f) != VERSION)
		return fail(error, THRIFT_PROTOCOL_ERROR_BAD_VERSION, "bad version");
	*type = (guint8)at[1] >> 5;
	if (read_varint(bytes, &number, error) < 0)
		return -1;
	*seqid = (gint32)(uint32_t)number;
	if (read_string(protocol, name, error) < 0)
		return -1;
	return (gint32)(bytes->in - at);
}

static gint32 read_field_begin(
	ThriftProtocol *protocol, gchar **name, ThriftType *type, gint16 *id, GError **error)
{
	ThriftCompactProtocol *base = (ThriftCompactProtocol *)protocol;
	const char *at = thrift_bytes_take(bytes_of(protocol), 1, error);
	guint8 head;

	(void)name;
	if (at == NULL)
		return -1;
	head = (guint8)*at;
	*type = from_wire[head & 0x0f];
	*id = 0;
	if ((head & 0x0f) == 0)
		return 1;
	if (*type == T_STOP)
		return fail(error, THRIFT_PROTOCOL_ERROR_INVALID_DATA, "bad type");
	if (*type == T_BOOL) {
		base->_has_bool_value = TRUE;
		base->_bool_value = (head & 0x0f) == to_wire[T_BOOL];
	}
	if (head >> 4 != 0)
		*id = (gint16)(base->_last_field_id + (head >> 4));
	else if (read_i16(protocol, id, error) < 0)
		return -1;
	base->_last_field_id = *id;
	return (gint32)(bytes_of(protocol)->in - at);
}

static void thrift_compact_class_init(ThriftCompactClass *class)
{
	ThriftProtocolClass *protocol = (ThriftProtocolClass *)class;

	protocol->write_message_begin = write_message_begin;
	protocol->write_struct_begin = write_struct_begin;
	protocol->write_struct_end = leave_struct;
	protocol->write_field_begin = write_field_begin;
	protocol->write_field_stop = write_field_stop;
	protocol->write_i16 = write_i16;
	protocol->write_i32 = write_i32;
	protocol->write_string = write_string;
	protocol->read_message_begin = read_message_begin;
	protocol->read_struct_begin = read_struct_begin;
	protocol->read_struct_end = leave_struct;
	protocol->read_field_begin = read_field_begin;
	protocol->read_i16 = read_i16;
	protocol->read_i32 = read_i32;
	protocol->read_string = read_string;
}

static void thrift_compact_init(ThriftCompact *compact)
{
	(void)compact;
}
