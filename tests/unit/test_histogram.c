#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/load/histogram.h"
#include "harness/load/record.h"
#include "tests/unit/test.h"

static struct histogram h;
static struct histogram parts[2];

static void test_buckets_cover_all_values(void **state)
{
	(void)state;
	for (size_t i = 0; i + 1 < HISTOGRAM_BUCKETS; i++) {
		assert_int_equal(histogram_index(histogram_low(i)), i);
		assert_int_equal(histogram_index(histogram_low(i + 1) - 1), i);
	}
	assert_int_equal(histogram_index(-5), 0);
	assert_int_equal(histogram_index(INT64_MAX), HISTOGRAM_BUCKETS - 1);
}

static void test_buckets_are_narrow(void **state)
{
	(void)state;
	for (size_t i = 1; i + 1 < HISTOGRAM_BUCKETS; i++) {
		double width = (double)(histogram_low(i + 1) - histogram_low(i) - 1);

		assert_true(width / (double)histogram_low(i) <= 1.0 / 256);
	}
}

static void test_empty_and_single(void **state)
{
	(void)state;
	histogram_init(&h);
	assert_int_equal(histogram_quantile(&h, 0.5), -1);
	assert_true(histogram_mean(&h) < 0);
	histogram_add(&h, 123456789);
	for (double q = 0; q <= 1; q += 0.1)
		assert_int_equal(histogram_quantile(&h, q), 123456789);
	assert_true(histogram_mean(&h) == 123456789);
	assert_true(histogram_stddev(&h) == 0);
}

static int by_value(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a;
	int64_t y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

/* Against the sorted values themselves: exponential with outliers of ten seconds. */
static void test_quantiles_are_within_half_a_percent(void **state)
{
	enum { N = 20000 };
	static int64_t values[N];
	static const double qs[] = {0, 0.025, 0.25, 0.5, 0.75, 0.9, 0.975, 0.99, 0.999, 1};

	(void)state;
	srand48(1);
	histogram_init(&h);
	for (int i = 0; i < N; i++) {
		values[i] = i % 1000 == 0 ? 10000000000 : (int64_t)(-log(1 - drand48()) * 80000);
		histogram_add(&h, values[i]);
	}
	qsort(values, N, sizeof(values[0]), by_value);
	for (size_t i = 0; i < sizeof(qs) / sizeof(qs[0]); i++) {
		int rank = (int)ceil(qs[i] * N);
		double truth = (double)values[rank > 0 ? rank - 1 : 0];

		assert_true(fabs((double)histogram_quantile(&h, qs[i]) - truth) <= truth * 0.004);
	}
	assert_int_equal(histogram_quantile(&h, 0), values[0]);
	assert_int_equal(histogram_quantile(&h, 1), values[N - 1]);
}

static void test_quantiles_are_monotone_and_bounded(void **state)
{
	int64_t last = 0;

	(void)state;
	histogram_init(&h);
	for (int i = 0; i < 100; i++)
		histogram_add(&h, 70000);
	histogram_add(&h, 70001);
	for (double q = 0; q <= 1; q += 0.001) {
		int64_t value = histogram_quantile(&h, q);

		assert_true(value >= last && value >= 70000 && value <= 70001);
		last = value;
	}
}

static void test_merge_is_as_if_counted_together(void **state)
{
	static struct histogram merged;

	(void)state;
	histogram_init(&h);
	histogram_init(&parts[0]);
	histogram_init(&parts[1]);
	srand48(2);
	for (int i = 0; i < 10000; i++) {
		int64_t value = (int64_t)(drand48() * 1e9);

		histogram_add(&h, value);
		histogram_add(&parts[i % 3 == 0], value);
	}
	histogram_init(&merged);
	histogram_merge(&merged, &parts[0]);
	histogram_merge(&merged, &parts[1]);
	assert_memory_equal(&merged, &h, sizeof(h));
}

static void test_record_counts_by_kind_and_second(void **state)
{
	struct record *a = record_new();
	struct record *b = record_new();

	(void)state;
	record_done(a, OUT_OK, 1000, 51000, 0, 100);
	record_done(b, OUT_OK, 1000, 91000, 2, 100);
	record_done(b, OUT_STATUS, 1000, 11000, 2, 60);
	record_done(b, OUT_TIMEOUT, 1000, 1000001000, RECORD_SERIES_MAX + 5, 0);
	record_merge(a, b);
	assert_int_equal(a->completed, 3);
	assert_int_equal(record_failed(a), 2);
	assert_int_equal(a->rx_bytes, 260);
	assert_int_equal(a->ok.count, 2);
	assert_int_equal(a->ok.max_ns, 90000);
	assert_int_equal(a->failed.count, 2);
	assert_int_equal(a->seconds, 3);
	assert_int_equal(a->series[0].ok, 1);
	assert_int_equal(a->series[1].ok, 0);
	assert_int_equal(a->series[2].failed, 1);
	assert_int_equal(record_second_quantile(&a->series[1], 0.5), -1);
	assert_true(llabs(record_second_quantile(&a->series[2], 0.5) - 90000) < 6000);
	record_free(a);
	record_free(b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_buckets_cover_all_values),
		cmocka_unit_test(test_buckets_are_narrow),
		cmocka_unit_test(test_empty_and_single),
		cmocka_unit_test(test_quantiles_are_within_half_a_percent),
		cmocka_unit_test(test_quantiles_are_monotone_and_bounded),
		cmocka_unit_test(test_merge_is_as_if_counted_together),
		cmocka_unit_test(test_record_counts_by_kind_and_second),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
