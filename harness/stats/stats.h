#ifndef HARNESS_STATS_STATS_H
#define HARNESS_STATS_STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * DOC: Statistics of a few values, such as the requests per second of five trials. Nothing here
 * keeps state; random numbers come from a generator of the caller's seed, so that the same
 * values and seed give the same interval on every machine.
 */

#define STATS_RESAMPLES 10000 /* of a bootstrap; the least that is advised for 95 % intervals */
#define STATS_LEVEL     0.95  /* of every interval */

/** struct stats_interval - An interval of confidence STATS_LEVEL. */
struct stats_interval {
	double low;
	double high;
};

/** struct stats_random - splitmix64. Source: Steele, Lea, Flood, OOPSLA 2014, section 4. */
struct stats_random {
	uint64_t state; /* the seed */
};

/** stats_random_next() - 64 random bits. */
uint64_t stats_random_next(struct stats_random *random);

/** stats_random_below() - A whole number from 0 to @n - 1; @n is above 0. */
size_t stats_random_below(struct stats_random *random, size_t n);

/** stats_sort() - Put @n values into ascending order. */
void stats_sort(double *values, size_t n);

/** stats_mean() - Arithmetic mean; @n is at least 1. */
double stats_mean(const double *values, size_t n);

/** stats_stddev() - Sample standard deviation (divides by n - 1); @n is at least 2. */
double stats_stddev(const double *values, size_t n);

/** stats_median() - Median of @n >= 1 sorted values; of an even number, the middle two's mean. */
double stats_median(const double *sorted, size_t n);

/**
 * stats_median_interval() - Percentile bootstrap interval of the median.
 * @sorted: @n >= 2 sorted values.
 *
 * The median of STATS_RESAMPLES resamples with replacement; the interval leaves out 2.5 % of
 * these at either end.
 * Source: Efron, Tibshirani, "An Introduction to the Bootstrap", 1993, section 13.3.
 *
 * Return: 0, or -1 with errno ENOMEM.
 */
int stats_median_interval(
	const double *sorted, size_t n, uint64_t seed, struct stats_interval *interval);

/**
 * stats_ratio_interval() - As stats_median_interval(), of median(@a) / median(@b).
 * @a, @b: @na, @nb >= 2 sorted values, those of @b above 0; resampled independently.
 *
 * Return: 0, or -1 with errno ENOMEM.
 */
int stats_ratio_interval(const double *a, size_t na, const double *b, size_t nb, uint64_t seed,
	struct stats_interval *interval);

#endif
