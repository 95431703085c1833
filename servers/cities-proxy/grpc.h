#ifndef SERVERS_CITIES_PROXY_GRPC_H
#define SERVERS_CITIES_PROXY_GRPC_H

#include "servers/cities-proxy/fetch.h"

/**
 * DOC: The leg over gRPC: cityinfo.GeoCity/GetCities, all calls of a worker on one HTTP/2
 * connection, by nghttp2. A call is made a second time, on another connection if need be, when
 * the upstream refused it unprocessed, or went away before it said a word about it.
 */

struct grpc;

/** grpc_leg - The calls for it, whose state is a struct grpc. */
extern const struct leg grpc_leg;

/** grpc_new() - Without a connection yet. Return: NULL after a message. */
struct grpc *grpc_new(struct proxy *proxy);

/** grpc_send() - Send what has collected; close connections that are idle and of no more use. */
void grpc_send(struct grpc *grpc);

/** grpc_free() - Close all connections; also of NULL. */
void grpc_free(struct grpc *grpc);

#endif
