#ifndef TESTS_FUZZ_SERVER_H
#define TESTS_FUZZ_SERVER_H

#include <stddef.h>
#include <stdint.h>

#include "servers/common/stream.h"

/** DOC: A server's connection in memory; it stands in for servers/common/stream.c. */

/** struct fuzz_server - What is served. */
struct fuzz_server {
	const struct stream_ops *ops;
	const void *arg;    /* of its struct stream_protocol */
	void (*turn)(void); /* called between two pieces. Optional. */
};

/**
 * fuzz_server_run() - One connection, from open to close.
 * @data: its first byte says in which pieces the rest of it comes, whether the server drains
 *   halfway, and whether its deadline passes at the end.
 */
void fuzz_server_run(const struct fuzz_server *server, const uint8_t *data, size_t size);

#endif
