#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/report/change.h"
#include "harness/report/pick.h"
#include "harness/report/result.h"
#include "harness/report/schema.h"
#include "tests/unit/made.h"
#include "tests/unit/test.h"

/* Of a server with @threads. */
static json_t *entry_of(const char *name, double rps, int threads)
{
	return json_pack("{s:s, s:i, s:i, s:i, s:i, s:o}", "name", name, "connections", 10,
		"pipeline", 1, "server_threads", threads, "server_cpus", threads < 2 ? threads : 2,
		"trials", made_trials(rps));
}

static void add(json_t *record, json_t *entry)
{
	json_array_append_new(json_object_get(record, "contestants"), entry);
}

static json_t *new_record(void)
{
	return json_pack("{s:s, s:s, s:i, s:[]}", "schema", RESULT_SCHEMA, "round", "made up",
		"seed", 7, "contestants");
}

/* "a" with 1, 2 and 4 threads, and "fixed", which has no number of them. */
static json_t *record_of(void)
{
	json_t *record = new_record();
	json_t *fixed = entry_of("fixed", 400, 1);

	add(record, entry_of("a", 1000, 1));
	add(record, entry_of("a", 1900, 2));
	add(record, entry_of("a", 500, 4));
	json_object_set_new(fixed, "fixed_threads", json_true());
	add(record, fixed);
	return record;
}

static const json_t *item(const json_t *record, size_t i)
{
	return json_array_get(pick(record, "scaling"), i);
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

static void assert_near(const json_t *object, const char *path, double expected)
{
	assert_true(fabs(pick_or(object, path, 0) - expected) < 1e-6 * expected);
}

static void test_speedups_are_to_the_first(void **state)
{
	json_t *record = record_of();

	(void)state;
	assert_int_equal(result_summarise(record), 0);
	assert_int_equal(schema_check(record, "made up"), 0);
	assert_int_equal(json_array_size(pick(record, "scaling")), 4);
	assert_near(item(record, 0), "speedup.ratio", 1);
	assert_near(item(record, 0), "speedup.ci95_low", 1);
	assert_near(item(record, 1), "speedup.ratio", 1899.5 / 999.5);
	assert_true(pick_or(item(record, 1), "speedup.ci95_low", 0) > 1.8);
	assert_true(pick_or(item(record, 1), "speedup.ci95_high", 9) < 2);
	assert_near(item(record, 2), "speedup.ratio", 499.5 / 999.5);
	assert_near(item(record, 1), "server_threads", 2);
	assert_near(item(record, 1), "rps", 1899.5);
	assert_near(item(record, 1), "rps_per_server_cpu_s", 2 * 1899.5);
	assert_true(json_is_null(pick(item(record, 3), "speedup")));
	assert_string_equal(
		pick_reason(item(record, 3), "speedup"), "its command takes no number of threads");
	json_decref(record);
}

/* Each number of threads has a table of its own, with ranks of its own. */
static void test_other_threads_are_another_load(void **state)
{
	json_t *record = record_of();
	char *text;

	(void)state;
	assert_int_equal(result_summarise(record), 0);
	for (size_t i = 0; i < 3; i++)
		assert_near(json_array_get(pick(record, "contestants"), i), "summary.rank", 1);
	assert_near(json_array_get(pick(record, "contestants"), 3), "summary.rank", 2);
	text = page(record);
	assert_non_null(strstr(text, "## 10 connections × pipeline 1, 1 server thread\n"));
	assert_non_null(strstr(text, "## 10 connections × pipeline 1, 2 server threads\n"));
	assert_non_null(strstr(text, "More threads than CPUs: the server's 4 threads share 2"));
	assert_non_null(strstr(text, "## Scaling\n"));
	assert_non_null(strstr(text, "| 1.90 ("));
	free(text);
	json_decref(record);
}

static void test_one_number_is_no_scaling(void **state)
{
	json_t *record = new_record();
	char *text;

	(void)state;
	add(record, entry_of("a", 1000, 1));
	add(record, entry_of("b", 900, 1));
	assert_int_equal(result_summarise(record), 0);
	assert_null(pick(record, "scaling"));
	text = page(record);
	assert_null(strstr(text, "Scaling"));
	assert_null(strstr(text, "server thread"));
	free(text);
	json_decref(record);
}

static void test_failures_have_no_speedup(void **state)
{
	json_t *record = record_of();
	json_t *first = json_array_get(json_object_get(record, "contestants"), 0);

	(void)state;
	json_object_set_new(json_array_get(json_object_get(first, "trials"), 0), "failure",
		json_string("it ended"));
	assert_int_equal(result_summarise(record), 0);
	assert_int_equal(schema_check(record, "made up"), 0);
	assert_string_equal(pick_reason(item(record, 0), "rps"), "trial 1: it ended");
	assert_string_equal(pick_reason(item(record, 0), "speedup"), "trial 1: it ended");
	assert_string_equal(pick_reason(item(record, 1), "speedup"), "with 1: trial 1: it ended");
	assert_near(item(record, 1), "rps", 1899.5);
	json_decref(record);
}

/* Records made before threads were part of an entry. */
static void test_rows_without_threads_are_compared(void **state)
{
	json_t *old = new_record();
	json_t *new = new_record();
	json_t *comparison;
	json_t *entry = entry_of("a", 1000, 1);

	(void)state;
	json_object_del(entry, "server_threads");
	add(old, entry);
	add(new, entry_of("a", 500, 1));
	assert_int_equal(result_summarise(old), 0);
	assert_int_equal(result_summarise(new), 0);
	comparison = change_record(old, new, 1);
	assert_string_equal(
		pick_text(json_array_get(pick(comparison, "rows"), 0), "verdict"), "slower");
	json_decref(comparison);
	json_decref(old);
	json_decref(new);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_speedups_are_to_the_first),
		cmocka_unit_test(test_other_threads_are_another_load),
		cmocka_unit_test(test_one_number_is_no_scaling),
		cmocka_unit_test(test_failures_have_no_speedup),
		cmocka_unit_test(test_rows_without_threads_are_compared),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
