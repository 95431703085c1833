#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "servers/common/count.h"

/** struct count - Of one thread; never freed, so that it is added up when the thread has ended. */
struct count {
	_Atomic uint64_t requests;
	struct count *next;
};

static struct count *_Atomic counts;
static _Thread_local struct count *own;

/* Without memory a thread counts nothing, and the harness finds the difference. */
static struct count *count_new(void)
{
	struct count *count = calloc(1, sizeof(*count));

	if (count == NULL)
		return NULL;
	count->next = atomic_load(&counts);
	while (!atomic_compare_exchange_weak(&counts, &count->next, count))
		;
	return count;
}

void count_request(void)
{
	if (own == NULL)
		own = count_new();
	/* A plain increment: there is one writer. */
	if (own != NULL)
		atomic_store_explicit(&own->requests,
			atomic_load_explicit(&own->requests, memory_order_relaxed) + 1,
			memory_order_relaxed);
}

uint64_t count_requests(void)
{
	uint64_t sum = 0;

	for (const struct count *count = atomic_load(&counts); count != NULL; count = count->next)
		sum += atomic_load_explicit(&count->requests, memory_order_relaxed);
	return sum;
}

void count_print(void)
{
	printf("COUNTS requests=%" PRIu64 "\n", count_requests());
	fflush(stdout);
}
