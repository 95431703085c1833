#ifndef HARNESS_LOAD_SOURCE_H
#define HARNESS_LOAD_SOURCE_H

#include <stdint.h>

/**
 * DOC: The local addresses that connections come from, in turn. From one address to one server a
 * machine has some 28,000 ports, and one that was used is not free again for a minute; a load
 * that opens a connection for each request needs more addresses. Source: ip(7),
 * ip_local_port_range and IP_BIND_ADDRESS_NO_PORT.
 */

/** struct source - IPv4 addresses that follow each other. */
struct source {
	uint32_t first; /* in host order */
	uint32_t count; /* 0: the kernel chooses */
};

/**
 * source_parse() - Read an address, or a network such as 127.0.0.0/24.
 *
 * The first and the last address of a network of four or more are left out, as nobody has them.
 *
 * Return: 0, or -1 after a message, also when the first or last is not of this machine.
 */
int source_parse(const char *text, struct source *source);

/**
 * source_bind() - Let @fd connect from the address of @turn; its port is chosen by connect().
 *
 * Return: 0, also when @source is empty; -1 with errno.
 */
int source_bind(const struct source *source, uint32_t turn, int fd);

#endif
