#ifndef HARNESS_LOAD_TARGET_H
#define HARNESS_LOAD_TARGET_H

#include <netinet/in.h>
#include <stdint.h>
#include <sys/socket.h>

struct codec_ops;

/**
 * struct target - A parsed and resolved URL.
 *
 * http://host[:port]/path?query
 * thrift://host:port/Service.Method[?protocol=binary|compact&transport=buffered|framed]
 */
struct target {
	char *url;                     /* as given, owned */
	const struct codec_ops *codec; /* by scheme */
	char host[256];                /* without brackets */
	uint16_t port;
	char *path; /* from the first '/' after the host, at least "/", owned */
	struct sockaddr_storage address;
	socklen_t address_len;
};

/**
 * target_parse() - Take a URL apart and resolve its host.
 *
 * Return: 0, the target to be freed by target_free(); -1 after a message that says what is
 *   wrong with the URL and what was expected.
 */
int target_parse(const char *url, struct target *target);

/** target_free() - Let go of what it owns; also of a zeroed target. */
void target_free(struct target *target);

#endif
