#ifndef HARNESS_LOAD_PACE_H
#define HARNESS_LOAD_PACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * DOC: The schedule of one thread under open-loop load, and what of it waits to be sent.
 *
 * Of @threads threads, thread t has R / threads of the total rate R:
 *
 *   constant  its requests are planned at start + (i * threads + t) / R, i = 0, 1, …, so that all
 *             threads together send at equal gaps
 *   Poisson   its gaps are independent and exponential with mean threads / R; the threads together
 *             are a Poisson process of rate R (superposition)
 *
 * A planned request becomes due, and stays in the backlog until a connection takes it, in the
 * order of the schedule. Nothing moves a planned instant: who is late is late by its own lateness.
 * The backlog is bounded; what does not fit is dropped and counted.
 */

#define PACE_RATE_MAX    1e7        /* requests a second, of all threads */
#define PACE_BACKLOG_MAX (1U << 20) /* requests that wait, of one thread; 8 MB when all do */

enum pace_arrival { PACE_CONSTANT, PACE_POISSON };

/** struct pace_params - Which schedule. */
struct pace_params {
	double rate; /* requests a second, of all threads */
	enum pace_arrival arrival;
	uint64_t seed; /* of Poisson gaps; each thread draws from a stream of its own */
	unsigned thread;
	unsigned threads;
};

/** struct pace_counts - What became of requests planned within the window. */
struct pace_counts {
	uint64_t planned;     /* that became due */
	uint64_t dropped;     /* for which the backlog had no room */
	uint64_t backlog_max; /* that waited at once, from the window's opening on */
	uint64_t at_end;      /* that wait still */
	int64_t oldest_ns;    /* age of the oldest of these; 0 when none */
};

struct pace;

/** pace_new() - Return: owned by the caller, or NULL with errno ENOMEM. */
struct pace *pace_new(const struct pace_params *params);

/** pace_free() - Also of NULL. */
void pace_free(struct pace *pace);

/**
 * pace_start() - The schedule begins at @start_ns; before this nothing is planned.
 * @window_ns: planned instants from here on are counted.
 * @limit: plan no more than this many of those; UINT64_MAX = no end.
 */
void pace_start(struct pace *pace, int64_t start_ns, int64_t window_ns, uint64_t limit);

/** pace_next() - The next planned instant that is not yet due; INT64_MAX when there is none. */
int64_t pace_next(const struct pace *pace);

/**
 * pace_due() - What is planned up to and including @now_ns becomes due.
 * @end_ns: and before this.
 *
 * Return: how many requests within the window were dropped.
 */
uint64_t pace_due(struct pace *pace, int64_t now_ns, int64_t end_ns);

/** pace_backlog() - How many due requests have not been taken. */
size_t pace_backlog(const struct pace *pace);

/** pace_peek() - The planned instant of the oldest of them; there must be one. */
int64_t pace_peek(const struct pace *pace);

/**
 * pace_take() - The oldest of them is being sent.
 *
 * Return: true when it had to wait for a connection or slot, so that its delay is not the
 *   generator's own.
 */
bool pace_take(struct pace *pace);

/** pace_hold() - All that is due now has found no free slot: it waits. */
void pace_hold(struct pace *pace);

/** pace_counts() - So far; ages as of @now_ns. */
struct pace_counts pace_counts(const struct pace *pace, int64_t now_ns);

/**
 * DOC: Waking in time. A sleeping thread wakes some time after it asked to: timers, the scheduler
 * and an idle CPU take their share. So the sleep ends early, and the rest of the time is spent
 * looking for events without sleeping. How early is measured: the bound follows the 95th
 * percentile of how late this thread woke, within PACE_EARLY_MIN_NS and PACE_EARLY_MAX_NS.
 */

#define PACE_EARLY_MIN_NS 5000
#define PACE_EARLY_MAX_NS 200000

/** pace_wake() - When a sleep should end for the next planned instant. */
int64_t pace_wake(const struct pace *pace);

/** pace_woke() - A sleep that should have ended at @wanted_ns ended at @now_ns, by the clock. */
void pace_woke(struct pace *pace, int64_t wanted_ns, int64_t now_ns);

#endif
