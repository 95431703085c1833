#ifndef HARNESS_COMPARE_H
#define HARNESS_COMPARE_H

#include <jansson.h>

struct bench;
struct bench_comparison;
struct pin;
struct progress;
struct suite;

#define COMPARE_SEED 1 /* of the intervals */

/** struct compare_params - Everything is borrowed. */
struct compare_params {
	const struct suite *suite;
	const struct bench *bench;
	const struct pin *pin;
	struct progress *progress;
};

/**
 * compare_run() - Run one comparison, pair by pair: A B, B A, A B, …
 *
 * A server that is measured is a fresh process in each trial; where clients are, both load the
 * same one.
 *
 * Return: its entry in the record, see report/peers.h; "reached" is null with a reason when it
 *   could not be run to its end. NULL when interrupted or without memory.
 */
json_t *compare_run(const struct compare_params *params, const struct bench_comparison *c);

#endif
