#include <arpa/inet.h>
#include <stdbool.h>
#include <string.h>
#include <thrift/c_glib/protocol/thrift_binary_protocol.h>

#include "servers/common/thrift_binary.h"
#include "servers/common/thrift_bytes.h"

#define VERSION_MASK 0xffff0000u
#define VERSION_1    0x80010000u

typedef struct {
	ThriftBinaryProtocol parent;
	bool old; /* the last message read had no version */
} ThriftBinary;

typedef struct {
	ThriftBinaryProtocolClass parent;
} ThriftBinaryClass;

G_DEFINE_TYPE(ThriftBinary, thrift_binary, THRIFT_TYPE_BINARY_PROTOCOL)

static ThriftBytes *bytes_of(ThriftProtocol *protocol)
{
	return (ThriftBytes *)protocol->transport;
}

static char *put_u32(char *to, uint32_t value)
{
	value = htonl(value);
	memcpy(to, &value, 4);
	return to + 4;
}

static char *put_string(char *to, const char *text, size_t len)
{
	to = put_u32(to, (uint32_t)len);
	memcpy(to, text, len);
	return to + len;
}

static gint32 write_message_begin(ThriftProtocol *protocol, const gchar *name,
	const ThriftMessageType type, const gint32 seqid, GError **error)
{
	bool old = ((ThriftBinary *)protocol)->old;
	size_t name_len = strlen(name);
	size_t len = (old ? 9 : 12) + name_len;
	char *to = thrift_bytes_room(bytes_of(protocol), len, error);

	if (to == NULL)
		return -1;
	if (!old)
		to = put_u32(to, VERSION_1 | type);
	to = put_string(to, name, name_len);
	if (old)
		*to++ = (char)type;
	put_u32(to, (uint32_t)seqid);
	return (gint32)len;
}

static gint32 write_field_begin(ThriftProtocol *protocol, const gchar *name, const ThriftType type,
	const gint16 id, GError **error)
{
	char *to = thrift_bytes_room(bytes_of(protocol), 3, error);
	uint16_t net_id = htons((uint16_t)id);

	(void)name;
	if (to == NULL)
		return -1;
	to[0] = (char)type;
	memcpy(to + 1, &net_id, 2);
	return 3;
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
	char *to = thrift_bytes_room(bytes_of(protocol), 2, error);
	uint16_t net = htons((uint16_t)value);

	if (to == NULL)
		return -1;
	memcpy(to, &net, 2);
	return 2;
}

static gint32 write_i32(ThriftProtocol *protocol, const gint32 value, GError **error)
{
	char *to = thrift_bytes_room(bytes_of(protocol), 4, error);

	if (to == NULL)
		return -1;
	put_u32(to, (uint32_t)value);
	return 4;
}

static gint32 write_string(ThriftProtocol *protocol, const gchar *text, GError **error)
{
	size_t len = text != NULL ? strlen(text) : 0;
	char *to = thrift_bytes_room(bytes_of(protocol), 4 + len, error);

	if (to == NULL)
		return -1;
	put_string(to, text != NULL ? text : "", len);
	return (gint32)(4 + len);
}

static gint32 read_i32(ThriftProtocol *protocol, gint32 *value, GError **error)
{
	const char *at = thrift_bytes_take(bytes_of(protocol), 4, error);
	uint32_t net;

	if (at == NULL)
		return -1;
	memcpy(&net, at, 4);
	*value = (gint32)ntohl(net);
	return 4;
}

static gint32 read_string(ThriftProtocol *protocol, gchar **text, GError **error)
{
	gint32 len;

	*text = NULL;
	if (read_i32(protocol, &len, error) < 0 ||
		!thrift_bytes_string(bytes_of(protocol), (uint32_t)len, text, error))
		return -1;
	return 4 + len;
}

/* Strict: version and type, name, sequence id. Old: name, type, sequence id. */
static gint32 read_message_begin(ThriftProtocol *protocol, gchar **name, ThriftMessageType *type,
	gint32 *seqid, GError **error)
{
	ThriftBytes *bytes = bytes_of(protocol);
	const char *start = bytes->in;
	gint32 word;

	*name = NULL;
	if (read_i32(protocol, &word, error) < 0)
		return -1;
	((ThriftBinary *)protocol)->old = word >= 0;
	if (word < 0) {
		if (((uint32_t)word & VERSION_MASK) != VERSION_1) {
			g_set_error_literal(error, THRIFT_PROTOCOL_ERROR,
				THRIFT_PROTOCOL_ERROR_BAD_VERSION, "bad version");
			return -1;
		}
		*type = word & 0xff;
		if (read_string(protocol, name, error) < 0)
			return -1;
	} else {
		const char *at;

		if (!thrift_bytes_string(bytes, (uint32_t)word, name, error))
			return -1;
		at = thrift_bytes_take(bytes, 1, error);
		if (at == NULL)
			goto err0;
		*type = (guint8)*at;
	}
	if (read_i32(protocol, seqid, error) < 0)
		goto err0;
	return (gint32)(bytes->in - start);

err0:
	g_free(*name);
	*name = NULL;
	return -1;
}

static gint32 read_field_begin(
	ThriftProtocol *protocol, gchar **name, ThriftType *type, gint16 *id, GError **error)
{
	const char *at = thrift_bytes_take(bytes_of(protocol), 1, error);
	uint16_t net_id;

	(void)name;
	if (at == NULL)
		return -1;
	*type = (guint8)*at;
	*id = 0;
	if (*type == T_STOP)
		return 1;
	at = thrift_bytes_take(bytes_of(protocol), 2, error);
	if (at == NULL)
		return -1;
	memcpy(&net_id, at, 2);
	*id = (gint16)ntohs(net_id);
	return 3;
}

static void thrift_binary_class_init(ThriftBinaryClass *class)
{
	ThriftProtocolClass *protocol = (ThriftProtocolClass *)class;

	protocol->write_message_begin = write_message_begin;
	protocol->write_field_begin = write_field_begin;
	protocol->write_field_stop = write_field_stop;
	protocol->write_i16 = write_i16;
	protocol->write_i32 = write_i32;
	protocol->write_string = write_string;
	protocol->read_message_begin = read_message_begin;
	protocol->read_field_begin = read_field_begin;
	protocol->read_i32 = read_i32;
	protocol->read_string = read_string;
}

static void thrift_binary_init(ThriftBinary *binary)
{
	(void)binary;
}
