#ifndef SERVERS_HTTP_EVHTTP_SERVICE_H
#define SERVERS_HTTP_EVHTTP_SERVICE_H

#include <event2/http.h>

#include "lib/slice.h"
#include "servers/common/srv.h"

struct buf;

/**
 * DOC: libevent's own HTTP server as a service of srv.h: what a user of evhttp gets, with the
 * limits that evhttp knows, and with the header fields of the other HTTP servers.
 *
 * Errors in a request are answered by evhttp, in its own words and with its own statuses. It has
 * no deadline for a header block, only one for silence: the header timeout is not used. It does
 * not tell its connections: those that are idle when a drain begins stay open until its end.
 */

/** struct evhttp_route - One path; a table of routes ends with a zeroed row. */
struct evhttp_route {
	const char *path;
	enum evhttp_cmd_type method; /* GET brings HEAD with it */
	const char *type;            /* media type of the reply */
	/* Appends the reply's body to @out. Return: its status, or -1 for 500. */
	int (*handle)(struct slice query, struct slice body, struct buf *out);
};

/** evhttp_service - The service; spec->arg is the table of routes. */
extern const struct srv_service evhttp_service;

#endif
