#ifndef HARNESS_FIND_MAX_H
#define HARNESS_FIND_MAX_H

#include <jansson.h>
#include <stdint.h>
#include <stdio.h>

struct condition_list;
struct load_params;

/**
 * DOC: The search for the highest rate that a server can take: `rpcbench load --find-max`.
 *
 * A rate is tried by an open-loop run of some length, and holds when
 *
 *   all conditions hold, such as p99<2ms
 *   the rate at which requests ended is at least FIND_MAX_ACHIEVED of the planned one
 *   at least FIND_MAX_SUCCESS of the requests that ended had a verified reply
 *   the load generator was not the limit
 *
 * The rate is doubled (or halved) from a first one until it no longer holds, then bisected between
 * the highest that held and the lowest that did not, until these are within FIND_MAX_RESOLUTION.
 * A rate that does not hold is tried once more, since runs near the knee scatter. A longer run
 * confirms the result; as long as that one does not hold, the rate is lowered. At the end, shares
 * of the peak are measured: latency against load.
 *
 * Source: Nighthawk's adaptive load controller (exponential, then binary search, then a testing
 * stage), and its limits of 99 % sent and 99.9 % successful.
 */

#define FIND_MAX_ACHIEVED   0.99
#define FIND_MAX_SUCCESS    0.999
#define FIND_MAX_RESOLUTION 1.02 /* lowest rate that did not hold : highest that did */
#define FIND_MAX_FIRST_RATE 1000 /* a second, unless a rate is given */
#define FIND_MAX_LEAST_RATE 1    /* a second; below this nothing is searched */
#define FIND_MAX_CONFIRM    3    /* length of the confirming run, in steps */
#define FIND_MAX_LONGEST    10   /* a step that needs more samples may take as many times as long */

/** struct find_max_params - What to search, and how. */
struct find_max_params {
	const struct load_params *load; /* rate: the first one, or 0; duration_ns: of a step */
	const struct condition_list *conditions;
	/* One run of load. Return: its trial, a new reference; NULL to stop the search. */
	json_t *(*measure)(void *ctx, const struct load_params *params);
	void *ctx;
	FILE *progress; /* a line for each step; may be NULL */
};

/**
 * find_max() - Search. The record:
 *
 *   schema (CURVE_SCHEMA), target, protocol, conditions [texts], connections, pipeline, threads,
 * arrival, step_s, max_rate   requests a second; null with a reason when no rate held, or it was
 * broken off next_limit why the next higher rate did not hold; null when there was none steps
 * [{rate, duration_s, held, why_not, achieved, p50_ns, p99_ns}]   in the order of the search trial
 * of the confirming run, see result_trial(); null when there was none curve
 * [{share, trial}]   at 0.1, 0.3, 0.5, 0.7, 0.9 of max_rate
 *
 * Return: a new reference, or NULL after a message (no memory).
 */
json_t *find_max(const struct find_max_params *params);

#endif
