#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/report/change.h"
#include "harness/report/pick.h"
#include "harness/report/result.h"
#include "harness/stats/stats.h"
#include "tests/unit/test.h"

#define TRIALS 10

/* A trial of @rps whose other numbers follow from it. */
static json_t *trial_of(double rps)
{
	return json_pack("{s:f, s:f, s:{s:I, s:I, s:I, s:I}, s:{s:f, s:f}, s:{s:f, s:f}}", "rps",
		rps, "bytes_per_reply", 100.0, "requests", "sent", (json_int_t)1000, "completed",
		(json_int_t)1000, "ok", (json_int_t)1000, "failed", (json_int_t)0, "latency_ns",
		"p50", 1e9 / rps, "p99", 2e9 / rps, "server", "requests_per_cpu_s", 2 * rps,
		"max_rss_bytes", 1e6);
}

/* One contestant, with TRIALS numbers around @rps, of a machine with @cores. */
static json_t *record_of(const char *name, double rps, double spread, uint64_t seed, int cores)
{
	struct stats_random random = {.state = seed};
	json_t *trials = json_array();
	json_t *record;

	for (size_t i = 0; i < TRIALS; i++) {
		double noise = (double)stats_random_below(&random, 1001) / 1000 - 0.5;

		json_array_append_new(trials, trial_of(rps * (1 + spread * noise)));
	}
	record = json_pack("{s:s, s:I, s:{s:s}, s:{s:i}, s:[{s:s, s:I, s:I, s:o}]}", "round", "r",
		"seed", (json_int_t)7, "parameters", "call", "hello", "environment", "cores", cores,
		"contestants", "name", name, "connections", (json_int_t)10, "pipeline",
		(json_int_t)1, "trials", trials);
	assert_non_null(record);
	assert_int_equal(result_summarise(record), 0);
	return record;
}

static json_t *comparison_of(json_t *old, json_t *new)
{
	json_t *comparison = change_record(old, new, 1);

	assert_non_null(comparison);
	json_decref(old);
	json_decref(new);
	return comparison;
}

static const char *verdict(const json_t *comparison, const char *metric)
{
	const json_t *row;
	size_t i;

	json_array_foreach (pick(comparison, "rows"), i, row)
		if (strcmp(pick_text(row, "metric"), metric) == 0)
			return pick_text(row, "verdict");
	return NULL;
}

static void test_verdicts(void **state)
{
	json_t *slower =
		comparison_of(record_of("a", 1000, 0.1, 1, 2), record_of("a", 800, 0.1, 2, 2));
	json_t *faster =
		comparison_of(record_of("a", 1000, 0.1, 1, 2), record_of("a", 1250, 0.1, 2, 2));
	const json_t *row = json_array_get(pick(slower, "rows"), 0);

	(void)state;
	assert_string_equal(verdict(slower, "rps"), "slower");
	assert_string_equal(verdict(slower, "rps_per_cpu"), "slower");
	assert_string_equal(verdict(slower, "p50"), "slower");
	assert_string_equal(verdict(slower, "p99"), "slower");
	assert_string_equal(verdict(slower, "memory"), "no difference shown");
	assert_true(change_is_worse(row));
	assert_true(pick_or(row, "ratio", 0) > 0.75 && pick_or(row, "ratio", 0) < 0.85);
	assert_true(pick_or(row, "ci95_high", 2) < 1);
	assert_true(pick_or(row, "cliffs_delta", 0) == 1);

	row = json_array_get(pick(faster, "rows"), 0);
	assert_string_equal(verdict(faster, "rps"), "faster");
	assert_string_equal(verdict(faster, "p50"), "faster");
	assert_false(change_is_worse(row));
	json_decref(slower);
	json_decref(faster);
}

static void test_noise_is_no_difference(void **state)
{
	unsigned different = 0;

	(void)state;
	for (uint64_t i = 0; i < 100; i++) {
		json_t *comparison = comparison_of(record_of("a", 1000, 0.3, 2 * i, 2),
			record_of("a", 1000, 0.3, 2 * i + 1, 2));
		const json_t *row;
		bool any = false;
		size_t r;

		json_array_foreach (pick(comparison, "rows"), r, row)
			any |= change_is_difference(row);
		different += any;
		json_decref(comparison);
	}
	assert_true(different <= 5);
}

static void test_other_machines_are_named(void **state)
{
	json_t *old = record_of("a", 1000, 0.1, 1, 2);
	json_t *new = record_of("a", 1000, 0.1, 2, 8);
	json_t *differences = change_differences(old, new);

	(void)state;
	assert_int_equal(json_array_size(differences), 1);
	assert_string_equal(json_string_value(json_array_get(differences, 0)),
		"environment.cores: 2 in the old record, 8 in the new");
	json_decref(differences);
	differences = change_differences(old, old);
	assert_int_equal(json_array_size(differences), 0);
	json_decref(differences);
	json_decref(old);
	json_decref(new);
}

static void test_other_sizes_are_named(void **state)
{
	json_t *old = record_of("a", 1000, 0.1, 1, 2);
	json_t *new = json_deep_copy(old);
	json_t *summary =
		json_object_get(json_array_get(json_object_get(new, "contestants"), 0), "summary");
	json_t *differences;

	(void)state;
	json_object_set_new(summary, "bytes_per_reply", json_real(110));
	differences = change_differences(old, new);
	assert_int_equal(json_array_size(differences), 1);
	assert_string_equal(json_string_value(json_array_get(differences, 0)),
		"bytes per reply of a: 100 in the old record, 110 in the new");
	json_decref(differences);
	json_decref(old);
	json_decref(new);
}

static void test_what_came_and_went(void **state)
{
	json_t *comparison =
		comparison_of(record_of("a", 1000, 0.1, 1, 2), record_of("b", 1000, 0.1, 2, 2));
	const json_t *rows = pick(comparison, "rows");
	const json_t *first = json_array_get(rows, 0);
	const json_t *last = json_array_get(rows, json_array_size(rows) - 1);

	(void)state;
	assert_string_equal(pick_reason(first, "verdict"), "it is not in the old record");
	assert_string_equal(pick_reason(last, "verdict"), "it is not in the new record");
	assert_false(change_is_worse(first));
	assert_false(change_is_worse(last));
	json_decref(comparison);
}

static void test_a_new_failure_is_worse(void **state)
{
	json_t *old = record_of("a", 1000, 0.1, 1, 2);
	json_t *new = record_of("a", 1000, 0.1, 2, 2);
	json_t *contestant = json_array_get(json_object_get(new, "contestants"), 0);
	json_t *comparison;

	(void)state;
	json_object_set_new(contestant, "failure", json_string("answers wrongly"));
	assert_int_equal(result_summarise(new), 0);
	comparison = comparison_of(old, new);
	assert_string_equal(verdict(comparison, "rps"), "failed");
	assert_true(change_is_worse(json_array_get(pick(comparison, "rows"), 0)));
	json_decref(comparison);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_verdicts),
		cmocka_unit_test(test_noise_is_no_difference),
		cmocka_unit_test(test_other_machines_are_named),
		cmocka_unit_test(test_other_sizes_are_named),
		cmocka_unit_test(test_what_came_and_went),
		cmocka_unit_test(test_a_new_failure_is_worse),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
