#ifndef SERVERS_CITIES_PROXY_REST_H
#define SERVERS_CITIES_PROXY_REST_H

#include "servers/cities-proxy/fetch.h"

/**
 * DOC: The leg over HTTP/1.1: GET /cities on kept-alive connections. A request waits while all
 * connections are in use; it is sent a second time, on a new connection, when a kept one was
 * closed before the reply began.
 */

struct rest;

/** rest_leg - The calls for it, whose state is a struct rest. */
extern const struct leg rest_leg;

/** rest_new() - Without a connection yet. Return: NULL after a message. */
struct rest *rest_new(const struct proxy *proxy);

/** rest_drain() - Close what is idle. */
void rest_drain(struct rest *rest);

/** rest_free() - Close all connections; also of NULL. */
void rest_free(struct rest *rest);

#endif
