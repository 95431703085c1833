#include <math.h>

#include "harness/stats/rank_test.h"
#include "harness/stats/stats.h"
#include "tests/unit/test.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void assert_near(double actual, double expected)
{
	if (!(fabs(actual - expected) <= 1e-9))
		fail_msg("%.17g, expected %.17g", actual, expected);
}

/* From SciPy 1.10.1: mannwhitneyu(a, b, alternative="two-sided", method=M), with M "exact" for
 * samples without ties and "asymptotic" for those with. */
static void test_as_scipy_has_it(void **state)
{
	static const struct {
		double a[8];
		size_t na;
		double b[8];
		size_t nb;
		double u;
		double p;
	} cases[] = {
		{{101.5, 99.2, 100.1, 97.4, 103.9}, 5, {90.3, 95.1, 96.6, 98.0, 94.2}, 5, 24,
			0.015873015873015872},
		{{1, 2, 3, 4, 5}, 5, {6, 7, 8, 9, 10}, 5, 0, 0.007936507936507936},
		{{12.1, 15.3, 11.8, 14.9, 13.2, 16.0, 12.7}, 7,
			{13.5, 12.9, 15.8, 16.3, 14.1, 17.2, 15.0, 13.9}, 8, 16,
			0.1892773892773893},
		{{3}, 1, {1, 2, 4}, 3, 2, 1},
		{{1, 2, 2, 3, 5}, 5, {2, 3, 4, 4, 6, 7}, 6, 6.5, 0.13862587987892763},
		{{4, 4, 4}, 3, {4, 4, 4}, 3, 4.5, 1},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		double pairs = (double)(cases[i].na * cases[i].nb);
		struct rank_test t = rank_test(cases[i].a, cases[i].na, cases[i].b, cases[i].nb);
		struct rank_test turned =
			rank_test(cases[i].b, cases[i].nb, cases[i].a, cases[i].na);

		assert_near(t.u, cases[i].u);
		assert_near(t.p, cases[i].p);
		assert_near(t.delta, 2 * cases[i].u / pairs - 1);
		assert_near(turned.p, t.p);
		assert_near(turned.delta, -t.delta);
	}
}

/* Likewise, at both sides of the limit of exact values. */
static void test_large_samples(void **state)
{
	double a[RANK_TEST_EXACT_MAX + 1];
	double b[RANK_TEST_EXACT_MAX + 1];
	struct rank_test t;

	(void)state;
	for (int i = 0; i <= RANK_TEST_EXACT_MAX; i++) {
		a[i] = 37 * i % 101;
		b[i] = (53 * i + 7) % 103 + 0.5 + i * 0.7;
	}
	t = rank_test(a, RANK_TEST_EXACT_MAX, b, RANK_TEST_EXACT_MAX);
	assert_near(t.u, 322.5);
	t = rank_test(a, RANK_TEST_EXACT_MAX + 1, b, RANK_TEST_EXACT_MAX + 1);
	assert_near(t.u, 355.5);
	assert_near(t.p, 0.07963557419389623);
}

/* By hand: in ascending order times 6, 5, 4, … tests, and none below the one before. */
static void test_holm(void **state)
{
	static const double p[] = {0.01, 0.04, 0.03, 0.005, 0.5, 0.01};
	static const double expected[] = {0.05, 0.09, 0.09, 0.03, 0.5, 0.05};
	double adjusted[COUNT(p)];

	(void)state;
	rank_test_holm(p, COUNT(p), adjusted);
	for (size_t i = 0; i < COUNT(p); i++)
		assert_near(adjusted[i], expected[i]);
	rank_test_holm(p, 0, adjusted);
}

/* Exact p of samples that do not overlap: 2/70 for 4 values, 2/252 for 5, 2/3432 for 7. */
static void test_least(void **state)
{
	(void)state;
	assert_int_equal(rank_test_least(1), 4);
	assert_int_equal(rank_test_least(2), 5);
	assert_int_equal(rank_test_least(28), 7);
	assert_int_equal(rank_test_least(85), 7);
	assert_int_equal(rank_test_least(86), 8);
}

/* Of comparisons of a thing with itself no more may show a difference than the level allows. */
static void test_a_against_a(void **state)
{
	struct stats_random random = {.state = 2026};
	unsigned different = 0;

	(void)state;
	for (int comparison = 0; comparison < 2000; comparison++) {
		double values[20];

		for (size_t i = 0; i < COUNT(values); i++)
			values[i] = (double)(stats_random_next(&random) >> 11);
		different += rank_test(values, 10, values + 10, 10).p < RANK_TEST_LEVEL;
	}
	assert_true(different <= 2000 * RANK_TEST_LEVEL);
	assert_true(different > 2000 * RANK_TEST_LEVEL / 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_as_scipy_has_it),
		cmocka_unit_test(test_large_samples),
		cmocka_unit_test(test_holm),
		cmocka_unit_test(test_least),
		cmocka_unit_test(test_a_against_a),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
