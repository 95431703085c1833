#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/report/pick.h"
#include "harness/report/result.h"
#include "harness/stats/stats.h"
#include "tests/unit/test.h"

#define TRIALS 8

static json_t *trial_of(double rps)
{
	return json_pack("{s:f, s:{s:I, s:I, s:I}}", "rps", rps, "requests", "sent",
		(json_int_t)1000, "ok", (json_int_t)1000, "failed", (json_int_t)0);
}

static void add_contestant(json_t *record, const char *name, const double *rps, size_t n)
{
	json_t *trials = json_array();

	for (size_t i = 0; i < n; i++)
		json_array_append_new(trials, trial_of(rps[i]));
	json_array_append_new(json_object_get(record, "contestants"),
		json_pack("{s:s, s:I, s:I, s:o}", "name", name, "connections", (json_int_t)10,
			"pipeline", (json_int_t)1, "trials", trials));
}

/* TRIALS numbers from @from on, one apart. */
static void add_row(json_t *record, const char *name, double from, size_t n)
{
	double rps[TRIALS];

	for (size_t i = 0; i < n; i++)
		rps[i] = from + (double)i;
	add_contestant(record, name, rps, n);
}

static json_t *new_record(void)
{
	return json_pack(
		"{s:s, s:I, s:[]}", "round", "made up", "seed", (json_int_t)7, "contestants");
}

static const json_t *summary_of(const json_t *record, size_t i)
{
	return pick(json_array_get(pick(record, "contestants"), i), "summary");
}

static double rank_of(const json_t *record, size_t i)
{
	return pick_or(summary_of(record, i), "rank", 0);
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

/* The second is a little behind the first, the others a lot, and one of these to the other too. */
static void test_ties_share_a_rank(void **state)
{
	json_t *record = new_record();
	const json_t *tie;
	char *text;

	(void)state;
	add_row(record, "third", 50.5, TRIALS);
	add_row(record, "second", 100, TRIALS);
	add_row(record, "first", 101.5, TRIALS);
	add_row(record, "fourth", 49, TRIALS);
	assert_int_equal(result_summarise(record), 0);

	assert_true(rank_of(record, 2) == 1);
	assert_true(rank_of(record, 1) == 1);
	assert_true(rank_of(record, 0) == 3);
	assert_true(rank_of(record, 3) == 3);
	assert_null(pick(summary_of(record, 2), "tie"));
	tie = pick(summary_of(record, 1), "tie");
	assert_string_equal(pick_text(tie, "with"), "first");
	assert_true(pick_or(tie, "p", 0) > 0.05);
	assert_true(pick_or(tie, "cliffs_delta", 0) > 0.2);

	text = page(record);
	assert_non_null(strstr(text, "| 1= | first |"));
	assert_true(strstr(text, "| 1= | second |") > strstr(text, "| 1= | first |"));
	assert_non_null(strstr(text, "| 3= | third |"));
	assert_non_null(strstr(text, "share a rank"));
	free(text);
	json_decref(record);
}

/* Two that do not overlap, with @trials each: the rank of the slow one, and whether the page says
 * that 4 trials are needed. */
static void assert_apart(size_t trials, double rank, bool too_few)
{
	json_t *record = new_record();
	char *text;

	add_row(record, "fast", 1000, trials);
	add_row(record, "slow", 10, trials);
	assert_int_equal(result_summarise(record), 0);
	assert_true(rank_of(record, 1) == rank);
	text = page(record);
	assert_true((strstr(text, "4 trials of each") != NULL) == too_few);
	free(text);
	json_decref(record);
}

static void test_too_few_trials_are_said(void **state)
{
	(void)state;
	assert_apart(3, 1, true);
	assert_apart(4, 2, false);
}

/* Rounds of three contestants that are all the same thing. */
static void test_same_things_are_rarely_told_apart(void **state)
{
	struct stats_random random = {.state = 4};
	unsigned different = 0;

	(void)state;
	for (int round = 0; round < 100; round++) {
		json_t *record = new_record();

		for (size_t c = 0; c < 3; c++) {
			double rps[10];

			for (size_t i = 0; i < 10; i++)
				rps[i] = 1000 + (double)stats_random_below(&random, 200);
			add_contestant(record, "same", rps, 10);
		}
		assert_int_equal(result_summarise(record), 0);
		different += rank_of(record, 0) + rank_of(record, 1) + rank_of(record, 2) > 3;
		json_decref(record);
	}
	assert_true(different <= 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ties_share_a_rank),
		cmocka_unit_test(test_too_few_trials_are_said),
		cmocka_unit_test(test_same_things_are_rarely_told_apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
