/*
 * srv_main
 *   srv_options_parse -> threads, each with a loop and a socket for each endpoint -> READY
 *   worker_open: service->start; thread_run: the loop
 *   on_signal, in the first loop -> wakes each worker -> service->drain -> loop runs empty
 *   thread_close: service->stop
 */
#include <arpa/inet.h>
#include <errno.h>
#include <event2/event.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lib/clock.h"
#include "lib/fail.h"
#include "lib/opt.h"
#include "servers/common/count.h"
#include "servers/common/srv.h"

#define SRV_BACKLOG 65535 /* the kernel cuts it to net.core.somaxconn */

#define OPTIONS_MAX   24 /* rows of all tables that a server may have */
#define ENDPOINTS_MAX 2

/* One thread and what only this file needs of it. */
struct thread {
	struct srv_worker workers[ENDPOINTS_MAX]; /* one for each endpoint */
	size_t n_workers;                         /* that were begun to open */
	unsigned index;
	struct event_base *base;
	pthread_t id; /* not of the first, which is the main thread */
	int wake_fd;  /* eventfd: written to, by the main thread, to drain */
	struct event *wake;
};

/* The main thread is the first worker: a server of one thread then has no other, and its system
 * calls need not guard against cancellation. */
struct server {
	const struct srv_options *options;
	struct thread *threads;
	size_t opened;
	int signal_fd;
	struct event *signal; /* of the first worker's loop */
};

static const struct opt options_table[] = {
	{.name = "host",
		.type = OPT_STRING,
		.offset = offsetof(struct srv_options, host),
		.arg = "ADDR",
		.help = "address to listen on (127.0.0.1)"},
	{.name = "port",
		.type = OPT_INT,
		.offset = offsetof(struct srv_options, port),
		.arg = "PORT",
		.max = 65535,
		.help = "port to listen on, 0 = any free (the contestant's own)"},
	{.name = "threads",
		.type = OPT_INT,
		.offset = offsetof(struct srv_options, threads),
		.arg = "N",
		.min = 1,
		.max = 256,
		.help = "event loops, each a thread (1)"},
	{.name = "header-limit",
		.type = OPT_SIZE,
		.offset = offsetof(struct srv_options, header_limit),
		.arg = "SIZE",
		.help = "largest header block (16KiB)"},
	{.name = "body-limit",
		.type = OPT_SIZE,
		.offset = offsetof(struct srv_options, body_limit),
		.arg = "SIZE",
		.help = "largest body or frame (16MiB)"},
	{.name = "idle-timeout",
		.type = OPT_DURATION,
		.offset = offsetof(struct srv_options, idle_ns),
		.arg = "TIME",
		.min = 1,
		.help = "close a connection without traffic after this (60s)"},
	{.name = "header-timeout",
		.type = OPT_DURATION,
		.offset = offsetof(struct srv_options, header_ns),
		.arg = "TIME",
		.min = 1,
		.help = "a header must be complete within this (10s)"},
};

static const struct opt grpc_row = {.name = "grpc-port",
	.type = OPT_INT,
	.offset = offsetof(struct srv_options, grpc_port),
	.arg = "PORT",
	.max = 65535,
	.help = "port to listen on for gRPC, 0 = any free (the contestant's own)"};

/* All options of @spec, ended by a zeroed row. */
static void collect_options(const struct srv_spec *spec, struct opt *rows)
{
	size_t n = sizeof(options_table) / sizeof(*options_table);

	memset(rows, 0, OPTIONS_MAX * sizeof(*rows));
	memcpy(rows, options_table, sizeof(options_table));
	if (spec->grpc != NULL)
		rows[n++] = grpc_row;
	for (const struct opt *own = spec->own_rows; own != NULL && own->name != NULL; own++)
		if (n < OPTIONS_MAX - 1)
			rows[n++] = *own;
}

int srv_options_parse(
	const struct srv_spec *spec, int argc, char **argv, struct srv_options *options)
{
	struct opt rows[OPTIONS_MAX];
	char usage[256];
	int first;

	*options = (struct srv_options){
		.host = "127.0.0.1",
		.port = spec->port,
		.grpc_port = spec->grpc != NULL ? spec->grpc->port : 0,
		.threads = 1,
		.header_limit = 16 << 10,
		.body_limit = 16 << 20,
		.idle_ns = 60 * NS_PER_S,
		.header_ns = 10 * NS_PER_S,
	};
	fail_set_program(spec->name);
	snprintf(usage, sizeof(usage), "%s [OPTIONS]\n%s", spec->name, spec->summary);
	collect_options(spec, rows);
	switch (opt_parse(rows, options, usage, argc, argv, &first)) {
	case OPT_OK:
		break;
	case OPT_HELP:
		return 1;
	case OPT_BAD:
		return -1;
	}
	if (first < argc)
		return fail_msg("unexpected argument '%s'", argv[first]);
	return 0;
}

int srv_listen(const char *host, uint16_t port, bool shared)
{
	const struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE};
	struct addrinfo *address;
	char service[8];
	int one = 1;
	int error;
	int fd;

	snprintf(service, sizeof(service), "%u", port);
	error = getaddrinfo(host, service, &hints, &address);
	if (error != 0)
		return fail_msg("--host %s: %s", host, gai_strerror(error));
	fd = socket(address->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (fd < 0) {
		fail_errno("socket");
		goto err0;
	}
	/* Accepted sockets inherit TCP_NODELAY. */
	if (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one)) != 0 ||
		setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one)) != 0 ||
		(shared && setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &one, sizeof(one)) != 0) ||
		bind(fd, address->ai_addr, address->ai_addrlen) != 0 ||
		listen(fd, SRV_BACKLOG) != 0) {
		fail_errno("cannot listen on %s port %u", host, port);
		goto err1;
	}
	freeaddrinfo(address);
	return fd;

err1:
	close(fd);
err0:
	freeaddrinfo(address);
	return -1;
}

uint16_t srv_port(int fd)
{
	struct sockaddr_storage address;
	socklen_t len = sizeof(address);

	if (getsockname(fd, (struct sockaddr *)&address, &len) != 0)
		return 0;
	if (address.ss_family == AF_INET6)
		return ntohs(((struct sockaddr_in6 *)&address)->sin6_port);
	return ntohs(((struct sockaddr_in *)&address)->sin_port);
}

void srv_ready(uint16_t port)
{
	printf("READY port=%u\n", port);
	fflush(stdout);
}

void srv_raise_nofile(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
		limit.rlim_cur = limit.rlim_max;
		setrlimit(RLIMIT_NOFILE, &limit);
	}
}

/* The main thread asked for a drain. */
static void on_wake(evutil_socket_t fd, short events, void *arg)
{
	struct thread *thread = arg;

	(void)fd;
	(void)events;
	for (size_t i = 0; i < thread->n_workers; i++)
		thread->workers[i].draining = true;
	event_base_loopbreak(thread->base);
}

/* Serves until the drain, then until no event is left but the deadline's own. */
static void *thread_run(void *arg)
{
	const struct timeval deadline = {.tv_usec = SRV_DRAIN_NS / NS_PER_US};
	struct thread *thread = arg;
	struct event_base *base = thread->base;

	event_base_dispatch(base);
	event_del(thread->wake);
	for (size_t i = 0; i < thread->n_workers; i++)
		thread->workers[i].spec->service->drain(&thread->workers[i]);
	event_base_loopexit(base, &deadline);
	while (!event_base_got_exit(base) &&
		event_base_get_num_events(base, EVENT_BASE_COUNT_ADDED) > 1)
		event_base_loop(base, EVLOOP_ONCE);
	return NULL;
}

static int thread_open(struct thread *thread)
{
	struct event_config *config = event_config_new();

	thread->wake_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	if (config != NULL && event_config_set_flag(config, EVENT_BASE_FLAG_NOLOCK) == 0)
		thread->base = event_base_new_with_config(config);
	if (thread->base != NULL && thread->wake_fd >= 0)
		thread->wake = event_new(thread->base, thread->wake_fd, EV_READ, on_wake, thread);
	if (config != NULL)
		event_config_free(config);
	if (thread->wake == NULL || event_add(thread->wake, NULL) != 0)
		return fail_msg("cannot set up an event loop");
	return 0;
}

/* Opens one endpoint; sets @port to what was picked where it is 0. */
static int worker_open(struct thread *thread, const struct srv_options *options,
	const struct srv_spec *spec, int64_t *port)
{
	struct srv_worker *worker = &thread->workers[thread->n_workers++];

	worker->options = options;
	worker->spec = spec;
	worker->base = thread->base;
	worker->index = thread->index;
	worker->listen_fd = srv_listen(options->host, (uint16_t)*port, options->threads > 1);
	if (worker->listen_fd < 0)
		return -1;
	*port = srv_port(worker->listen_fd);
	return spec->service->start(worker);
}

static void thread_close(struct thread *thread)
{
	for (size_t i = 0; i < thread->n_workers; i++) {
		struct srv_worker *worker = &thread->workers[i];

		worker->spec->service->stop(worker);
		if (worker->listen_fd >= 0)
			close(worker->listen_fd);
	}
	if (thread->wake != NULL)
		event_free(thread->wake);
	if (thread->base != NULL)
		event_base_free(thread->base);
	if (thread->wake_fd >= 0)
		close(thread->wake_fd);
}

static void wake_workers(const struct server *server, size_t n)
{
	const uint64_t one = 1;

	for (size_t i = 0; i < n; i++)
		if (write(server->threads[i].wake_fd, &one, sizeof(one)) < 0)
			fail_errno("cannot wake a thread");
}

static void on_signal(evutil_socket_t fd, short events, void *arg)
{
	struct server *server = arg;
	struct signalfd_siginfo info;

	(void)events;
	while (read(fd, &info, sizeof(info)) == (ssize_t)sizeof(info)) {
		if (info.ssi_signo == SIGUSR1) {
			count_print();
			continue;
		}
		wake_workers(server, server->opened);
		event_del(server->signal); /* no loop ends while it has an event */
	}
}

/* SIGTERM, SIGINT and SIGUSR1 are read by the first worker; blocked before any other thread starts.
 */
static int open_signals(struct server *server)
{
	struct event_base *base = server->threads[0].base;
	sigset_t signals;

	signal(SIGPIPE, SIG_IGN);
	sigemptyset(&signals);
	sigaddset(&signals, SIGTERM);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &signals, NULL);
	server->signal_fd = signalfd(-1, &signals, SFD_NONBLOCK | SFD_CLOEXEC);
	if (server->signal_fd < 0)
		return fail_errno("cannot wait for signals");
	server->signal =
		event_new(base, server->signal_fd, EV_READ | EV_PERSIST, on_signal, server);
	if (server->signal == NULL || event_add(server->signal, NULL) != 0)
		return fail_msg("cannot wait for signals");
	return 0;
}

static void print_ready(const struct thread *thread)
{
	uint16_t port = srv_port(thread->workers[0].listen_fd);

	if (thread->n_workers == 1) {
		srv_ready(port);
		return;
	}
	printf("READY port=%u grpc=%u\n", port, srv_port(thread->workers[1].listen_fd));
	fflush(stdout);
}

/* Serves until a signal, then drains. */
static int run_threads(struct server *server)
{
	struct thread *threads = server->threads;
	size_t n = 1;

	for (; n < server->opened; n++) {
		errno = pthread_create(&threads[n].id, NULL, thread_run, &threads[n]);
		if (errno != 0) {
			fail_errno("cannot start thread %zu of %zu", n + 1, server->opened);
			wake_workers(server, n);
			break;
		}
	}
	if (n == server->opened)
		print_ready(&threads[0]);
	thread_run(&threads[0]);
	for (size_t i = 1; i < n; i++)
		pthread_join(threads[i].id, NULL);
	return n == server->opened ? 0 : -1;
}

/* Several workers share a port by SO_REUSEPORT, which would also share it with another server of
 * ours: a try without says that the port is free. */
static int check_port(const struct srv_options *options, int64_t port)
{
	int fd;

	if (options->threads == 1 || port == 0)
		return 0;
	fd = srv_listen(options->host, (uint16_t)port, false);
	if (fd < 0)
		return -1;
	close(fd);
	return 0;
}

/* Opens as many threads as wanted, all on the same ports. */
static int open_threads(struct server *server, const struct srv_spec *spec)
{
	const struct srv_options *options = server->options;
	int64_t port = options->port;
	int64_t grpc_port = options->grpc_port;

	if (port != 0 && port == grpc_port)
		return fail_msg(
			"--port and --grpc-port: expected two ports, not %d twice", (int)port);
	if (check_port(options, port) != 0 || check_port(options, grpc_port) != 0)
		return -1;
	for (size_t n = (size_t)options->threads; server->opened < n;) {
		struct thread *thread = &server->threads[server->opened];

		thread->index = (unsigned)server->opened++;
		if (thread_open(thread) != 0 || worker_open(thread, options, spec, &port) != 0)
			return -1;
		if (spec->grpc != NULL && worker_open(thread, options, spec->grpc, &grpc_port) != 0)
			return -1;
	}
	return 0;
}

int srv_main(const struct srv_spec *spec, int argc, char **argv)
{
	struct srv_options plain = {0};
	struct srv_options *options = spec->own != NULL ? spec->own : &plain;
	struct server server = {.options = options, .signal_fd = -1};
	int status = 1;
	int parsed = srv_options_parse(spec, argc, argv, options);

	if (parsed != 0)
		return parsed > 0 ? 0 : 2;
	srv_raise_nofile();
	server.threads = calloc((size_t)options->threads, sizeof(*server.threads));
	if (server.threads == NULL) {
		fail_errno("cannot set up %d threads", (int)options->threads);
		return 1;
	}
	if (open_threads(&server, spec) == 0 && open_signals(&server) == 0 &&
		run_threads(&server) == 0)
		status = 0;

	if (server.signal != NULL)
		event_free(server.signal);
	for (size_t i = 0; i < server.opened; i++)
		thread_close(&server.threads[i]);
	if (server.signal_fd >= 0)
		close(server.signal_fd);
	free(server.threads);
	return status;
}
