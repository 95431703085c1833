#include <arpa/inet.h>
#include <string.h>
#include <unistd.h>

#include "harness/reason.h"
#include "harness/verify/exchange.h"
#include "harness/verify/sock.h"
#include "harness/verify/verify.h"

typedef struct _VerifyExchangeClass VerifyExchangeClass;

struct _VerifyExchangeClass {
	ThriftTransportClass parent;
};

GType verify_exchange_get_type(void);

G_DEFINE_TYPE(VerifyExchange, verify_exchange, THRIFT_TYPE_TRANSPORT)

#define EXCHANGE(object)                                                                           \
	(G_TYPE_CHECK_INSTANCE_CAST((object), verify_exchange_get_type(), VerifyExchange))

static gboolean always(ThriftTransport *transport, GError **error)
{
	(void)transport;
	(void)error;
	return TRUE;
}

static gboolean is_open(ThriftTransport *transport)
{
	return EXCHANGE(transport)->fd >= 0;
}

/* Receive until @len bytes are there. Return: 0, or -1 with @reason. */
static int fill(VerifyExchange *exchange, size_t len, char *reason)
{
	while (buf_len(&exchange->in) < len) {
		ssize_t n;

		if (len > VERIFY_BODY_MAX)
			return reason_set(
				reason, "the reply is larger than %d bytes", VERIFY_BODY_MAX);
		if (buf_reserve(&exchange->in, 16384) != 0)
			return reason_set(reason, "out of memory");
		n = sock_receive(exchange->fd, buf_tail(&exchange->in), 16384,
			exchange->deadline_ns, reason);
		if (n < 0)
			return -1;
		if (n == 0)
			return reason_set(reason, "the connection was closed before a whole reply");
		exchange->in.end += (size_t)n;
	}
	return 0;
}

static int check_frame(const VerifyExchange *exchange, char *reason)
{
	const uint32_t max = VERIFY_BODY_MAX - EXCHANGE_FRAME_HEADER;
	uint32_t len;

	memcpy(&len, buf_head(&exchange->in), sizeof(len));
	len = ntohl(len);
	if (len > 0 && len <= max)
		return 0;
	return reason_set(reason, "a frame of %u bytes, expected 1 to %u", len, max);
}

/* All @len bytes or an error: what c_glib does with fewer depends on its caller. */
static gint32 read_bytes(ThriftTransport *transport, gpointer data, guint32 len, GError **error)
{
	VerifyExchange *exchange = EXCHANGE(transport);
	char reason[REASON_MAX];
	int status = fill(exchange, exchange->taken + len, reason);

	if (status == 0 && exchange->framed && exchange->taken == 0)
		status = check_frame(exchange, reason);
	if (status != 0) {
		g_set_error(error, THRIFT_TRANSPORT_ERROR, THRIFT_TRANSPORT_ERROR_RECEIVE, "%s",
			reason);
		return -1;
	}
	if (len > 0)
		memcpy(data, buf_head(&exchange->in) + exchange->taken, len);
	exchange->taken += len;
	return (gint32)len;
}

static gboolean write_bytes(
	ThriftTransport *transport, const gpointer data, const guint32 len, GError **error)
{
	if (buf_append(&EXCHANGE(transport)->out, data, len) == 0)
		return TRUE;
	g_set_error(error, THRIFT_TRANSPORT_ERROR, THRIFT_TRANSPORT_ERROR_SEND, "out of memory");
	return FALSE;
}

static gboolean flush(ThriftTransport *transport, GError **error)
{
	VerifyExchange *exchange = EXCHANGE(transport);
	char reason[REASON_MAX];
	int status = sock_send(exchange->fd, buf_head(&exchange->out), buf_len(&exchange->out),
		exchange->deadline_ns, reason);

	buf_clear(&exchange->out);
	if (status == 0)
		return TRUE;
	g_set_error(error, THRIFT_TRANSPORT_ERROR, THRIFT_TRANSPORT_ERROR_SEND, "%s", reason);
	return FALSE;
}

static void finalize(GObject *object)
{
	VerifyExchange *exchange = EXCHANGE(object);

	if (exchange->fd >= 0)
		close(exchange->fd);
	buf_free(&exchange->in);
	buf_free(&exchange->out);
	G_OBJECT_CLASS(verify_exchange_parent_class)->finalize(object);
}

static void verify_exchange_init(VerifyExchange *exchange)
{
	exchange->fd = -1;
	exchange->parent.remainingMessageSize_ = VERIFY_BODY_MAX;
	exchange->parent.knowMessageSize_ = VERIFY_BODY_MAX;
}

static void verify_exchange_class_init(VerifyExchangeClass *class)
{
	ThriftTransportClass *transport = THRIFT_TRANSPORT_CLASS(class);

	G_OBJECT_CLASS(class)->finalize = finalize;
	transport->is_open = is_open;
	transport->open = always;
	transport->close = always;
	transport->read = read_bytes;
	transport->read_end = always;
	transport->write = write_bytes;
	transport->write_end = always;
	transport->flush = flush;
}

VerifyExchange *exchange_open(uint16_t port, bool framed, int64_t deadline_ns, char *reason)
{
	int fd = sock_connect(port, deadline_ns, reason);
	VerifyExchange *exchange;

	if (fd < 0)
		return NULL;
	exchange = g_object_new(verify_exchange_get_type(), NULL);
	exchange->fd = fd;
	exchange->framed = framed;
	exchange->deadline_ns = deadline_ns;
	return exchange;
}
