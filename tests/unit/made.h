#ifndef TESTS_UNIT_MADE_H
#define TESTS_UNIT_MADE_H

#include <jansson.h>

#define MADE_TRIALS 8

/** made_trials() - Trials without a failure, their rps one apart around @rps, with half a second of
 * the server's CPU time in each second. Return: a new list. */
static inline json_t *made_trials(double rps)
{
	json_t *trials = json_array();

	for (int i = 0; i < MADE_TRIALS; i++) {
		double own = rps + i - MADE_TRIALS / 2.0;

		json_array_append_new(
			trials, json_pack("{s:f, s:{s:i, s:i, s:i}, s:{s:i, s:f, s:f}, s:{s:f}}",
					"rps", own, "requests", "sent", 1000, "ok", 1000, "failed",
					0, "latency_ns", "count", 1000, "p50", 1e9 / own, "p99",
					2e9 / own, "server", "requests_per_cpu_s", 2 * own));
	}
	return trials;
}

#endif
