/* cities-proxy: the cities of another server, fetched for each request by HTTP/1.1 or by gRPC. */
#include <malloc.h>
#include <stddef.h>

#include "lib/clock.h"
#include "lib/opt.h"
#include "servers/cities-proxy/proxy.h"

#define KEEP_MAX  (4 << 20)  /* bytes of a block that malloc() takes from what it keeps */
#define KEEP_FREE (32 << 20) /* bytes that it keeps */

static struct proxy_options options = {
	.host = "127.0.0.1",
	.port = 5005,
	.grpc_port = 50051,
	.timeout_ns = 5 * NS_PER_S,
	.connections = 64,
};

static const struct opt rows[] = {
	{.name = "upstream-host",
		.type = OPT_STRING,
		.offset = offsetof(struct proxy_options, host),
		.arg = "ADDR",
		.help = "where the cities come from (127.0.0.1)"},
	{.name = "upstream-port",
		.type = OPT_INT,
		.offset = offsetof(struct proxy_options, port),
		.arg = "PORT",
		.min = 1,
		.max = 65535,
		.help = "its port for HTTP/1.1 (5005)"},
	{.name = "upstream-grpc-port",
		.type = OPT_INT,
		.offset = offsetof(struct proxy_options, grpc_port),
		.arg = "PORT",
		.min = 1,
		.max = 65535,
		.help = "its port for gRPC (50051)"},
	{.name = "upstream-timeout",
		.type = OPT_DURATION,
		.offset = offsetof(struct proxy_options, timeout_ns),
		.arg = "TIME",
		.min = 1,
		.help = "answer 504 after this (5s)"},
	{.name = "upstream-connections",
		.type = OPT_INT,
		.offset = offsetof(struct proxy_options, connections),
		.arg = "N",
		.min = 1,
		.max = 65536,
		.help = "connections for HTTP/1.1 of a thread, at most (64)"},
	{0},
};

static const struct http1_route routes[] = {
	{.path = "/cities-rest", .methods = HTTP1_GET, .handle = proxy_get_rest},
	{.path = "/cities-grpc", .methods = HTTP1_GET, .handle = proxy_get_grpc},
	{.path = "/cities-raw", .methods = HTTP1_GET, .handle = proxy_get_raw},
	{0},
};

static const struct stream_protocol protocol = {.ops = &http1_ops, .arg = routes};

static const struct srv_spec spec = {
	.name = "cities-proxy",
	.summary = "Serves the cities of cities-data: GET /cities-rest, /cities-grpc, /cities-raw.",
	.port = 3000,
	.service = &proxy_service,
	.arg = &protocol,
	.own_rows = rows,
	.own = &options.srv,
};

int main(int argc, char **argv)
{
	/* Lists of cities come and go, and their pages stay: they cost more than what is written
	 * to them. Setting one of the two alone would fix the other at its 128 KiB. */
	mallopt(M_MMAP_THRESHOLD, KEEP_MAX);
	mallopt(M_TRIM_THRESHOLD, KEEP_FREE);
	return srv_main(&spec, argc, argv);
}
