#include <math.h>
#include <string.h>

#include "harness/stats/stats.h"
#include "harness/stats/trend.h"

#define SWAPS_MAX (TREND_EXACT_MAX * (TREND_EXACT_MAX - 1) / 2)

/*
 * How many permutations of n have each number of inversions, as shares of all: the n-th value can
 * stand before 0 to n - 1 of the others, each with the same chance. Return: the share of those with
 * @least or fewer.
 */
static double exact_tail(size_t n, size_t least)
{
	double shares[SWAPS_MAX + 1] = {1};
	double tail = 0;

	for (size_t i = 2; i <= n; i++) {
		double before[SWAPS_MAX + 1];

		memcpy(before, shares, sizeof(before));
		for (size_t k = 0; k <= i * (i - 1) / 2; k++) {
			shares[k] = 0;
			for (size_t j = 0; j < i && j <= k; j++)
				shares[k] += before[k - j] / (double)i;
		}
	}
	for (size_t k = 0; k <= least; k++)
		tail += shares[k];
	return tail;
}

/** struct ties - Sums over all groups of t equal values. */
struct ties {
	double pairs;   /* t (t - 1) / 2 */
	double triples; /* t (t - 1) (t - 2) */
	double weight;  /* t (t - 1) (2 t + 5) */
};

/* Each of the t adds its share of the group's term. */
static struct ties count_ties(const double *values, size_t n)
{
	struct ties ties = {0};

	for (size_t i = 0; i < n; i++) {
		double t = 0;

		for (size_t j = 0; j < n; j++)
			t += values[i] == values[j];
		ties.pairs += (t - 1) / 2;
		ties.triples += (t - 1) * (t - 2);
		ties.weight += (t - 1) * (2 * t + 5);
	}
	return ties;
}

static double normal_p(double score, double n, const struct ties *x, const struct ties *y)
{
	double pairs = n * (n - 1);
	double variance = (pairs * (2 * n + 5) - x->weight - y->weight) / 18 +
			  2 * x->pairs * y->pairs / pairs;

	if (n > 2)
		variance += x->triples * y->triples / (9 * pairs * (n - 2));
	return variance > 0 ? erfc(fabs(score) / sqrt(variance) / sqrt(2)) : 1;
}

/* Pairs of pairs that agree, less those that do not. */
static double sum_signs(const double *x, const double *y, size_t n)
{
	double score = 0;

	for (size_t i = 1; i < n; i++)
		for (size_t j = 0; j < i; j++)
			score += ((x[i] > x[j]) - (x[i] < x[j])) * ((y[i] > y[j]) - (y[i] < y[j]));
	return score;
}

struct trend trend_test(const double *x, const double *y, size_t n)
{
	double score = sum_signs(x, y, n);
	double pairs = (double)n * (double)(n - 1) / 2;
	struct ties ties_x = count_ties(x, n);
	struct ties ties_y = count_ties(y, n);
	double scale = sqrt((pairs - ties_x.pairs) * (pairs - ties_y.pairs));
	struct trend trend = {.tau = 0, .p = 1};

	if (scale <= 0)
		return trend;
	trend.tau = score / scale;
	if (n <= TREND_EXACT_MAX && ties_x.pairs == 0 && ties_y.pairs == 0)
		trend.p = fmin(1, 2 * exact_tail(n, (size_t)((pairs - fabs(score)) / 2)));
	else
		trend.p = normal_p(score, (double)n, &ties_x, &ties_y);
	return trend;
}

/* Of the y whose x is not above (@sign 1), or not below (-1), @end. */
static double median_beside(
	const double *x, const double *y, size_t n, double end, double sign, double *room)
{
	size_t count = 0;

	for (size_t i = 0; i < n; i++)
		if (sign * x[i] <= sign * end)
			room[count++] = y[i];
	stats_sort(room, count);
	return stats_median(room, count);
}

double trend_change(const double *x, const double *y, size_t n, double *room)
{
	size_t third = (n - 1) / 3;
	double low;
	double high;
	double first;

	memcpy(room, x, n * sizeof(*room));
	stats_sort(room, n);
	low = room[third];
	high = room[n - 1 - third];
	first = median_beside(x, y, n, low, 1, room);
	return first > 0 ? median_beside(x, y, n, high, -1, room) / first - 1 : 0;
}
