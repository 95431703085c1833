#include <math.h>
#include <stdlib.h>

#include "harness/stats/stats.h"

uint64_t stats_random_next(struct stats_random *random)
{
	uint64_t z;

	random->state += UINT64_C(0x9e3779b97f4a7c15);
	z = random->state;
	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

size_t stats_random_below(struct stats_random *random, size_t n)
{
	/* The high half of the product: off from uniform by less than n / 2^64. */
	return (size_t)(((unsigned __int128)stats_random_next(random) * n) >> 64);
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a;
	double y = *(const double *)b;

	return (x > y) - (x < y);
}

void stats_sort(double *values, size_t n)
{
	if (n > 1)
		qsort(values, n, sizeof(*values), compare);
}

double stats_mean(const double *values, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += values[i];
	return sum / (double)n;
}

double stats_stddev(const double *values, size_t n)
{
	double mean = stats_mean(values, n);
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += (values[i] - mean) * (values[i] - mean);
	return sqrt(sum / (double)(n - 1));
}

double stats_median(const double *sorted, size_t n)
{
	return n % 2 == 1 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
}

/* The median of @n draws from @n values, with @drawn as memory for as many. */
static double resample_median(
	const double *values, size_t n, struct stats_random *random, double *drawn)
{
	for (size_t i = 0; i < n; i++)
		drawn[i] = values[stats_random_below(random, n)];
	stats_sort(drawn, n);
	return stats_median(drawn, n);
}

/* What is left of @estimates after as many were cut off at both ends as the level allows. */
static struct stats_interval cut_ends(double *estimates, size_t n)
{
	size_t cut = (size_t)((1 - STATS_LEVEL) / 2 * (double)n);

	stats_sort(estimates, n);
	return (struct stats_interval){.low = estimates[cut], .high = estimates[n - 1 - cut]};
}

int stats_median_interval(
	const double *sorted, size_t n, uint64_t seed, struct stats_interval *interval)
{
	struct stats_random random = {.state = seed};
	double *estimates = malloc((STATS_RESAMPLES + n) * sizeof(*estimates));

	if (estimates == NULL)
		return -1;
	for (size_t i = 0; i < STATS_RESAMPLES; i++)
		estimates[i] = resample_median(sorted, n, &random, estimates + STATS_RESAMPLES);
	*interval = cut_ends(estimates, STATS_RESAMPLES);
	free(estimates);
	return 0;
}

int stats_ratio_interval(const double *a, size_t na, const double *b, size_t nb, uint64_t seed,
	struct stats_interval *interval)
{
	struct stats_random random = {.state = seed};
	size_t larger = na > nb ? na : nb;
	double *estimates = malloc((STATS_RESAMPLES + larger) * sizeof(*estimates));

	if (estimates == NULL)
		return -1;
	for (size_t i = 0; i < STATS_RESAMPLES; i++) {
		double *drawn = estimates + STATS_RESAMPLES;
		double top = resample_median(a, na, &random, drawn);

		estimates[i] = top / resample_median(b, nb, &random, drawn);
	}
	*interval = cut_ends(estimates, STATS_RESAMPLES);
	free(estimates);
	return 0;
}
