#include <jansson.h>
#include <stdbool.h>
#include <string.h>

#include "harness/report/pick.h"
#include "harness/report/trend.h"
#include "harness/stats/stats.h"
#include "tests/unit/test.h"

#define ROWS   3
#define TRIALS 9

static char notes[2048];

static void keep_note(void *ctx, const char *text)
{
	(void)ctx;
	strncat(notes, text, sizeof(notes) - strlen(notes) - 1);
}

/* A share between -0.5 % and 0.5 %. */
static double noise(struct stats_random *random)
{
	return ((double)stats_random_below(random, 1001) - 500) / 1e5;
}

/* Rows of very different speed, each as often at each place, that change by @drift from the first
 * trial to the last, and by @slip from the first of a turn to its last. */
static json_t *make_record(int trials, double drift, double slip)
{
	struct stats_random random = {.state = 7};
	json_t *record = json_pack("{s:[]}", "contestants");
	json_t *rows = json_object_get(record, "contestants");

	for (int row = 0; row < ROWS; row++)
		json_array_append_new(rows, json_pack("{s:i, s:i, s:[]}", "connections",
						    row == 2 ? 100 : 10, "pipeline", 1, "trials"));
	for (int trial = 0; trial < trials; trial++) {
		for (int order = 0; order < ROWS; order++) {
			size_t row = (size_t)(trial + order) % ROWS;
			double passed = (double)(trial * ROWS + order) / (trials * ROWS - 1);
			double place = (double)order / (ROWS - 1);
			double rps = 1000 * (double)(1 + 9 * row) * (1 + drift * passed) *
				     (1 + slip * place) * (1 + noise(&random));

			json_array_append_new(json_object_get(json_array_get(rows, row), "trials"),
				json_pack("{s:i, s:f, s:f}", "order", order + 1, "started_s",
					2.5 * (trial * ROWS + order), "rps", rps));
		}
	}
	assert_int_equal(trend_fill(record), 0);
	notes[0] = '\0';
	trend_notes(record, keep_note, NULL);
	return record;
}

static double number(const json_t *record, const char *path)
{
	double value;

	assert_true(pick_number(record, path, &value));
	return value;
}

static void test_a_quiet_machine(void **state)
{
	json_t *record = make_record(TRIALS, 0, 0);

	(void)state;
	assert_true(number(record, "trend.drift.p") > TREND_LEVEL);
	assert_true(number(record, "trend.position.p") > TREND_LEVEL);
	assert_int_equal(number(record, "trend.drift.n"), ROWS * TRIALS);
	assert_string_equal(notes, "");
	json_decref(record);
}

static void test_a_machine_that_gets_slower(void **state)
{
	json_t *record = make_record(TRIALS, -0.12, 0);

	(void)state;
	assert_true(number(record, "trend.drift.p") < 0.001);
	assert_true(number(record, "trend.drift.tau") < -0.7);
	assert_true(number(record, "trend.drift.change") < -0.06);
	assert_true(number(record, "trend.drift.change") > -0.10);
	assert_true(number(record, "trend.position.p") > TREND_LEVEL);
	assert_non_null(strstr(notes, "The machine became slower during this round: the last "));
	assert_non_null(strstr(notes, " % fewer requests per second than the first (Kendall's tau "
				      "-0."));
	assert_non_null(strstr(notes, ", p below 0.001, 27 trials). Since contestants were"));
	assert_null(strstr(notes, "late in a turn"));
	json_decref(record);
}

static void test_whoever_comes_late_is_faster(void **state)
{
	json_t *record = make_record(TRIALS, 0, 0.1);

	(void)state;
	assert_true(number(record, "trend.drift.p") > TREND_LEVEL);
	assert_true(number(record, "trend.position.p") < 0.001);
	assert_true(number(record, "trend.position.change") > 0.06);
	assert_non_null(strstr(notes, "late in a turn had "));
	assert_non_null(strstr(notes, " % more requests per second than early ones"));
	assert_null(strstr(notes, "The machine became"));
	json_decref(record);
}

/* A change that is sure and small is in the record, and makes no noise. */
static void test_a_small_change_is_not_told(void **state)
{
	json_t *record = make_record(TRIALS, -0.025, 0);

	(void)state;
	assert_true(number(record, "trend.drift.p") < 0.001);
	assert_string_equal(notes, "");
	json_decref(record);
}

/* By load: the third row is alone under its own. */
static void test_each_load(void **state)
{
	json_t *record = make_record(TRIALS, -0.12, 0);
	const json_t *loads = pick(record, "trend.loads");

	(void)state;
	assert_int_equal(json_array_size(loads), 2);
	assert_int_equal(number(json_array_get(loads, 0), "drift.n"), 2 * TRIALS);
	assert_true(number(json_array_get(loads, 0), "drift.p") < 0.001);
	assert_int_equal(number(json_array_get(loads, 1), "connections"), 100);
	assert_string_equal(
		pick_reason(json_array_get(loads, 1), "drift"), "it takes two rows of four trials");
	json_decref(record);
}

static void test_what_cannot_be_told(void **state)
{
	json_t *record = make_record(TREND_TRIALS - 1, -0.5, 0);
	json_t *contestant;
	json_t *trial;
	size_t i;
	size_t j;

	(void)state;
	assert_string_equal(pick_reason(record, "trend.drift"), "it takes two rows of four trials");
	assert_string_equal(notes, "");
	json_decref(record);

	record = make_record(TREND_TRIALS, -0.5, 0);
	json_array_foreach (json_object_get(record, "contestants"), i, contestant)
		json_array_foreach (json_object_get(contestant, "trials"), j, trial)
			json_object_del(trial, "started_s");
	assert_int_equal(trend_fill(record), 0);
	assert_string_equal(pick_reason(record, "trend.drift"), "not recorded");
	assert_int_equal(number(record, "trend.position.n"), ROWS * TREND_TRIALS);
	json_decref(record);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_quiet_machine),
		cmocka_unit_test(test_a_machine_that_gets_slower),
		cmocka_unit_test(test_whoever_comes_late_is_faster),
		cmocka_unit_test(test_a_small_change_is_not_told),
		cmocka_unit_test(test_each_load),
		cmocka_unit_test(test_what_cannot_be_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
