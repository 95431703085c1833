#ifndef HARNESS_STATS_TREND_H
#define HARNESS_STATS_TREND_H

#include <stddef.h>

#define TREND_EXACT_MAX 33 /* pairs for which p is exact */

/** struct trend - Whether one value rises or falls with another. */
struct trend {
	double tau; /* Kendall's tau-b, -1 to 1; 0 when all values of either are equal */
	double p;   /* of two sides: 0 to 1 */
};

/**
 * trend_test() - Kendall's rank correlation of @n >= 2 pairs (x, y), in any order.
 *
 * p is exact, by counting the permutations, for up to TREND_EXACT_MAX pairs without equal values;
 * else from the normal approximation with a correction for ties.
 * Source: Kendall, "Rank Correlation Methods", 4th ed. 1970: section 1.9 for the recurrence of the
 * counts, 3.5 for tau-b, 4.10 for the variance with ties.
 */
struct trend trend_test(const double *x, const double *y, size_t n);

/**
 * trend_change() - How far y at the upper end of x is from y at the lower: the median of the y of
 *   the last third of x over that of the first third, less 1. 0 when the latter is not above 0.
 * @x, @y: @n >= 1 pairs; equal x stay together, so that a third may be more.
 * @room: for @n values.
 */
double trend_change(const double *x, const double *y, size_t n, double *room);

#endif
