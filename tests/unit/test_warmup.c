#include <stddef.h>

#include "harness/load/warmup.h"
#include "tests/unit/test.h"

#define START     INT64_C(1000000000000)
#define SECOND    NS_PER_S
#define COUNT(a)  (sizeof(a) / sizeof((a)[0]))
#define IN_FLIGHT 10

/* Looks at a second's warm-up whose windows have these replies, the last of them for ever. Return:
 * when it ends, after its start. */
static int64_t end_of(struct warmup *w, const uint64_t *counts, size_t n)
{
	uint64_t ok = 777;
	size_t i = 0;
	int64_t now_ns;

	*w = warmup_begin(START, SECOND, IN_FLIGHT);
	do {
		now_ns = w->next_ns;
		if (i > 0)
			ok += counts[i <= n ? i - 1 : n - 1];
		i++;
	} while (!warmup_look(w, now_ns, ok));
	assert_int_equal(w->next_ns, INT64_MAX);
	return now_ns + WARMUP_LEAD_NS - START;
}

static void test_a_steady_one_ends_as_planned(void **state)
{
	/* 5 % of 10000 and 3 * 100 may lie between the least and the most. */
	static const uint64_t counts[] = {10000, 9600, 10400};
	static const uint64_t apart[] = {9500, 9600, 10500};
	struct warmup w;

	(void)state;
	assert_int_equal(end_of(&w, counts, COUNT(counts)), SECOND);
	assert_int_equal(w.end, WARMUP_STEADY);
	assert_int_equal(w.windows, 3);
	assert_true(end_of(&w, apart, COUNT(apart)) > SECOND);
}

static void test_a_growing_one_goes_on(void **state)
{
	static const uint64_t counts[] = {2000, 4000, 6000, 8000, 10000};
	struct warmup w;

	(void)state;
	/* The fifth window and two more are alike: four windows of 0.25 s later than planned. */
	assert_int_equal(end_of(&w, counts, COUNT(counts)), 2 * SECOND);
	assert_int_equal(w.end, WARMUP_STEADY);
	assert_int_equal(w.windows, 7);
}

static void test_one_that_never_settles_ends(void **state)
{
	uint64_t counts[100];
	struct warmup w;
	int64_t end_ns;

	(void)state;
	for (size_t i = 0; i < COUNT(counts); i++)
		counts[i] = i % 2 == 0 ? 8000 : 10000;
	end_ns = end_of(&w, counts, COUNT(counts));
	assert_true(end_ns <= 3 * SECOND);
	assert_true(end_ns > 2 * SECOND);
	assert_int_equal(w.end, WARMUP_UNSTEADY);
}

/* A server that answers next to nothing: that is no steady state. */
static void test_too_few_replies_say_nothing(void **state)
{
	static const uint64_t counts[] = {IN_FLIGHT - 1};
	static const uint64_t enough[] = {IN_FLIGHT};
	struct warmup w;

	(void)state;
	assert_true(end_of(&w, counts, 1) > 2 * SECOND);
	assert_int_equal(w.end, WARMUP_UNKNOWN);
	assert_non_null(w.reason);
	assert_int_equal(end_of(&w, enough, 1), SECOND);
	assert_int_equal(w.end, WARMUP_STEADY);
}

/* Who looks late sees more replies, of a longer time. */
static void test_late_looks(void **state)
{
	struct warmup w = warmup_begin(START, SECOND, IN_FLIGHT);
	int64_t now_ns = w.next_ns;

	(void)state;
	assert_false(warmup_look(&w, now_ns, 0));
	assert_false(warmup_look(&w, now_ns + SECOND / 4, 10000));
	assert_false(warmup_look(&w, now_ns + SECOND, 40000));
	assert_true(warmup_look(&w, now_ns + 5 * SECOND / 4, 50000));
	assert_int_equal(w.end, WARMUP_STEADY);
}

static void test_short_ones(void **state)
{
	struct warmup w = warmup_begin(START, 119 * NS_PER_MS, 1);

	(void)state;
	assert_int_equal(w.next_ns, INT64_MAX);
	assert_int_equal(w.end, WARMUP_UNKNOWN);
	assert_string_equal(w.reason, "too short to tell");
	w = warmup_begin(START, 120 * NS_PER_MS, 1);
	assert_int_equal(w.next_ns, START);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_steady_one_ends_as_planned),
		cmocka_unit_test(test_a_growing_one_goes_on),
		cmocka_unit_test(test_one_that_never_settles_ends),
		cmocka_unit_test(test_too_few_replies_say_nothing),
		cmocka_unit_test(test_late_looks),
		cmocka_unit_test(test_short_ones),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
