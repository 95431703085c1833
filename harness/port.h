#ifndef HARNESS_PORT_H
#define HARNESS_PORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/** enum port_state - Who listens on a TCP port of 127.0.0.1, on that address or on any. */
enum port_state {
	PORT_FREE,  /* nobody */
	PORT_OURS,  /* the processes asked about, and nobody else */
	PORT_TAKEN, /* somebody else, alone or beside them (SO_REUSEPORT) */
};

/** struct port_owner - Who has a port that is taken. */
struct port_owner {
	pid_t pid; /* 0: not readable, a process of another user */
	char command[32];
};

/**
 * port_look() - Find out from /proc/net/tcp and /proc/PID/fd.
 * @root: the parent of the processes asked about, see proc_list_is_under(); -1 for none.
 * @owner: filled when it is PORT_TAKEN.
 */
enum port_state port_look(uint16_t port, pid_t root, struct port_owner *owner);

/**
 * port_serves_loopback() - Is it 127.0.0.1, that as an IPv6 address, or any address?
 * @address: as /proc/net/tcp prints it: words of the host's byte order in hexadecimal.
 */
bool port_serves_loopback(const char *address);

/** port_owner_text() - "pid 123 (nginx)" or "a process of another user". Return: @out. */
const char *port_owner_text(const struct port_owner *owner, char *out, size_t size);

/** port_pick() - A port that is free at the moment, or 0 with errno. */
uint16_t port_pick(void);

#endif
