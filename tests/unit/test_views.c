#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/report/chart.h"
#include "harness/report/csv.h"
#include "harness/report/document.h"
#include "harness/report/pick.h"
#include "harness/report/result.h"
#include "harness/report/svg.h"
#include "harness/report/table.h"
#include "harness/report/view.h"
#include "tests/unit/catch.h"
#include "tests/unit/golden.h"
#include "tests/unit/test.h"

#define GOLDEN "tests/golden/views/"
#define LEVELS GOLDEN "levels.json"
#define ROUND  "tests/golden/report/round.json"

static json_t *read_summarised(const char *path)
{
	json_t *record = result_read(path);

	assert_non_null(record);
	assert_int_equal(result_summarise(record), 0);
	return record;
}

/* As document_print(), as a text. */
static char *print(json_t *record, int format, int view, bool trials)
{
	struct document document = {
		.rounds = json_pack("[{s:O}]", "record", record),
		.format = format,
		.view = view,
		.trials = trials,
	};
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	assert_non_null(out);
	assert_int_equal(document_print(&document, out), 0);
	fclose(out);
	json_decref(document.rounds);
	return text;
}

static void test_golden_views(void **state)
{
	json_t *record = read_summarised(LEVELS);

	(void)state;
	for (int view = 0; view < VIEWS; view++) {
		char path[64];

		snprintf(path, sizeof(path), GOLDEN "%s.md", view_names[view]);
		assert_golden(print(record, DOCUMENT_NONE, view, false), path);
	}
	json_decref(record);
}

static void test_golden_csv(void **state)
{
	json_t *record = read_summarised(LEVELS);

	(void)state;
	assert_golden(print(record, DOCUMENT_CSV, DOCUMENT_NONE, false), GOLDEN "levels.csv");
	assert_golden(print(record, DOCUMENT_CSV, DOCUMENT_NONE, true), GOLDEN "trials.csv");
	json_decref(record);
}

/* What a record lacks is a dash with a reason, whatever the view: here bytes of each second. */
static void test_absent(void **state)
{
	json_t *record = read_summarised(ROUND);
	char *text = print(record, DOCUMENT_NONE, VIEW_AUTOCANNON, false);

	(void)state;
	assert_non_null(strstr(text, "| Bytes/Sec |     —¹ |"));
	assert_non_null(strstr(text, "- ¹ no whole second of it is in the record.\n"));
	free(text);
	json_decref(record);
}

/* ------------------------------------------------------------------ charts */

static char *script(const json_t *record, enum chart_kind kind, bool *drawn)
{
	const json_t *contestants = pick(record, "contestants");
	struct table *table = table_new(record, json_array_get(contestants, 0));
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	assert_non_null(table);
	assert_non_null(out);
	*drawn = chart_script(table, kind, "Title", out);
	fclose(out);
	table_free(table);
	return text;
}

static void test_golden_scripts(void **state)
{
	static const char *const names[] = {"rps", "cpu", "latency", "time"};
	json_t *record = read_summarised(LEVELS);
	bool drawn;

	(void)state;
	for (enum chart_kind kind = 0; kind < CHART_KINDS; kind++) {
		char path[64];
		char *text = script(record, kind, &drawn);

		assert_true(drawn);
		snprintf(path, sizeof(path), GOLDEN "%s.gp", names[kind]);
		assert_golden(text, path);
	}
	json_decref(record);
}

/* Without the time of a trial's start there is no time of the round. */
static void test_nothing_to_draw(void **state)
{
	json_t *record = read_summarised(ROUND);
	bool drawn;
	char *text = script(record, CHART_TIME, &drawn);

	(void)state;
	assert_false(drawn);
	assert_string_equal(text, "");
	free(text);
	json_decref(record);
}

/* The longest bar first, failures last; the limited one is of the other colour and says so. */
static void test_bars_are_sorted_and_marked(void **state)
{
	json_t *record = read_summarised(ROUND);
	json_t *slow = json_array_get(json_object_get(record, "contestants"), 0);
	bool drawn;
	char *text;

	(void)state;
	json_object_set_new(json_object_get(slow, "summary"), "limit", json_string("client"));
	text = script(record, CHART_RPS, &drawn);
	assert_non_null(strstr(text, "$bars << EOD\n50600 50100 51000 0\n40000 "));
	assert_non_null(strstr(text, "$limited << EOD\n30000 29800 30900 3\nEOD\n"));
	assert_non_null(strstr(text, "'30,000 (client limited)'"));
	assert_non_null(strstr(text, "'http-wrong' at graph 0, first 4 "));
	assert_non_null(strstr(text, "'FAIL: no verified reply: status 297,034'"));
	assert_null(strstr(text, "node-koa"));
	free(text);
	json_decref(record);
}

static void test_svg(void **state)
{
	static const char drawn[] = "<svg>\n<title>Gnuplot</title>\n<desc>Produced by x</desc>\n"
				    "\n<g><title>gnuplot_plot_1</title><text>a</text></g></svg>\n";
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);
	struct catch c;

	(void)state;
	assert_int_equal(svg_print(drawn, "a<b>\"&\n", out), 0);
	fflush(out);
	assert_true(
		strncmp(text, "<svg>\n<title>a&lt;b&gt;&quot;&amp;?</title>\n<style>\n", 50) == 0);
	assert_non_null(strstr(text, "</style>\n<g><text>a</text></g></svg>\n"));
	catch_begin(&c);
	assert_int_equal(svg_print("nonsense", "t", out), -1);
	assert_non_null(strstr(catch_end(&c), "no SVG"));
	fclose(out);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_golden_views),
		cmocka_unit_test(test_golden_csv),
		cmocka_unit_test(test_absent),
		cmocka_unit_test(test_golden_scripts),
		cmocka_unit_test(test_nothing_to_draw),
		cmocka_unit_test(test_bars_are_sorted_and_marked),
		cmocka_unit_test(test_svg),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
