#include <math.h>
#include <string.h>

#include "harness/stats/rank_test.h"

#define U_MAX (RANK_TEST_EXACT_MAX * RANK_TEST_EXACT_MAX)

/*
 * How many arrangements of na and nb values have each U, as shares of all: shares[u]. The first
 * value comes from one of the two samples, so with N(na, nb, u) for the count,
 * N(na, nb, u) = N(na - 1, nb, u - nb) + N(na, nb - 1, u). As the largest value belongs to @a with
 * chance na / (na + nb), the same holds for shares with these weights.
 */
static void exact_shares(size_t na, size_t nb, double shares[U_MAX + 1])
{
	double rows[RANK_TEST_EXACT_MAX + 1][U_MAX + 1]; /* by the size of b, for the a at hand */

	memset(rows, 0, sizeof(rows));
	for (size_t j = 0; j <= nb; j++)
		rows[j][0] = 1;
	for (size_t i = 1; i <= na; i++) {
		for (size_t j = 1; j <= nb; j++) {
			double weight = (double)i / (double)(i + j);

			/* Downwards: rows[j] still holds i - 1, rows[j - 1] is at i already. */
			for (size_t u = i * j + 1; u-- > 0;)
				rows[j][u] = (u >= j ? weight * rows[j][u - j] : 0) +
					     (1 - weight) * rows[j - 1][u];
		}
	}
	memcpy(shares, rows[nb], (U_MAX + 1) * sizeof(*shares));
}

static double exact_p(double u, size_t na, size_t nb)
{
	double shares[U_MAX + 1];
	double least = fmin(u, (double)(na * nb) - u);
	double tail = 0;

	exact_shares(na, nb, shares);
	for (size_t i = 0; (double)i <= least; i++)
		tail += shares[i];
	return fmin(1, 2 * tail);
}

/* How many of @values are @value. */
static double count_equal(double value, const double *values, size_t n)
{
	double count = 0;

	for (size_t i = 0; i < n; i++)
		count += values[i] == value;
	return count;
}

/* The sum over all groups of t equal values of t^3 - t: each of the t adds t^2 - 1. */
static double tie_sum(const double *a, size_t na, const double *b, size_t nb)
{
	double sum = 0;

	for (size_t i = 0; i < na + nb; i++) {
		double value = i < na ? a[i] : b[i - na];
		double t = count_equal(value, a, na) + count_equal(value, b, nb);

		sum += t * t - 1;
	}
	return sum;
}

static double normal_p(double u, double na, double nb, double ties)
{
	double n = na + nb;
	double variance = na * nb / 12 * (n + 1 - ties / (n * (n - 1)));
	double distance = fabs(u - na * nb / 2) - 0.5;

	if (variance <= 0)
		return 1; /* all values are equal */
	return fmin(1, erfc(distance / sqrt(variance) / sqrt(2)));
}

struct rank_test rank_test(const double *a, size_t na, const double *b, size_t nb)
{
	double pairs = (double)na * (double)nb;
	double ties = tie_sum(a, na, b, nb);
	struct rank_test result = {0};

	for (size_t i = 0; i < na; i++)
		for (size_t j = 0; j < nb; j++)
			result.u += a[i] > b[j] ? 1 : a[i] == b[j] ? 0.5 : 0;
	result.delta = 2 * result.u / pairs - 1;
	if (ties == 0 && na <= RANK_TEST_EXACT_MAX && nb <= RANK_TEST_EXACT_MAX)
		result.p = exact_p(result.u, na, nb);
	else
		result.p = normal_p(result.u, (double)na, (double)nb, ties);
	return result;
}

/* Tests with a smaller p; of equal ones, those before. */
static size_t count_before(const double *p, size_t n, size_t at)
{
	size_t before = 0;

	for (size_t i = 0; i < n; i++)
		before += p[i] < p[at] || (i < at && p[i] == p[at]);
	return before;
}

void rank_test_holm(const double *p, size_t n, double *adjusted)
{
	for (size_t i = 0; i < n; i++)
		adjusted[i] = fmin(1, p[i] * (double)(n - count_before(p, n, i)));
	/* None may be below that of a smaller or equal p. */
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < n; j++)
			if (p[j] <= p[i] && adjusted[j] > adjusted[i])
				adjusted[i] = adjusted[j];
}

size_t rank_test_least(size_t pairs)
{
	double p = 2; /* 2 over the number of ways to choose n of 2 n */
	size_t n = 0;

	do {
		n++;
		p = p * (double)n / (double)(2 * (2 * n - 1));
	} while (p * (double)pairs >= RANK_TEST_LEVEL);
	return n;
}
