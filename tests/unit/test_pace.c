#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/load/pace.h"
#include "lib/clock.h"
#include "tests/unit/test.h"

#define START   INT64_C(1000000000000)
#define FOREVER INT64_MAX
#define DRAWS   20000

/* The first @n planned instants of a thread, relative to its start. */
static void schedule(const struct pace_params *params, int64_t *planned_ns, size_t n)
{
	struct pace *pace = pace_new(params);

	assert_non_null(pace);
	pace_start(pace, START, START, UINT64_MAX);
	for (size_t i = 0; i < n; i++) {
		planned_ns[i] = pace_next(pace) - START;
		assert_int_equal(pace_due(pace, pace_next(pace), FOREVER), 0);
		assert_int_equal(pace_backlog(pace), 1);
		assert_int_equal(pace_peek(pace) - START, planned_ns[i]);
		assert_false(pace_take(pace));
	}
	pace_free(pace);
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a;
	double y = *(const double *)b;

	return (x > y) - (x < y);
}

static void to_gaps(const int64_t *planned_ns, double *gaps, size_t n)
{
	for (size_t i = 0; i < n; i++)
		gaps[i] = (double)(planned_ns[i] - (i > 0 ? planned_ns[i - 1] : 0));
}

/* Kolmogorov and Smirnov: the largest distance to the exponential distribution, times √n. Above
 * 1.95 in one of a thousand samples that are exponential. */
static double distance_to_exponential(double *gaps, size_t n, double mean)
{
	double distance = 0;

	qsort(gaps, n, sizeof(*gaps), compare);
	for (size_t i = 0; i < n; i++) {
		double share = 1 - exp(-gaps[i] / mean);

		distance = fmax(distance, fabs(share - (double)i / (double)n));
		distance = fmax(distance, fabs((double)(i + 1) / (double)n - share));
	}
	return distance * sqrt((double)n);
}

/* Pearson's, times √n: beyond ±4 in one of ten thousand pairs that are independent. */
static double correlation(const double *x, const double *y, size_t n)
{
	double sx = 0, sy = 0, sxx = 0, syy = 0, sxy = 0;
	double count = (double)n;

	for (size_t i = 0; i < n; i++) {
		sx += x[i];
		sy += y[i];
		sxx += x[i] * x[i];
		syy += y[i] * y[i];
		sxy += x[i] * y[i];
	}
	return (sxy - sx * sy / count) / sqrt((sxx - sx * sx / count) * (syy - sy * sy / count)) *
	       sqrt(count);
}

static void test_constant_threads_interleave(void **state)
{
	int64_t planned_ns[10];

	(void)state;
	for (unsigned thread = 0; thread < 4; thread++) {
		struct pace_params params = {.rate = 1000, .thread = thread, .threads = 4};

		schedule(&params, planned_ns, 10);
		for (int64_t i = 0; i < 10; i++)
			assert_int_equal(planned_ns[i], (4 * i + thread) * NS_PER_MS);
	}
}

static void test_constant_does_not_drift(void **state)
{
	struct pace_params params = {.rate = 3, .threads = 1};
	static int64_t planned_ns[3001];

	(void)state;
	schedule(&params, planned_ns, 3001);
	assert_int_equal(planned_ns[3000], 1000 * NS_PER_S);
	assert_int_equal(planned_ns[1], 333333333);
	params.rate = 0.5;
	schedule(&params, planned_ns, 3);
	assert_int_equal(planned_ns[2], 4 * NS_PER_S);
}

static void test_poisson_gaps_are_exponential(void **state)
{
	struct pace_params params = {.rate = 500, .arrival = PACE_POISSON, .threads = 4};
	static int64_t planned_ns[DRAWS];
	static double gaps[DRAWS];
	double last_ns;

	(void)state;
	for (params.seed = 1; params.seed < 4; params.seed++) {
		schedule(&params, planned_ns, DRAWS);
		to_gaps(planned_ns, gaps, DRAWS);
		assert_true(fabs(correlation(gaps, gaps + 1, DRAWS - 1)) < 4);
		assert_true(distance_to_exponential(gaps, DRAWS, 8e6) < 1.95);
		last_ns = (double)planned_ns[DRAWS - 1];
		assert_true(fabs(last_ns / (DRAWS * 8e6) - 1) < 4 / sqrt(DRAWS));
	}
}

static void test_poisson_threads_are_independent(void **state)
{
	struct pace_params params = {.rate = 1e3, .arrival = PACE_POISSON, .seed = 7, .threads = 4};
	static int64_t planned_ns[4][DRAWS];
	static double gaps[4][DRAWS];
	static double all[4 * DRAWS];
	double end_ns = INFINITY;
	size_t n = 0;

	(void)state;
	for (params.thread = 0; params.thread < 4; params.thread++) {
		schedule(&params, planned_ns[params.thread], DRAWS);
		to_gaps(planned_ns[params.thread], gaps[params.thread], DRAWS);
		end_ns = fmin(end_ns, (double)planned_ns[params.thread][DRAWS - 1]);
	}
	for (size_t i = 0; i < 4; i++)
		for (size_t j = 0; j < i; j++)
			assert_true(fabs(correlation(gaps[i], gaps[j], DRAWS)) < 4);

	/* Together they are a Poisson process of the whole rate. */
	for (size_t i = 0; i < 4; i++)
		for (size_t j = 0; j < DRAWS && (double)planned_ns[i][j] <= end_ns; j++)
			all[n++] = (double)planned_ns[i][j];
	qsort(all, n, sizeof(*all), compare);
	for (size_t i = n - 1; i > 0; i--)
		all[i] -= all[i - 1];
	assert_true(distance_to_exponential(all, n, 1e6) < 1.95);
}

static void test_seed_decides(void **state)
{
	struct pace_params params = {
		.rate = 1000, .arrival = PACE_POISSON, .seed = 42, .threads = 2};
	int64_t first_ns[100];
	int64_t again_ns[100];

	(void)state;
	schedule(&params, first_ns, 100);
	schedule(&params, again_ns, 100);
	assert_memory_equal(first_ns, again_ns, sizeof(first_ns));
	params.seed++;
	schedule(&params, again_ns, 100);
	assert_memory_not_equal(first_ns, again_ns, sizeof(first_ns));
}

static void test_backlog_keeps_order_and_is_bounded(void **state)
{
	struct pace_params params = {.rate = 1e6, .threads = 1};
	struct pace *pace = pace_new(&params);
	int64_t full_ns = START + PACE_BACKLOG_MAX * NS_PER_US - 1;
	struct pace_counts counts;

	(void)state;
	pace_start(pace, START, START, UINT64_MAX);
	assert_int_equal(pace_due(pace, START - 1, FOREVER), 0);
	assert_int_equal(pace_backlog(pace), 0);
	assert_int_equal(pace_due(pace, full_ns, FOREVER), 0);
	assert_int_equal(pace_backlog(pace), PACE_BACKLOG_MAX);
	assert_int_equal(pace_due(pace, full_ns + 3 * NS_PER_US, FOREVER), 3);
	pace_hold(pace);
	for (int i = 0; i < 5; i++) {
		assert_int_equal(pace_peek(pace), START + i * NS_PER_US);
		assert_true(pace_take(pace));
	}
	/* Room again: what comes now has not been held. */
	assert_int_equal(pace_due(pace, full_ns + 4 * NS_PER_US, FOREVER), 0);
	counts = pace_counts(pace, full_ns);
	assert_int_equal(counts.planned, PACE_BACKLOG_MAX + 4);
	assert_int_equal(counts.dropped, 3);
	assert_int_equal(counts.backlog_max, PACE_BACKLOG_MAX);
	assert_int_equal(counts.at_end, PACE_BACKLOG_MAX - 4);
	assert_int_equal(counts.oldest_ns, full_ns - START - 5 * NS_PER_US);
	while (pace_backlog(pace) > 1)
		assert_true(pace_take(pace));
	assert_int_equal(pace_peek(pace), full_ns + 1 + 3 * NS_PER_US);
	assert_false(pace_take(pace));
	pace_free(pace);
}

static void test_only_the_window_counts(void **state)
{
	struct pace_params params = {.rate = 1000, .threads = 1};
	struct pace *pace = pace_new(&params);
	int64_t window_ns = START + 10 * NS_PER_MS;
	struct pace_counts counts;

	(void)state;
	pace_start(pace, START, window_ns, 5);
	pace_due(pace, window_ns + 2 * NS_PER_MS, FOREVER);
	pace_hold(pace);
	counts = pace_counts(pace, window_ns + 2 * NS_PER_MS);
	assert_int_equal(pace_backlog(pace), 13);
	assert_int_equal(counts.planned, 3);
	assert_int_equal(counts.at_end, 3);
	assert_int_equal(counts.oldest_ns, 2 * NS_PER_MS);
	/* The limit is of the window's alone; then nothing is planned any more. */
	pace_due(pace, window_ns + NS_PER_S, FOREVER);
	assert_int_equal(pace_counts(pace, window_ns).planned, 5);
	assert_int_equal(pace_next(pace), INT64_MAX);
	assert_int_equal(pace_wake(pace), INT64_MAX);
	pace_free(pace);
}

static void test_nothing_is_due_from_the_end_on(void **state)
{
	struct pace_params params = {.rate = 1000, .threads = 1};
	struct pace *pace = pace_new(&params);

	(void)state;
	pace_start(pace, START, START, UINT64_MAX);
	pace_due(pace, START + NS_PER_S, START + 3 * NS_PER_MS);
	assert_int_equal(pace_backlog(pace), 3);
	assert_int_equal(pace_next(pace), START + 3 * NS_PER_MS);
	pace_free(pace);
}

static void test_early_follows_lateness(void **state)
{
	struct pace_params params = {.rate = 1, .threads = 1};
	struct pace *pace = pace_new(&params);
	int64_t next_ns;

	(void)state;
	pace_start(pace, START, START, UINT64_MAX);
	next_ns = pace_next(pace);
	for (int i = 0; i < 10000; i++)
		pace_woke(pace, START, START + 20 * NS_PER_US);
	assert_in_range(next_ns - pace_wake(pace), 19 * NS_PER_US, 23 * NS_PER_US);
	for (int i = 0; i < 10000; i++)
		pace_woke(pace, START, START + NS_PER_S);
	assert_int_equal(next_ns - pace_wake(pace), PACE_EARLY_MAX_NS);
	for (int i = 0; i < 10000; i++)
		pace_woke(pace, START, START);
	assert_int_equal(next_ns - pace_wake(pace), PACE_EARLY_MIN_NS);
	pace_free(pace);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_constant_threads_interleave),
		cmocka_unit_test(test_constant_does_not_drift),
		cmocka_unit_test(test_poisson_gaps_are_exponential),
		cmocka_unit_test(test_poisson_threads_are_independent),
		cmocka_unit_test(test_seed_decides),
		cmocka_unit_test(test_backlog_keeps_order_and_is_bounded),
		cmocka_unit_test(test_only_the_window_counts),
		cmocka_unit_test(test_nothing_is_due_from_the_end_on),
		cmocka_unit_test(test_early_follows_lateness),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
