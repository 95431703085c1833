#ifndef SERVERS_COMMON_COUNT_H
#define SERVERS_COMMON_COUNT_H

#include <stdint.h>

/**
 * DOC: How many requests a server has answered, so that a client's count can be checked against
 * it: on SIGUSR1 a server prints COUNTS requests=N on stdout. Each thread has a counter of its
 * own, which nobody else writes.
 */

/** count_request() - One more, by this thread: called before the first byte of its reply goes out.
 */
void count_request(void);

/** count_requests() - All so far, by all threads, also by those that have ended. */
uint64_t count_requests(void);

/** count_print() - Print the COUNTS line that the harness asks for. */
void count_print(void);

#endif
