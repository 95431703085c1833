#ifndef HARNESS_STATS_RANK_TEST_H
#define HARNESS_STATS_RANK_TEST_H

#include <stddef.h>

/**
 * DOC: Whether two samples come from the same distribution, without assuming its shape, and what
 * is left of that answer when many pairs are asked about at once.
 */

#define RANK_TEST_LEVEL     0.05 /* p below it: a difference is shown */
#define RANK_TEST_EXACT_MAX 30   /* values of each sample for which p is exact */

/** struct rank_test - What the Mann-Whitney test says. */
struct rank_test {
	double u; /* pairs (a, b) with a > b, of all na * nb; half a pair for a = b */
	double p; /* of two sides: 0 to 1 */
	/* Cliff's delta, -1 to 1: P(a > b) - P(a < b). 0: none is larger; ±1: they do not overlap.
	 * Source: Cliff, Psychological Bulletin 114, 1993. */
	double delta;
};

/**
 * rank_test() - The Mann-Whitney U test of two samples.
 * @a, @b: @na, @nb >= 1 values, in any order.
 *
 * p is exact, by counting the arrangements, for samples without ties of up to RANK_TEST_EXACT_MAX
 * values; else from the normal approximation, with corrections for ties and continuity.
 * Source: Mann, Whitney, Annals of Mathematical Statistics 18, 1947 (the recurrence for counts is
 * theirs); Lehmann, "Nonparametrics", 1975, section 1.4 for ties.
 */
struct rank_test rank_test(const double *a, size_t na, const double *b, size_t nb);

/**
 * rank_test_holm() - What is left of the @p of @n tests made at once, so that the chance of even
 * one false difference stays below the level at which each is read.
 * @adjusted: @n values, in the order of @p; at most 1.
 *
 * Source: Holm, Scandinavian Journal of Statistics 6, 1979.
 */
void rank_test_holm(const double *p, size_t n, double *adjusted);

/**
 * rank_test_least() - How few values of each sample can show a difference when @pairs pairs are
 * tested at once and none of their values overlap.
 */
size_t rank_test_least(size_t pairs);

#endif
