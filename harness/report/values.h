#ifndef HARNESS_REPORT_VALUES_H
#define HARNESS_REPORT_VALUES_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** struct values - One number from each trial of a contestant, ascending. */
struct values {
	double *list; /* owned */
	size_t n;
	const char *reason; /* why there are none; belongs to the record */
};

/** values_trial_counts() - True for a trial without a failure: only these make numbers. */
bool values_trial_counts(const json_t *trial);

/**
 * values_read() - Take the field at @path from each trial of @contestant that counts and has it.
 *
 * Return: 0, to be freed by values_free(); -1 without memory.
 */
int values_read(struct values *v, const json_t *contestant, const char *path);

/** values_free() - Let go of what it owns. */
void values_free(struct values *v);

/**
 * values_summary() - {median, ci95_low, ci95_high, best, min, max, mean, stddev, n} of at least
 *   one value.
 * @more_is_better: the best is the largest.
 * @seed: of the interval.
 *
 * Return: a new reference, or NULL without memory.
 */
json_t *values_summary(const struct values *v, bool more_is_better, uint64_t seed);

/**
 * values_ratio() - {ratio, ci95_low, ci95_high} of the medians of @best and @own.
 * @own: its median is above 0.
 *
 * Return: a new reference, or NULL without memory.
 */
json_t *values_ratio(const struct values *best, const struct values *own, uint64_t seed);

#endif
