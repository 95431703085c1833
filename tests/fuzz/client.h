#ifndef TESTS_FUZZ_CLIENT_H
#define TESTS_FUZZ_CLIENT_H

#include <stddef.h>
#include <stdint.h>

#include "lib/slice.h"

/** DOC: A connection of the load engine in memory; it stands in for harness/load/conn.c. */

/** struct fuzz_client - Whom the requests are for, and what they carry. */
struct fuzz_client {
	const char *url;
	struct slice body;
};

/**
 * fuzz_client_run() - One connection, from open to close, with as many requests as it takes.
 * @data: its first byte says how many are in flight at once, the second in which pieces the
 *   rest comes and how it ends.
 */
void fuzz_client_run(const struct fuzz_client *client, const uint8_t *data, size_t size);

#endif
