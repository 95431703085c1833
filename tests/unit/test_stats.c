#include <math.h>

#include "harness/stats/stats.h"
#include "tests/unit/test.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void assert_near(double actual, double expected)
{
	if (!(fabs(actual - expected) <= 1e-9 * fabs(expected)))
		fail_msg("%.17g, expected %.17g", actual, expected);
}

/* From Python's statistics module: median, mean and stdev of the same lists. */
static void test_median_mean_stddev(void **state)
{
	double odd[] = {101.5, 99.2, 100.1, 97.4, 103.9};
	double even[] = {30, 10, 17, 12};
	double pair[] = {12, 10};

	(void)state;
	assert_near(stats_mean(odd, 5), 100.42);
	assert_near(stats_stddev(odd, 5), 2.4488772937817855);
	assert_near(stats_mean(even, 4), 17.25);
	assert_near(stats_stddev(even, 4), 8.99536917900909);
	assert_near(stats_stddev(pair, 2), 1.4142135623730951);

	stats_sort(odd, 5);
	assert_near(odd[0], 97.4);
	assert_near(odd[4], 103.9);
	assert_near(stats_median(odd, 5), 100.1);
	stats_sort(even, 4);
	assert_near(stats_median(even, 4), 14.5);
	stats_sort(pair, 2);
	assert_near(stats_median(pair, 2), 11);
	assert_near(stats_median(pair, 1), 10);
}

/* The first numbers of splitmix64 for this seed, as computed with Python's whole numbers:
 * z = s = (s + 0x9e3779b97f4a7c15) % 2**64, then the three steps of the paper, all % 2**64. */
static void test_random_is_splitmix64(void **state)
{
	static const uint64_t expected[] = {
		UINT64_C(6457827717110365317),
		UINT64_C(3203168211198807973),
		UINT64_C(9817491932198370423),
		UINT64_C(4593380528125082431),
		UINT64_C(16408922859458223821),
	};
	struct stats_random random = {.state = 1234567};

	(void)state;
	for (size_t i = 0; i < COUNT(expected); i++)
		assert_true(stats_random_next(&random) == expected[i]);
}

static void test_random_below_reaches_all(void **state)
{
	struct stats_random random = {.state = 1};
	unsigned seen[5] = {0};

	(void)state;
	for (int i = 0; i < 5000; i++) {
		size_t value = stats_random_below(&random, 5);

		assert_in_range(value, 0, 4);
		seen[value]++;
	}
	for (size_t i = 0; i < 5; i++)
		assert_in_range(seen[i], 800, 1200);
}

struct interval_case {
	double values[7];
	size_t n;
	double low;
	double high;
};

/*
 * The ends are those of the exact distribution of the resampled median, from all n^n resamples:
 *   d = sorted(statistics.median(c) for c in itertools.product(v, repeat=len(v)))
 *   cut = int(0.025 * len(d)); d[cut], d[-1 - cut]
 * Each end's value covers the cut by a margin of many standard errors, for every seed.
 */
static void test_interval_is_that_of_all_resamples(void **state)
{
	static const struct interval_case cases[] = {
		{{10, 12}, 2, 10, 12},
		{{10, 12, 17}, 3, 10, 17},
		{{10, 12, 17, 30}, 4, 10, 30},
		{{97.4, 99.2, 100.1, 101.5, 103.9}, 5, 97.4, 103.9},
		{{5.1, 5.9, 6.3, 7.7, 8.2, 9.9}, 6, 5.5, 9.05},
		{{1, 1, 2, 3, 4, 5, 9}, 7, 1, 5},
		{{4, 4, 4}, 3, 4, 4},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		const struct interval_case *c = &cases[i];

		for (uint64_t seed = 0; seed < 5; seed++) {
			struct stats_interval interval;

			assert_int_equal(
				stats_median_interval(c->values, c->n, seed, &interval), 0);
			assert_near(interval.low, c->low);
			assert_near(interval.high, c->high);
		}
	}
}

/* As above, all medians of the one over all of the other: sorted(x / y for x in … for y in …). */
static void test_ratio_interval_is_that_of_all_resamples(void **state)
{
	static const double a[] = {97.4, 99.2, 100.1, 101.5, 103.9};
	static const double b[] = {47.3, 49, 50.2, 51, 52.6};
	static const double c[] = {10, 12, 17, 30};
	static const double d[] = {4, 5, 6};
	struct stats_interval interval;

	(void)state;
	for (uint64_t seed = 0; seed < 5; seed++) {
		assert_int_equal(stats_ratio_interval(a, 5, b, 5, seed, &interval), 0);
		assert_near(interval.low, 1.903041825095057);
		assert_near(interval.high, 2.1204081632653065);
		assert_int_equal(stats_ratio_interval(c, 4, d, 3, seed, &interval), 0);
		assert_near(interval.low, 11 / 6.0);
		assert_near(interval.high, 6);
	}
}

static void test_same_seed_same_interval(void **state)
{
	double values[40];
	struct stats_interval first;
	struct stats_interval again;
	struct stats_interval other;

	(void)state;
	for (size_t i = 0; i < COUNT(values); i++)
		values[i] = (double)i * (double)i / 3;
	assert_int_equal(stats_median_interval(values, COUNT(values), 7, &first), 0);
	assert_int_equal(stats_median_interval(values, COUNT(values), 7, &again), 0);
	assert_int_equal(stats_median_interval(values, COUNT(values), 8, &other), 0);
	assert_true(first.low == again.low && first.high == again.high);
	assert_true(first.low <= stats_median(values, COUNT(values)));
	assert_true(first.high >= stats_median(values, COUNT(values)));
	assert_in_range(
		(uint64_t)(other.low * 10), (uint64_t)(first.low * 7), (uint64_t)(first.low * 13));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_median_mean_stddev),
		cmocka_unit_test(test_random_is_splitmix64),
		cmocka_unit_test(test_random_below_reaches_all),
		cmocka_unit_test(test_interval_is_that_of_all_resamples),
		cmocka_unit_test(test_ratio_interval_is_that_of_all_resamples),
		cmocka_unit_test(test_same_seed_same_interval),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
