#ifndef SERVERS_CITIES_PROXY_UPSTREAM_H
#define SERVERS_CITIES_PROXY_UPSTREAM_H

#include <stdint.h>
#include <sys/socket.h>

/**
 * DOC: Where connections go to. After one that failed, the next is not tried for a while, which
 * doubles up to UPSTREAM_PAUSE_MAX with each failure.
 */

#define UPSTREAM_PAUSE_MIN (10 * NS_PER_MS)
#define UPSTREAM_PAUSE_MAX NS_PER_S
#define UPSTREAM_NAME_MAX  280 /* bytes of HOST:PORT with its NUL */

struct upstream {
	struct sockaddr_storage address;
	socklen_t address_len;
	char name[UPSTREAM_NAME_MAX]; /* as in a Host field */
	int64_t pause_ns;             /* of the last failure; 0 = there was none */
	int64_t not_before_ns;
};

/** upstream_init() - Look an address up. Return: 0, or -1 after a message. */
int upstream_init(struct upstream *upstream, const char *host, int64_t port);

/**
 * upstream_connect() - Begin a connection.
 *
 * Return: a non-blocking socket, owned by the caller, which becomes writable once the connection
 *   is there or has failed; -1 when it has failed already, or it is too early to try.
 */
int upstream_connect(struct upstream *upstream);

/**
 * upstream_connected() - Judge a socket of upstream_connect() that has become writable.
 *
 * Return: 0, or -1 when the connection has failed.
 */
int upstream_connected(struct upstream *upstream, int fd);

#endif
