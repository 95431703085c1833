#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lib/clock.h"
#include "lib/fail.h"
#include "servers/cities-proxy/upstream.h"

int upstream_init(struct upstream *upstream, const char *host, int64_t port)
{
	const struct addrinfo hints = {.ai_socktype = SOCK_STREAM};
	bool bracketed = strchr(host, ':') != NULL;
	struct addrinfo *found;
	char service[8];
	int error;

	*upstream = (struct upstream){0};
	snprintf(service, sizeof(service), "%u", (unsigned)(uint16_t)port);
	error = getaddrinfo(host, service, &hints, &found);
	if (error != 0)
		return fail_msg("--upstream-host %s: %s", host, gai_strerror(error));
	memcpy(&upstream->address, found->ai_addr, found->ai_addrlen);
	upstream->address_len = found->ai_addrlen;
	freeaddrinfo(found);
	snprintf(upstream->name, sizeof(upstream->name), "%s%s%s:%s", bracketed ? "[" : "", host,
		bracketed ? "]" : "", service);
	return 0;
}

static int pause_after_failure(struct upstream *upstream)
{
	int64_t pause = upstream->pause_ns * 2;

	if (pause < UPSTREAM_PAUSE_MIN)
		pause = UPSTREAM_PAUSE_MIN;
	upstream->pause_ns = pause < UPSTREAM_PAUSE_MAX ? pause : UPSTREAM_PAUSE_MAX;
	upstream->not_before_ns = clock_ns() + upstream->pause_ns;
	return -1;
}

int upstream_connect(struct upstream *upstream)
{
	const struct sockaddr *address = (const struct sockaddr *)&upstream->address;
	int one = 1;
	int fd;

	if (upstream->pause_ns > 0 && clock_ns() < upstream->not_before_ns)
		return -1;
	fd = socket(address->sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -1;
	if (setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one)) == 0 &&
		(connect(fd, address, upstream->address_len) == 0 || errno == EINPROGRESS))
		return fd;
	close(fd);
	return pause_after_failure(upstream);
}

int upstream_connected(struct upstream *upstream, int fd)
{
	int error = 0;
	socklen_t len = sizeof(error);

	if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &len) != 0 || error != 0)
		return pause_after_failure(upstream);
	upstream->pause_ns = 0;
	return 0;
}
