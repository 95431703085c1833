#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/report/change.h"
#include "harness/report/floor.h"
#include "harness/report/pick.h"
#include "harness/report/rank.h"
#include "harness/report/result.h"
#include "harness/report/schema.h"
#include "harness/stats/stats.h"
#include "tests/unit/made.h"
#include "tests/unit/test.h"

/* Of as many connections. */
static json_t *entry_of(const char *name, double rps, int connections)
{
	return json_pack("{s:s, s:i, s:i, s:o}", "name", name, "connections", connections,
		"pipeline", 1, "trials", made_trials(rps));
}

static json_t *new_record(void)
{
	return json_pack("{s:s, s:s, s:i, s:[], s:[]}", "schema", RESULT_SCHEMA, "round", "made up",
		"seed", 7, "contestants", "again");
}

static void add(json_t *record, const char *list, const char *name, double rps)
{
	json_array_append_new(json_object_get(record, list), entry_of(name, rps, 10));
}

/* The contestants "first", "near" (2 % behind it) and "far" (10 %); "first" again at @again. */
static json_t *record_of(double again)
{
	json_t *record = new_record();

	add(record, "contestants", "first", 1000);
	add(record, "contestants", "near", 980);
	add(record, "contestants", "far", 900);
	add(record, "again", "first", again);
	assert_int_equal(result_summarise(record), 0);
	assert_int_equal(schema_check(record, "made up"), 0);
	return record;
}

static const json_t *summary_of(const json_t *record, size_t i)
{
	return pick(json_array_get(pick(record, "contestants"), i), "summary");
}

static char *page(const json_t *record)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	report_markdown(record, NULL, NULL, out);
	fclose(out);
	return text;
}

static void assert_near(double value, double expected)
{
	assert_true(fabs(value - expected) < 1e-6);
}

static void test_a_floor_of_each_metric(void **state)
{
	json_t *record = record_of(970);
	const json_t *item = json_array_get(pick(record, "noise_floor"), 0);
	static const char *const metrics[] = {
		"rps", "rps_per_server_cpu_s", "latency_p50", "latency_p99"};

	(void)state;
	assert_int_equal(json_array_size(pick(record, "noise_floor")), 1);
	assert_string_equal(pick_text(item, "contestant"), "first");
	assert_true(pick_or(item, "connections", 0) == 10 && pick_or(item, "pipeline", 0) == 1);
	assert_near(pick_or(item, "rps.ratio", 0), 999.5 / 969.5);
	assert_true(pick_or(item, "latency_p50.ratio", 2) < 1);
	for (size_t i = 0; i < sizeof(metrics) / sizeof(metrics[0]); i++) {
		const json_t *values = pick(item, metrics[i]);

		/* Latencies are the inverse of the rates, so their median is not quite theirs. */
		assert_true(fabs(pick_or(values, "floor", 0) - 30 / 969.5) < 1e-5);
		assert_true(pick_or(values, "ci95_low", 9) <= pick_or(values, "ratio", 0));
		assert_true(pick_or(values, "p", 1) < 0.05);
	}
	json_decref(record);
}

static void test_what_is_below_it_shares_a_rank(void **state)
{
	json_t *record = record_of(970);
	char *text = page(record);

	(void)state;
	assert_true(pick_or(summary_of(record, 0), "rank", 0) == 1);
	assert_true(pick_or(summary_of(record, 1), "rank", 0) == 1);
	assert_true(pick_true(summary_of(record, 1), "tie.below_noise_floor"));
	assert_true(pick_or(summary_of(record, 1), "tie.p", 1) < 0.05);
	assert_true(pick_or(summary_of(record, 2), "rank", 0) == 3);
	assert_null(pick(summary_of(record, 2), "tie"));
	assert_non_null(strstr(text, "near: shares its rank with first, since they differ by no "
				     "more than the noise floor"));
	assert_non_null(strstr(text, "Noise floor: first measured twice came out as two: it "
				     "differs from itself by 3.1 %"));
	assert_null(strstr(text, "(again)"));
	free(text);
	json_decref(record);
}

static void test_what_is_above_it_does_not(void **state)
{
	json_t *record = record_of(1000.5);
	char *text = page(record);

	(void)state;
	assert_true(pick_or(summary_of(record, 1), "rank", 0) == 2);
	assert_true(pick_or(summary_of(record, 2), "rank", 0) == 3);
	assert_non_null(strstr(text, "Noise floor: first measured twice differs by 0.1 % in "
				     "requests per second (p = "));
	assert_non_null(strstr(text, "smaller differences are not shown."));
	free(text);
	json_decref(record);
}

/* As a round that names none: as before there were noise floors. */
static void test_none_is_asked_for(void **state)
{
	json_t *record = record_of(970);
	char *text;

	(void)state;
	json_object_del(record, "again");
	json_object_del(record, "noise_floor");
	assert_int_equal(result_summarise(record), 0);
	assert_null(pick(record, "noise_floor"));
	assert_true(pick_or(summary_of(record, 1), "rank", 0) == 2);
	text = page(record);
	assert_null(strstr(text, "oise floor"));
	free(text);
	json_decref(record);
}

static void test_none_is_there_and_why(void **state)
{
	json_t *record = record_of(970);
	json_t *trial;
	char *text;

	(void)state;
	trial = json_array_get(
		pick(json_array_get(json_object_get(record, "again"), 0), "trials"), 3);
	json_object_set_new(trial, "failure", json_string("it ended"));
	assert_int_equal(result_summarise(record), 0);
	assert_int_equal(schema_check(record, "made up"), 0);
	assert_true(pick_or(summary_of(record, 1), "rank", 0) == 2);
	text = page(record);
	assert_non_null(
		strstr(text, "Noise floor: unknown (first, measured again: trial 4: it ended)."));
	free(text);

	json_object_set_new(record, "again", json_null());
	json_object_set_new(record, "again_reason", json_string("not today"));
	assert_int_equal(result_summarise(record), 0);
	assert_int_equal(schema_check(record, "made up"), 0);
	assert_string_equal(pick_reason(record, "noise_floor"), "not today");
	text = page(record);
	assert_non_null(strstr(text, "Noise floor: not measured (not today)"));
	free(text);
	json_decref(record);
}

/* Each load has its own. */
static void test_a_floor_for_each_load(void **state)
{
	json_t *record = record_of(970);
	struct rank_load load = {.connections = 20, .pipeline = 1};

	(void)state;
	json_array_append_new(json_object_get(record, "contestants"), entry_of("first", 1000, 20));
	json_array_append_new(json_object_get(record, "again"), entry_of("first", 500, 20));
	assert_int_equal(result_summarise(record), 0);
	assert_int_equal(json_array_size(pick(record, "noise_floor")), 2);
	assert_near(floor_of(pick(record, "noise_floor"), &load, "rps"), 999.5 / 499.5 - 1);
	load.connections = 10;
	assert_near(floor_of(pick(record, "noise_floor"), &load, "rps"), 30 / 969.5);
	load.pipeline = 2;
	assert_true(floor_of(pick(record, "noise_floor"), &load, "rps") < 0);
	json_decref(record);
}

static const char *verdict_of(const json_t *old, const json_t *new, size_t row)
{
	json_t *comparison = change_record(old, new, 1);
	const char *verdict = pick_text(json_array_get(pick(comparison, "rows"), row), "verdict");
	static char text[64];

	snprintf(text, sizeof(text), "%s", verdict != NULL ? verdict : "none");
	json_decref(comparison);
	return text;
}

/* A record of "first" alone, at @rps and again at @again. */
static json_t *single(double rps, double again)
{
	json_t *record = new_record();

	add(record, "contestants", "first", rps);
	add(record, "again", "first", again);
	assert_int_equal(result_summarise(record), 0);
	return record;
}

static void test_changes_below_either_floor_are_none(void **state)
{
	json_t *quiet = single(1000, 1000.5);
	json_t *noisy = single(1000, 950);
	json_t *slower = single(970, 970.5);
	json_t *far_slower = single(900, 900.5);

	(void)state;
	for (size_t metric = 0; metric < 4; metric++) {
		assert_string_equal(verdict_of(quiet, slower, metric), "slower");
		assert_string_equal(verdict_of(noisy, slower, metric), "no difference shown");
		assert_string_equal(verdict_of(slower, noisy, metric), "no difference shown");
		assert_string_equal(verdict_of(noisy, far_slower, metric), "slower");
	}
	json_decref(quiet);
	json_decref(noisy);
	json_decref(slower);
	json_decref(far_slower);
}

/* What is systematic between two entries of one program is no difference either: here each entry
 * has an offset of its own, which the trials alone would show. */
static void test_the_same_things_in_other_places(void **state)
{
	struct stats_random random = {.state = 11};
	unsigned shown = 0;
	unsigned without = 0;

	(void)state;
	for (int round = 0; round < 10; round++) {
		double offset = 20 + (double)stats_random_below(&random, 10);
		json_t *record = new_record();

		add(record, "contestants", "a", 1000);
		add(record, "contestants", "b",
			1000 - offset + (double)stats_random_below(&random, 5));
		add(record, "again", "a", 1000 - offset - 5);
		assert_int_equal(result_summarise(record), 0);
		shown += pick_or(summary_of(record, 1), "rank", 0) == 2;
		json_object_del(record, "again");
		json_object_del(record, "noise_floor");
		assert_int_equal(result_summarise(record), 0);
		without += pick_or(summary_of(record, 1), "rank", 0) == 2;
		json_decref(record);
	}
	assert_int_equal(shown, 0);
	assert_int_equal(without, 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_floor_of_each_metric),
		cmocka_unit_test(test_what_is_below_it_shares_a_rank),
		cmocka_unit_test(test_what_is_above_it_does_not),
		cmocka_unit_test(test_none_is_asked_for),
		cmocka_unit_test(test_none_is_there_and_why),
		cmocka_unit_test(test_a_floor_for_each_load),
		cmocka_unit_test(test_changes_below_either_floor_are_none),
		cmocka_unit_test(test_the_same_things_in_other_places),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
