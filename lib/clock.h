#ifndef LIB_CLOCK_H
#define LIB_CLOCK_H

#include <stdint.h>

#define NS_PER_US INT64_C(1000)
#define NS_PER_MS INT64_C(1000000)
#define NS_PER_S  INT64_C(1000000000)

/** clock_ns() - CLOCK_MONOTONIC in nanoseconds: the only clock that measures here. */
int64_t clock_ns(void);

/** clock_sleep_until() - Sleep until clock_ns() reads @deadline_ns, or a signal came. */
void clock_sleep_until(int64_t deadline_ns);

#endif
