/* badserver: a server that misbehaves as a script says; see README.md. */
#include <arpa/inet.h>
#include <event2/event.h>
#include <event2/listener.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "lib/clock.h"
#include "lib/fail.h"
#include "lib/opt.h"
#include "tests/badserver/conn.h"

struct options {
	const char *host;
	int64_t port;
	int64_t backlog;
	int protocol;
};

static const char *const protocols[] = {
	"http1", "h2c", "grpc", "thrift-framed", "thrift-binary", NULL};

static const struct opt table[] = {
	{.name = "host",
		.type = OPT_STRING,
		.offset = offsetof(struct options, host),
		.arg = "ADDRESS",
		.help = "IPv4 address to listen at (127.0.0.1)"},
	{.name = "port",
		.type = OPT_INT,
		.offset = offsetof(struct options, port),
		.arg = "N",
		.max = 65535,
		.help = "0 = any free (0)"},
	{.name = "backlog",
		.type = OPT_INT,
		.offset = offsetof(struct options, backlog),
		.arg = "N",
		.max = 65535,
		.help = "of listen() (4096)"},
	{.name = "protocol",
		.type = OPT_CHOICE,
		.offset = offsetof(struct options, protocol),
		.arg = "NAME",
		.choices = protocols,
		.help = "http1, h2c, grpc, thrift-framed or thrift-binary (http1)"},
	{0},
};

static struct event_base *base;
static struct evconnlistener *listener;
static struct event *comeback;
static struct sockaddr_in address;
static int backlog;

static void print_counts(void)
{
	printf("COUNTS accepted=%llu requests=%llu replies=%llu rx_bytes=%llu tx_bytes=%llu\n",
		(unsigned long long)counts.accepted, (unsigned long long)counts.requests,
		(unsigned long long)counts.replies, (unsigned long long)counts.rx_bytes,
		(unsigned long long)counts.tx_bytes);
	fflush(stdout);
}

static void on_accept(
	struct evconnlistener *l, evutil_socket_t fd, struct sockaddr *from, int len, void *ctx)
{
	(void)l;
	(void)from;
	(void)len;
	(void)ctx;
	conn_accept(fd);
}

static int listen_again(void)
{
	listener = evconnlistener_new_bind(base, on_accept, NULL,
		LEV_OPT_CLOSE_ON_FREE | LEV_OPT_REUSEABLE | LEV_OPT_CLOSE_ON_EXEC, backlog,
		(struct sockaddr *)&address, sizeof(address));
	return listener != NULL ? 0
				: fail_errno("cannot listen at port %u", ntohs(address.sin_port));
}

static void on_comeback(evutil_socket_t fd, short what, void *ctx)
{
	(void)fd;
	(void)what;
	(void)ctx;
	if (listener != NULL)
		evconnlistener_enable(listener);
	else if (listen_again() != 0)
		event_base_loopbreak(base);
}

static void come_back_after(int64_t ns)
{
	struct timeval tv = {.tv_sec = ns / NS_PER_S, .tv_usec = ns % NS_PER_S / NS_PER_US};

	event_add(comeback, &tv);
}

void server_hold(int64_t ns)
{
	if (listener == NULL)
		return;
	evconnlistener_disable(listener);
	come_back_after(ns);
}

void server_refuse(int64_t ns)
{
	if (listener == NULL)
		return;
	evconnlistener_free(listener);
	listener = NULL;
	come_back_after(ns);
}

void server_exit(void)
{
	print_counts();
	_exit(0);
}

static void on_signal(evutil_socket_t number, short what, void *ctx)
{
	(void)what;
	(void)ctx;
	if (number == SIGTERM)
		event_base_loopbreak(base);
	else
		print_counts();
}

static int open_server(const struct options *options)
{
	socklen_t len = sizeof(address);

	backlog = (int)options->backlog;
	address.sin_family = AF_INET;
	address.sin_port = htons((uint16_t)options->port);
	if (inet_pton(AF_INET, options->host, &address.sin_addr) != 1)
		return fail_msg("--host: expected an IPv4 address, got '%s'", options->host);
	if (listen_again() != 0)
		return -1;
	getsockname(evconnlistener_get_fd(listener), (struct sockaddr *)&address, &len);
	return 0;
}

static void raise_nofile(void)
{
	struct rlimit limit;

	getrlimit(RLIMIT_NOFILE, &limit);
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

static int serve(const struct options *options)
{
	static const struct proto_ops *const ops[] = {
		&http1_ops, &h2_ops, &h2_ops, &thrift_ops, &thrift_ops};
	struct event_config *config = event_config_new();
	struct event *signals[2];
	int status = 1;

	event_config_set_flag(config, EVENT_BASE_FLAG_PRECISE_TIMER);
	base = event_base_new_with_config(config);
	event_config_free(config);
	signals[0] = evsignal_new(base, SIGTERM, on_signal, NULL);
	signals[1] = evsignal_new(base, SIGUSR1, on_signal, NULL);
	comeback = evtimer_new(base, on_comeback, NULL);
	evsignal_add(signals[0], NULL);
	evsignal_add(signals[1], NULL);
	conn_setup(base, ops[options->protocol], (enum proto)(1 << options->protocol));
	raise_nofile();
	if (open_server(options) == 0) {
		printf("READY port=%u\n", ntohs(address.sin_port));
		fflush(stdout);
		event_base_dispatch(base);
		print_counts();
		status = 0;
	}
	conn_drop_all();
	if (listener != NULL)
		evconnlistener_free(listener);
	event_free(comeback);
	event_free(signals[0]);
	event_free(signals[1]);
	event_base_free(base);
	return status;
}

int main(int argc, char **argv)
{
	struct options options = {.host = "127.0.0.1", .backlog = 4096};
	int status = 2;
	int first;

	fail_set_program("badserver");
	signal(SIGPIPE, SIG_IGN);
	switch (opt_parse(table, &options, "badserver [OPTIONS] [RULE…]", argc, argv, &first)) {
	case OPT_HELP:
		return 0;
	case OPT_BAD:
		return 2;
	default:
		break;
	}
	if (script_parse(argv + first, argc - first, (enum proto)(1 << options.protocol)) == 0)
		status = serve(&options);
	script_free();
	return status;
}
