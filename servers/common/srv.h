#ifndef SERVERS_COMMON_SRV_H
#define SERVERS_COMMON_SRV_H

#include <stdbool.h>
#include <stdint.h>

struct event_base;
struct opt;

/**
 * DOC: What every server shares: options, listening sockets, threads, READY, signals, drain.
 *
 * Each thread (a worker) owns an event loop and a listening socket of its own, all on the same
 * port; workers share nothing. On SIGTERM or SIGINT every worker drains: it takes no
 * new connection, finishes what is in flight, and leaves its loop; what is not finished after
 * SRV_DRAIN_NS is dropped. The exit status is 0. On SIGUSR1 it prints its counts, see count.h.
 */

#define SRV_DRAIN_NS INT64_C(800000000) /* within the second that the README promises */

/** struct srv_options - The options that all servers take. */
struct srv_options {
	const char *host;      /* numeric IPv4 or IPv6 address, or a name */
	int64_t port;          /* 0 = any free */
	int64_t grpc_port;     /* of the second endpoint, where there is one; likewise */
	int64_t threads;       /* workers */
	uint64_t header_limit; /* bytes of a header block */
	uint64_t body_limit;   /* bytes of a body or frame */
	int64_t idle_ns;       /* a connection without traffic is closed after this */
	int64_t header_ns;     /* a begun header must be complete within this */
};

/** struct srv_worker - One thread of a server; two of them, one loop, if it has two endpoints. */
struct srv_worker {
	const struct srv_options *options;
	const struct srv_spec *spec;
	struct event_base *base;
	int listen_fd; /* non-blocking; the service closes it when it drains, and sets it to -1 */
	unsigned index;
	bool draining;
	void *service; /* the service's own */
	void *app;     /* of what the service serves, e.g. of routes; NULL at first */
};

/** struct srv_service - How a server accepts and serves, once per worker, on its thread. */
struct srv_service {
	/* Register on worker->base. Required. Return: 0, or -1 after a message. */
	int (*start)(struct srv_worker *worker);
	/* Take no new connection, end each as soon as it owes nothing, then let the loop run
	 * empty. Required. */
	void (*drain)(struct srv_worker *worker);
	/* Free everything, once, on the main thread after the loops have ended; also after a
	 * failed start or none (worker->service is NULL then). Required. */
	void (*stop)(struct srv_worker *worker);
};

/** struct srv_spec - What makes a server: a constant in its main.c. */
struct srv_spec {
	const char *name;
	const char *summary; /* one line for --help */
	uint16_t port;       /* the contestant's own */
	const struct srv_service *service;
	const void *arg; /* for the service, e.g. its routes */
	/* A second endpoint, gRPC, served by the same threads: its port, service and arg are of
	 * interest. NULL = none, and then there is no --grpc-port. */
	const struct srv_spec *grpc;
	/* Options of the server's own. NULL = none; else @own is where all options go: a struct
	 * that begins with a struct srv_options and holds the defaults of what follows it. */
	const struct opt *own_rows;
	struct srv_options *own;
};

/**
 * srv_options_parse() - Defaults of @spec, then the command line.
 * @options: @spec->own if that is there.
 *
 * Return: 0; 1 after --help was printed; -1 after a message that names the option.
 */
int srv_options_parse(
	const struct srv_spec *spec, int argc, char **argv, struct srv_options *options);

/**
 * srv_listen() - A non-blocking listening TCP socket.
 * @port: 0 picks a free one.
 * @shared: with SO_REUSEPORT, for several workers on one port. Not for one alone, so that a
 *   port which is taken is an error then.
 *
 * Return: the socket, owned by the caller, or -1 after a message.
 */
int srv_listen(const char *host, uint16_t port, bool shared);

/** srv_port() - The local port of socket @fd, or 0 when it has none. */
uint16_t srv_port(int fd);

/** srv_ready() - Print the READY line that the harness waits for. */
void srv_ready(uint16_t port);

/** srv_raise_nofile() - Raise the soft limit of open files to the hard limit. */
void srv_raise_nofile(void);

/** srv_main() - The whole life of a server; main() returns its value. */
int srv_main(const struct srv_spec *spec, int argc, char **argv);

#endif
