#include "servers/common/thrift_bytes.h"

G_DEFINE_TYPE(ThriftBytes, thrift_bytes, THRIFT_TYPE_TRANSPORT)

void thrift_bytes_set(ThriftBytes *bytes, const char *data, size_t len, struct buf *out)
{
	bytes->in = data;
	bytes->in_end = data + len;
	bytes->out = out;
}

gint32 thrift_bytes_short(GError **error)
{
	g_set_error_literal(
		error, THRIFT_TRANSPORT_ERROR, THRIFT_TRANSPORT_ERROR_RECEIVE, "message too short");
	return -1;
}

bool thrift_bytes_grow(ThriftBytes *bytes, size_t len, GError **error)
{
	if (buf_reserve(bytes->out, len) == 0)
		return true;
	g_set_error_literal(
		error, THRIFT_TRANSPORT_ERROR, THRIFT_TRANSPORT_ERROR_SEND, "out of memory");
	return false;
}

static gint32 read_all(ThriftTransport *transport, gpointer into, guint32 len, GError **error)
{
	const char *at = thrift_bytes_take((ThriftBytes *)transport, len, error);

	if (at == NULL)
		return -1;
	memcpy(into, at, len);
	return (gint32)len;
}

static gboolean write_all(
	ThriftTransport *transport, const gpointer data, const guint32 len, GError **error)
{
	char *room = thrift_bytes_room((ThriftBytes *)transport, len, error);

	if (room == NULL)
		return FALSE;
	memcpy(room, data, len);
	return TRUE;
}

/* Lengths and counts inside a message are checked against what is left of it. */
static gboolean check_available(ThriftTransport *transport, glong count, GError **error)
{
	ThriftBytes *bytes = (ThriftBytes *)transport;

	if (count <= bytes->in_end - bytes->in)
		return TRUE;
	thrift_bytes_short(error);
	return FALSE;
}

static gboolean is_open(ThriftTransport *transport)
{
	(void)transport;
	return TRUE;
}

/* open, close, read_end, write_end and flush: there is nothing to do. */
static gboolean do_nothing(ThriftTransport *transport, GError **error)
{
	(void)transport;
	(void)error;
	return TRUE;
}

static void thrift_bytes_class_init(ThriftBytesClass *class)
{
	ThriftTransportClass *transport = (ThriftTransportClass *)class;

	transport->is_open = is_open;
	transport->open = do_nothing;
	transport->close = do_nothing;
	transport->read = read_all;
	transport->read_all = read_all;
	transport->read_end = do_nothing;
	transport->write = write_all;
	transport->write_end = do_nothing;
	transport->flush = do_nothing;
	transport->checkReadBytesAvailable = check_available;
}

static void thrift_bytes_init(ThriftBytes *bytes)
{
	(void)bytes;
}
