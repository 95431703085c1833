#ifndef HARNESS_VERIFY_SOCK_H
#define HARNESS_VERIFY_SOCK_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/**
 * DOC: A TCP client for verification: every step ends by a deadline on clock_ns(), or with the
 * signal that asks the harness to stop. Reasons are REASON_MAX bytes.
 */

/** sock_connect() - Connect to 127.0.0.1. Return: a socket, or -1 with @reason. */
int sock_connect(uint16_t port, int64_t deadline_ns, char *reason);

/** sock_send() - Send all of it. Return: 0, or -1 with @reason. */
int sock_send(int fd, const char *data, size_t len, int64_t deadline_ns, char *reason);

/** sock_receive() - Wait for bytes. Return: how many, 0 = the peer closed, -1 with @reason. */
ssize_t sock_receive(int fd, char *data, size_t size, int64_t deadline_ns, char *reason);

#endif
