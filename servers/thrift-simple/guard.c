#include <string.h>
#include <thrift/c_glib/protocol/thrift_binary_protocol.h>
#include <thrift/c_glib/protocol/thrift_protocol_factory.h>

#include "servers/common/count.h"
#include "servers/common/thrift_end.h"
#include "servers/thrift-simple/guard.h"

typedef struct {
	ThriftBinaryProtocol parent;
	guint32 limit;  /* bytes of a string */
	unsigned depth; /* structs and containers begun */
} Guard;

typedef struct {
	ThriftBinaryProtocolClass parent;
} GuardClass;

static GType guard_get_type(void);

G_DEFINE_TYPE(Guard, guard, THRIFT_TYPE_BINARY_PROTOCOL)

typedef struct {
	ThriftProtocolFactory parent;
	guint32 limit;
} GuardFactory;

typedef struct {
	ThriftProtocolFactoryClass parent;
} GuardFactoryClass;

static GType guard_factory_get_type(void);

G_DEFINE_TYPE(GuardFactory, guard_factory, THRIFT_TYPE_PROTOCOL_FACTORY)

static ThriftProtocolClass *parent(void)
{
	return (ThriftProtocolClass *)guard_parent_class;
}

static gint32 enter(ThriftProtocol *protocol, GError **error)
{
	Guard *guard = (Guard *)protocol;

	if (guard->depth == THRIFT_DEPTH_MAX) {
		g_set_error_literal(error, THRIFT_PROTOCOL_ERROR, THRIFT_PROTOCOL_ERROR_DEPTH_LIMIT,
			"nested too deep");
		return -1;
	}
	guard->depth++;
	return 0;
}

static gint32 leave(ThriftProtocol *protocol, GError **error)
{
	(void)error;
	((Guard *)protocol)->depth--;
	return 0;
}

/* Without a version the library leaves all that it should fill in as it was. A name that is not
 * passed on, or with a type that is no call, would be lost. */
static gint32 read_message_begin(ThriftProtocol *protocol, gchar **name, ThriftMessageType *type,
	gint32 *seqid, GError **error)
{
	gint32 read;

	*name = NULL;
	*type = 0;
	read = parent()->read_message_begin(protocol, name, type, seqid, error);
	if (read >= 0 && *name != NULL && strlen(*name) <= THRIFT_NAME_MAX &&
		(*type == T_CALL || *type == T_ONEWAY)) {
		count_request();
		return read;
	}
	if (read >= 0)
		g_set_error_literal(error, THRIFT_PROTOCOL_ERROR,
			THRIFT_PROTOCOL_ERROR_INVALID_DATA, "no call");
	g_free(*name);
	*name = NULL;
	return -1;
}

/* The library allocates any length that a peer promises, and frees what it skipped also when
 * nothing could be read. Here a NUL follows the bytes. */
static gint32 read_binary(ThriftProtocol *protocol, gpointer *data, guint32 *len, GError **error)
{
	gint32 size = 0;

	*data = NULL;
	*len = 0;
	if (thrift_protocol_read_i32(protocol, &size, error) < 0)
		return -1;
	if (size < 0 || (guint32)size > ((Guard *)protocol)->limit) {
		g_set_error_literal(error, THRIFT_PROTOCOL_ERROR, THRIFT_PROTOCOL_ERROR_SIZE_LIMIT,
			"string over the limit");
		return -1;
	}
	*data = g_malloc((gsize)size + 1);
	if (thrift_transport_read_all(protocol->transport, *data, (guint32)size, error) < 0) {
		g_free(*data);
		*data = NULL;
		return -1;
	}
	((gchar *)*data)[size] = '\0';
	*len = (guint32)size;
	return 4 + size;
}

static gint32 read_string(ThriftProtocol *protocol, gchar **text, GError **error)
{
	gpointer data;
	guint32 len;
	gint32 read = read_binary(protocol, &data, &len, error);

	*text = data;
	return read;
}

static gint32 read_struct_begin(ThriftProtocol *protocol, gchar **name, GError **error)
{
	*name = NULL;
	return enter(protocol, error);
}

static gint32 read_map_begin(
	ThriftProtocol *protocol, ThriftType *key, ThriftType *value, guint32 *size, GError **error)
{
	if (enter(protocol, error) < 0)
		return -1;
	return parent()->read_map_begin(protocol, key, value, size, error);
}

/* Sets come through here as well. */
static gint32 read_list_begin(
	ThriftProtocol *protocol, ThriftType *element, guint32 *size, GError **error)
{
	if (enter(protocol, error) < 0)
		return -1;
	return parent()->read_list_begin(protocol, element, size, error);
}

static void guard_class_init(GuardClass *class)
{
	ThriftProtocolClass *protocol = (ThriftProtocolClass *)class;

	protocol->read_message_begin = read_message_begin;
	protocol->read_binary = read_binary;
	protocol->read_string = read_string;
	protocol->read_struct_begin = read_struct_begin;
	protocol->read_struct_end = leave;
	protocol->read_map_begin = read_map_begin;
	protocol->read_map_end = leave;
	protocol->read_list_begin = read_list_begin;
	protocol->read_list_end = leave;
	protocol->read_set_end = leave;
}

static void guard_init(Guard *guard)
{
	(void)guard;
}

static ThriftProtocol *get_protocol(ThriftProtocolFactory *factory, ThriftTransport *transport)
{
	Guard *guard = g_object_new(guard_get_type(), "transport", transport, NULL);

	guard->limit = ((GuardFactory *)factory)->limit;
	return &guard->parent.parent;
}

static void guard_factory_class_init(GuardFactoryClass *class)
{
	class->parent.get_protocol = get_protocol;
}

static void guard_factory_init(GuardFactory *factory)
{
	(void)factory;
}

gpointer guard_factory_new(guint32 limit)
{
	GuardFactory *factory = g_object_new(guard_factory_get_type(), NULL);

	factory->limit = limit;
	return factory;
}
