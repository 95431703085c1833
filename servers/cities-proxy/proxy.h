#ifndef SERVERS_CITIES_PROXY_PROXY_H
#define SERVERS_CITIES_PROXY_PROXY_H

#include <stdbool.h>
#include <stdint.h>

#include "servers/common/http1.h"
#include "servers/common/srv.h"

struct event_base;
struct proxy;

/** struct proxy_options - The options of the proxy. */
struct proxy_options {
	struct srv_options srv; /* first */
	const char *host;       /* of the upstream */
	int64_t port;           /* of its HTTP/1.1 */
	int64_t grpc_port;
	int64_t timeout_ns;  /* for all that the upstream is asked for one request */
	int64_t connections; /* HTTP/1.1 connections of a worker, at most */
};

/**
 * DOC: The proxy of one worker, on its event loop. A client's request is one fetch, over one of
 * two legs: kept-alive HTTP/1.1 connections, or the streams of one HTTP/2 connection.
 */

/** proxy_service - Serves the routes of spec->arg as stream_service does, with a proxy behind. */
extern const struct srv_service proxy_service;

/** proxy_base() - The worker's event loop. */
struct event_base *proxy_base(const struct proxy *proxy);

/** proxy_options() - The options. */
const struct proxy_options *proxy_options(const struct proxy *proxy);

/** proxy_drains() - True once connections are to be closed that nobody waits for. */
bool proxy_drains(const struct proxy *proxy);

/** proxy_work() - Have grpc_send() called when this turn of the loop is over. */
void proxy_work(const struct proxy *proxy);

/** proxy_get_rest() - A handler: cities by HTTP/1.1, parsed and printed. */
int proxy_get_rest(const struct http1_request *request, struct http1_reply *reply);

/** proxy_get_grpc() - A handler: cities by gRPC, decoded and printed. */
int proxy_get_grpc(const struct http1_request *request, struct http1_reply *reply);

/** proxy_get_raw() - A handler: cities by HTTP/1.1, passed on as they come. */
int proxy_get_raw(const struct http1_request *request, struct http1_reply *reply);

#endif
