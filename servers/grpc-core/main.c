/*
 * grpc-core: the gRPC services over the C API of gRPC core.
 *   main -> server_open: gRPC core's server, and a completion queue for each thread
 *        -> server_run: the threads, READY, and the wait for a signal
 *        -> server_stop: drain, then cancel what is left
 */
#include <grpc/grpc.h>
#include <grpc/grpc_security.h>
#include <grpc/support/log.h>
#include <grpc/support/time.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/clock.h"
#include "lib/fail.h"
#include "servers/common/cities.h"
#include "servers/common/count.h"
#include "servers/common/srv.h"
#include "servers/grpc-core/call.h"

#define METHODS_MAX 8    /* with the one for any other path */
#define STREAMS     1024 /* at a time on a connection */

static const struct srv_spec spec = {
	.name = "grpc-core",
	.summary = "Serves the gRPC services of protos/ by gRPC core's C API.",
	.port = 50051,
};

struct thread {
	struct call_worker worker;
	pthread_t id;
	bool runs;
};

struct server {
	struct srv_options options;
	struct rpc_data data;
	struct call_method methods[METHODS_MAX];
	grpc_server *grpc;
	grpc_completion_queue *stopped; /* told of the end of the drain */
	struct thread *threads;
	sigset_t signals;
};

/* What gRPC core has to say of bad bytes is no news; what fails here is told by this program. */
static void log_nothing(gpr_log_func_args *args)
{
	(void)args;
}

static grpc_arg int_arg(const char *key, uint64_t value)
{
	return (grpc_arg){.type = GRPC_ARG_INTEGER,
		.key = (char *)key,
		.value.integer = value < INT_MAX ? (int)value : INT_MAX};
}

/* Limits as the options have them, and without what is not served: compression, statistics. */
static grpc_server *create(const struct srv_options *options)
{
	grpc_arg args[] = {
		int_arg(GRPC_ARG_MAX_RECEIVE_MESSAGE_LENGTH, options->body_limit),
		int_arg(GRPC_ARG_MAX_METADATA_SIZE, options->header_limit),
		int_arg(GRPC_ARG_MAX_CONNECTION_IDLE_MS, (uint64_t)(options->idle_ns / NS_PER_MS)),
		int_arg(GRPC_ARG_SERVER_HANDSHAKE_TIMEOUT_MS,
			(uint64_t)(options->header_ns / NS_PER_MS)),
		int_arg(GRPC_ARG_MAX_CONCURRENT_STREAMS, STREAMS),
		int_arg(GRPC_ARG_ALLOW_REUSEPORT, options->threads > 1),
		int_arg(GRPC_COMPRESSION_CHANNEL_ENABLED_ALGORITHMS_BITSET,
			1 << GRPC_COMPRESS_NONE),
		int_arg(GRPC_ARG_ENABLE_PER_MESSAGE_COMPRESSION, 0),
		int_arg(GRPC_ARG_ENABLE_CHANNELZ, 0),
	};
	grpc_channel_args all = {.num_args = sizeof(args) / sizeof(args[0]), .args = args};

	return grpc_server_create(&all, NULL);
}

static int register_methods(struct server *server)
{
	const struct rpc_method *rpc = rpc_methods;

	for (size_t i = 0; rpc->path != NULL; i++, rpc++) {
		struct call_method *method = &server->methods[i];

		if (i == METHODS_MAX - 1)
			return fail_msg("there are more than %zu methods", i);
		method->rpc = rpc;
		method->handle = grpc_server_register_method(server->grpc, rpc->path, NULL,
			GRPC_SRM_PAYLOAD_READ_INITIAL_BYTE_BUFFER, 0);
	}
	return 0;
}

/* A queue of its own, without a poller, so that gRPC core gives it no connections. */
static grpc_completion_queue *create_stopped_queue(void)
{
	const grpc_completion_queue_attributes attributes = {
		.version = 1,
		.cq_completion_type = GRPC_CQ_NEXT,
		.cq_polling_type = GRPC_CQ_NON_POLLING,
	};

	return grpc_completion_queue_create(
		grpc_completion_queue_factory_lookup(&attributes), &attributes, NULL);
}

/* Return: the port, or -1 after a message. */
static int listen_on(const struct server *server)
{
	const struct srv_options *options = &server->options;
	grpc_server_credentials *plain;
	char address[300];
	int port;
	/* gRPC core does not say why it cannot listen, and shares a port with others. */
	int fd = srv_listen(options->host, (uint16_t)options->port, false);

	if (fd < 0)
		return -1;
	close(fd);
	snprintf(address, sizeof(address), strchr(options->host, ':') != NULL ? "[%s]:%d" : "%s:%d",
		options->host, (int)options->port);
	plain = grpc_insecure_server_credentials_create();
	port = grpc_server_add_http2_port(server->grpc, address, plain);
	grpc_server_credentials_release(plain);
	if (port <= 0)
		return fail_msg("cannot listen on %s", address);
	return port;
}

/* Return: the port, or -1 after a message. */
static int server_open(struct server *server)
{
	size_t n = (size_t)server->options.threads;

	server->data.cities = cities_load(NULL);
	if (server->data.cities == NULL)
		return -1;
	server->grpc = create(&server->options);
	server->stopped = create_stopped_queue();
	grpc_server_register_completion_queue(server->grpc, server->stopped, NULL);
	server->threads = calloc(n, sizeof(*server->threads));
	if (server->threads == NULL)
		return fail_errno("cannot set up %zu threads", n);
	for (size_t i = 0; i < n; i++) {
		struct call_worker *worker = &server->threads[i].worker;

		worker->server = server->grpc;
		worker->queue = grpc_completion_queue_create_for_next(NULL);
		worker->data = &server->data;
		worker->methods = server->methods;
		grpc_server_register_completion_queue(server->grpc, worker->queue, NULL);
	}
	if (register_methods(server) != 0)
		return -1;
	return listen_on(server);
}

static void *run(void *arg)
{
	call_worker_run(arg);
	return NULL;
}

static int server_run(struct server *server, int port)
{
	int signal_number;

	grpc_server_start(server->grpc);
	for (int64_t i = 0; i < server->options.threads; i++) {
		struct thread *thread = &server->threads[i];

		if (call_worker_start(&thread->worker) != 0)
			return -1;
		if (pthread_create(&thread->id, NULL, run, &thread->worker) != 0)
			return fail_errno("cannot start a thread");
		thread->runs = true;
	}
	srv_ready((uint16_t)port);
	while (sigwait(&server->signals, &signal_number) == 0 && signal_number == SIGUSR1)
		count_print();
	return 0;
}

/* Waits for the calls in flight, cancels those that take too long. */
static void drain(struct server *server)
{
	const gpr_timespec forever = gpr_inf_future(GPR_CLOCK_MONOTONIC);
	const gpr_timespec deadline = gpr_time_add(
		gpr_now(GPR_CLOCK_MONOTONIC), gpr_time_from_nanos(SRV_DRAIN_NS, GPR_TIMESPAN));

	grpc_server_shutdown_and_notify(server->grpc, server->stopped, NULL);
	if (grpc_completion_queue_next(server->stopped, deadline, NULL).type ==
		GRPC_QUEUE_TIMEOUT) {
		grpc_server_cancel_all_calls(server->grpc);
		grpc_completion_queue_next(server->stopped, forever, NULL);
	}
}

static void queue_free(grpc_completion_queue *queue)
{
	const gpr_timespec forever = gpr_inf_future(GPR_CLOCK_MONOTONIC);

	grpc_completion_queue_shutdown(queue);
	while (grpc_completion_queue_next(queue, forever, NULL).type != GRPC_QUEUE_SHUTDOWN)
		;
	grpc_completion_queue_destroy(queue);
}

static void server_stop(struct server *server)
{
	size_t n = server->threads != NULL ? (size_t)server->options.threads : 0;

	drain(server);
	for (size_t i = 0; i < n; i++) {
		struct thread *thread = &server->threads[i];

		grpc_completion_queue_shutdown(thread->worker.queue);
		if (thread->runs)
			pthread_join(thread->id, NULL);
		else
			call_worker_run(&thread->worker);
		grpc_completion_queue_destroy(thread->worker.queue);
		call_worker_free(&thread->worker);
	}
	queue_free(server->stopped);
	grpc_server_destroy(server->grpc);
	free(server->threads);
}

int main(int argc, char **argv)
{
	static struct server server;
	int parsed = srv_options_parse(&spec, argc, argv, &server.options);
	int status = 1;
	int port;

	if (parsed != 0)
		return parsed > 0 ? 0 : 2;
	srv_raise_nofile();
	/* Before gRPC core's own threads begin, so that none of them takes the signals. */
	sigemptyset(&server.signals);
	sigaddset(&server.signals, SIGTERM);
	sigaddset(&server.signals, SIGINT);
	sigaddset(&server.signals, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &server.signals, NULL);
	gpr_set_log_function(log_nothing);
	grpc_init();
	port = server_open(&server);
	if (port > 0 && server_run(&server, port) == 0)
		status = 0;
	if (server.grpc != NULL)
		server_stop(&server);
	cities_free((struct cities *)server.data.cities);
	grpc_shutdown();
	return status;
}
