#include <math.h>

#include "harness/stats/stats.h"
#include "harness/stats/trend.h"
#include "tests/unit/test.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void assert_near(double actual, double expected)
{
	if (!(fabs(actual - expected) <= 1e-9))
		fail_msg("%.17g, expected %.17g", actual, expected);
}

/* From SciPy 1.10.1: kendalltau(x, y), which is exact for up to 33 pairs without ties. */
static void test_as_scipy_has_it(void **state)
{
	static const struct {
		size_t n;
		double x[8];
		double y[8];
		double tau;
		double p;
	} cases[] = {
		{5, {1, 2, 3, 4, 5}, {3, 1, 4, 5, 2}, 0.2, 0.8166666666666667},
		{8, {1, 2, 3, 4, 5, 6, 7, 8}, {2, 1, 4, 3, 6, 5, 8, 7}, 0.7142857142857142,
			0.014136904761904762},
		{8, {1, 2, 3, 4, 5, 6, 7, 8}, {8, 7, 6, 5, 4, 3, 2, 1}, -1, 4.96031746031746e-05},
		{2, {1, 2}, {2, 1}, -1, 1},
		{8, {1, 1, 2, 2, 3, 3, 4, 4}, {1, 2, 2, 3, 1, 4, 4, 5}, 0.6123724356957946,
			0.05037263688700989},
		{7, {1, 2, 3, 4, 5, 6, 7}, {1, 1, 1, 2, 2, 2, 3}, 0.8451542547285166,
			0.013663712868181209},
		{4, {4, 4, 4, 1}, {1, 2, 3, 4}, -0.7071067811865477, 0.17971249487899976},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct trend t = trend_test(cases[i].x, cases[i].y, cases[i].n);
		struct trend turned = trend_test(cases[i].y, cases[i].x, cases[i].n);

		assert_near(t.tau, cases[i].tau);
		assert_near(t.p, cases[i].p);
		assert_near(turned.tau, t.tau);
		assert_near(turned.p, t.p);
	}
}

/* Likewise, at both sides of the limit of exact values and far above it. */
static void test_many_pairs(void **state)
{
	static const struct {
		size_t n;
		double tau;
		double p;
	} cases[] = {
		{TREND_EXACT_MAX, 0.09469696969696971, 0.45073160411871227},
		{TREND_EXACT_MAX + 1, 0.11942959001782533, 0.3205941287508963},
		{100, 0.07070707070707072, 0.2972536675972778},
	};
	double x[100];
	double y[100];

	(void)state;
	for (int i = 0; i < 100; i++) {
		x[i] = 37 * i % 101;
		y[i] = (53 * i + 7) % 103 + 0.9 * i;
	}
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct trend t = trend_test(x, y, cases[i].n);

		assert_near(t.tau, cases[i].tau);
		assert_near(t.p, cases[i].p);
	}
}

static void test_nothing_to_tell(void **state)
{
	static const double same[] = {3, 3, 3, 3};
	static const double rising[] = {1, 2, 3, 4};
	struct trend t = trend_test(same, rising, 4);

	(void)state;
	assert_near(t.tau, 0);
	assert_near(t.p, 1);
}

/* Of values that have nothing to do with each other no more may show a trend than the level says.
 */
static void test_no_trend(void **state)
{
	struct stats_random random = {.state = 2026};
	unsigned shown = 0;

	(void)state;
	for (int round = 0; round < 1000; round++) {
		double x[40];
		double y[40];

		for (size_t i = 0; i < COUNT(x); i++) {
			x[i] = floor((double)i / 4);
			y[i] = (double)(stats_random_next(&random) >> 11);
		}
		shown += trend_test(x, y, COUNT(x)).p < 0.05;
	}
	assert_true(shown <= 65);
	assert_true(shown >= 25);
}

/* By hand: the medians of 1, 2, 3 and of 9, 8, 10; equal x are taken together. */
static void test_change(void **state)
{
	static const double x[] = {7, 1, 5, 2, 9, 4, 3, 8, 6};
	static const double y[] = {9, 1, 50, 2, 10, 40, 3, 8, 60};
	static const double steps[] = {1, 1, 1, 2, 2, 2, 2, 2};
	static const double values[] = {4, 5, 6, 10, 8, 9, 10, 11};
	double room[COUNT(x)];

	(void)state;
	assert_near(trend_change(x, y, COUNT(x), room), 9.0 / 2 - 1);
	assert_near(trend_change(steps, values, COUNT(steps), room), 1);
	assert_near(trend_change(x, y, 1, room), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_as_scipy_has_it),
		cmocka_unit_test(test_many_pairs),
		cmocka_unit_test(test_nothing_to_tell),
		cmocka_unit_test(test_no_trend),
		cmocka_unit_test(test_change),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
