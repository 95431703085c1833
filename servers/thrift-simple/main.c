/*
 * c_glib's own ThriftSimpleServer: what a user gets without writing a server.
 *
 * main: the objects of the library -> thrift_server_serve
 *   on_listen: where the options say, rather than on every address -> READY
 *   on_accept: the one connection at a time
 *   stop_thread: SIGTERM or SIGINT -> ends the waits of both
 */
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <thrift/c_glib/server/thrift_simple_server.h>
#include <thrift/c_glib/transport/thrift_buffered_transport.h>
#include <thrift/c_glib/transport/thrift_buffered_transport_factory.h>
#include <thrift/c_glib/transport/thrift_server_socket.h>
#include <thrift/c_glib/transport/thrift_socket.h>

#include "lib/clock.h"
#include "lib/fail.h"
#include "servers/common/count.h"
#include "servers/common/srv.h"
#include "servers/common/thrift_handler.h"
#include "servers/common/thrift_types.h"
#include "servers/thrift-simple/guard.h"

/* A ThriftServerSocket that listens and accepts as all servers here do. */
typedef struct {
	ThriftServerSocket parent;
	const struct srv_options *options;
	ThriftServer *server;
	atomic_int listening;  /* socket, -1 = none yet */
	atomic_int connection; /* socket of the present connection or the last one, -1 = none yet */
	atomic_bool stopping;
} Listener;

typedef struct {
	ThriftServerSocketClass parent;
} ListenerClass;

static GType listener_get_type(void);

G_DEFINE_TYPE(Listener, listener, THRIFT_TYPE_SERVER_SOCKET)

/* stop_thread sets stopping, then shuts down what it knows of; here and in on_accept it is the
 * other way around, so that nothing escapes. */
static gboolean on_listen(ThriftServerTransport *transport, GError **error)
{
	Listener *listener = (Listener *)transport;
	const struct srv_options *options = listener->options;
	int fd = srv_listen(options->host, (uint16_t)options->port, false);

	if (fd < 0 || fcntl(fd, F_SETFL, 0) != 0) {
		g_set_error_literal(error, THRIFT_SERVER_SOCKET_ERROR,
			THRIFT_SERVER_SOCKET_ERROR_LISTEN, "cannot listen");
		return FALSE;
	}
	listener->parent.sd = fd;
	listener->listening = fd;
	if (listener->stopping)
		shutdown(fd, SHUT_RDWR);
	srv_ready(srv_port(fd));
	return TRUE;
}

static void set_options(int fd, int64_t idle_ns)
{
	const struct timeval idle = {
		.tv_sec = idle_ns / NS_PER_S, .tv_usec = idle_ns % NS_PER_S / NS_PER_US};
	int one = 1;

	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &idle, sizeof(idle));
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &idle, sizeof(idle));
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
}

static ThriftTransport *on_accept(ThriftServerTransport *transport, GError **error)
{
	Listener *listener = (Listener *)transport;
	ThriftTransport *accepted =
		((ThriftServerTransportClass *)listener_parent_class)->accept(transport, error);

	if (accepted != NULL) {
		int fd = ((ThriftSocket *)accepted)->sd;

		set_options(fd, listener->options->idle_ns);
		listener->connection = fd;
	}
	if (listener->stopping)
		thrift_server_stop(listener->server);
	return accepted;
}

static void listener_class_init(ListenerClass *class)
{
	class->parent.parent.listen = on_listen;
	class->parent.parent.accept = on_accept;
}

static void listener_init(Listener *listener)
{
	listener->listening = -1;
	listener->connection = -1;
}

/* The connection may read what has arrived and answer it; what is not done at the end of the
 * drain is dropped. A socket that is closed by then is no harm: nothing else opens any. */
static void *stop_thread(void *arg)
{
	Listener *listener = arg;
	sigset_t signals;
	int number;

	sigemptyset(&signals);
	sigaddset(&signals, SIGTERM);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGUSR1);
	while (sigwait(&signals, &number) == 0 && number == SIGUSR1)
		count_print();
	listener->stopping = true;
	shutdown(listener->listening, SHUT_RDWR);
	shutdown(listener->connection, SHUT_RD);
	clock_sleep_until(clock_ns() + SRV_DRAIN_NS);
	shutdown(listener->connection, SHUT_RDWR);
	return NULL;
}

/* The library warns on stderr of what peers send; only its own faults are let through. */
static void on_log(const gchar *domain, GLogLevelFlags level, const gchar *message, gpointer data)
{
	if ((level & (G_LOG_LEVEL_ERROR | G_LOG_LEVEL_CRITICAL)) != 0)
		g_log_default_handler(domain, level, message, data);
}

static int serve(const struct srv_options *options)
{
	guint32 limit = (guint32)MIN(options->body_limit, G_MAXINT32);
	Listener *listener = g_object_new(listener_get_type(), NULL);
	ThriftProcessor *processor = thrift_handler_processor();
	gpointer transports = g_object_new(THRIFT_TYPE_BUFFERED_TRANSPORT_FACTORY, NULL);
	gpointer protocols = guard_factory_new(limit);
	GError *error = NULL;
	pthread_t thread;
	int status = 1;

	listener->options = options;
	listener->server = g_object_new(THRIFT_TYPE_SIMPLE_SERVER, "processor", processor,
		"server_transport", listener, "input_transport_factory", transports,
		"output_transport_factory", transports, "input_protocol_factory", protocols,
		"output_protocol_factory", protocols, NULL);
	errno = pthread_create(&thread, NULL, stop_thread, listener);
	if (errno != 0) {
		fail_errno("cannot start a thread");
	} else {
		pthread_detach(thread);
		thrift_server_serve(listener->server, &error);
		status = listener->stopping ? 0 : 1;
	}
	g_clear_error(&error);
	g_object_unref(protocols);
	g_object_unref(transports);
	g_object_unref(processor);
	return status;
}

int main(int argc, char **argv)
{
	static const struct srv_spec spec = {
		.name = "thrift-simple",
		.summary = "Serves UnpkgService over Thrift, binary protocol, unframed, with "
			   "c_glib's\n"
			   "ThriftSimpleServer: one connection at a time.",
		.port = 4004,
	};
	struct srv_options options;
	sigset_t signals;
	int parsed = srv_options_parse(&spec, argc, argv, &options);

	if (parsed != 0)
		return parsed > 0 ? 0 : 2;
	if (options.threads != 1) {
		fail_msg("--threads: this server has one, and serves one connection at a time");
		return 2;
	}
	signal(SIGPIPE, SIG_IGN);
	sigemptyset(&signals);
	sigaddset(&signals, SIGTERM);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &signals, NULL);
	g_log_set_default_handler(on_log, NULL);
	thrift_types_register();
	thrift_types_mend(THRIFT_TYPE_SOCKET);
	thrift_types_mend(THRIFT_TYPE_BUFFERED_TRANSPORT);
	return serve(&options);
}
