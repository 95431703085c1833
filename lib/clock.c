#include <time.h>

#include "lib/clock.h"

int64_t clock_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * NS_PER_S + now.tv_nsec;
}

void clock_sleep_until(int64_t deadline_ns)
{
	struct timespec deadline = {
		.tv_sec = deadline_ns / NS_PER_S,
		.tv_nsec = deadline_ns % NS_PER_S,
	};

	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &deadline, NULL);
}
