#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/report/pick.h"
#include "harness/report/rank.h"
#include "harness/report/result.h"
#include "harness/report/text.h"
#include "tests/unit/golden.h"
#include "tests/unit/test.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define GOLDEN       "tests/golden/report/"

/* ------------------------------------------------------------------ helpers */

static json_t *read_summarised(const char *path)
{
	json_t *record = result_read(path);

	assert_non_null(record);
	assert_int_equal(result_summarise(record), 0);
	return record;
}

enum form { CONSOLE, COLORED, MARKDOWN, JSON, TRIAL };

static char *render(const json_t *record, enum form form)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	assert_non_null(out);
	if (form == MARKDOWN)
		report_markdown(record, NULL, NULL, out);
	else if (form == JSON)
		assert_int_equal(result_print(record, out), 0);
	else if (form == TRIAL)
		report_trial(record, out);
	else
		report_console(record, out, 0, form == COLORED);
	fclose(out);
	return text;
}

static json_t *contestant(const json_t *record, const char *name)
{
	const json_t *contestants = pick(record, "contestants");

	for (size_t i = 0; i < json_array_size(contestants); i++) {
		json_t *c = json_array_get(contestants, i);

		if (strcmp(pick_text(c, "name"), name) == 0)
			return c;
	}
	fail_msg("no contestant %s", name);
	return NULL;
}

static double number(const json_t *object, const char *path)
{
	double value;

	if (!pick_number(object, path, &value))
		fail_msg("%s is absent: %s", path, pick_reason(object, path));
	return value;
}

/* ------------------------------------------------------------------ golden texts */

static void test_golden(void **state)
{
	static const struct {
		const char *record;
		enum form form;
		const char *path;
	} cases[] = {
		{GOLDEN "round.json", JSON, GOLDEN "round.json"},
		{GOLDEN "round.json", CONSOLE, GOLDEN "round.txt"},
		{GOLDEN "round.json", MARKDOWN, GOLDEN "round.md"},
		{GOLDEN "limited.json", JSON, GOLDEN "limited.json"},
		{GOLDEN "limited.json", CONSOLE, GOLDEN "limited.txt"},
		{GOLDEN "limited.json", MARKDOWN, GOLDEN "limited.md"},
		{GOLDEN "columns.json", JSON, GOLDEN "columns.json"},
		{GOLDEN "columns.json", CONSOLE, GOLDEN "columns.txt"},
		{GOLDEN "columns.json", MARKDOWN, GOLDEN "columns.md"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		json_t *record = read_summarised(cases[i].record);

		assert_golden(render(record, cases[i].form), cases[i].path);
		json_decref(record);
	}
}

static void test_golden_trials(void **state)
{
	static const struct {
		const char *name;
		const char *path;
	} cases[] = {
		{"http-fast", GOLDEN "trial-fine.txt"},
		{"http-half", GOLDEN "trial-failing.txt"},
		{"http-wrong", GOLDEN "trial-nothing.txt"},
	};
	json_t *record = read_summarised(GOLDEN "round.json");

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		const json_t *trials = pick(contestant(record, cases[i].name), "trials");

		assert_golden(render(json_array_get(trials, 0), TRIAL), cases[i].path);
	}
	json_decref(record);
}

/* ------------------------------------------------------------------ properties */

/* No text shows a number that is none, in any form, whatever of a record is missing. */
static void assert_no_nonsense(char *text)
{
	for (char *c = text; *c != '\0'; c++)
		*c = (char)tolower((unsigned char)*c);
	assert_null(strstr(text, "nan"));
	assert_null(strstr(text, " inf"));
	assert_null(strstr(text, "-1"));
	assert_null(strstr(text, "null"));
	free(text);
}

static void test_sparse_records_render(void **state)
{
	static const char *const texts[] = {
		"{}",
		"{'trials': []}",
		"{'trials': [{}]}",
		"{'trials': [{}, {}], 'connections': 10, 'pipeline': 1}",
		"{'trials': [{'rps': 0.0}, {'rps': 5.0}]}",
		"{'trials': [{'rps': 0.0, 'requests': {'ok': 0, 'failed': 0, 'sent': 0}}]}",
		"{'trials': [{'rps': 7.0, 'requests': {'ok': 7, 'failed': 0, 'sent': 7}}]}",
		"{'trials': [{'requests': {'ok': 7}, 'rps': 0}, {'requests': {'ok': 7}}]}",
		"{'trials': [{'latency_ns': {'count': 0}, 'histogram': {'buckets': [[0, 0]]}}]}",
		"{'trials': [{'failure': 'x'}], 'summary': null}",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(texts); i++) {
		char text[512];
		json_t *c;
		json_t *record;

		snprintf(text, sizeof(text), "%s", texts[i]);
		for (char *at = text; *at != '\0'; at++)
			*at = *at == '\'' ? '"' : *at;
		c = json_loads(text, 0, NULL);
		assert_non_null(c);
		json_object_set_new(c, "name", json_string("x"));
		record = json_pack("{s:s, s:s, s:[o]}", "schema", RESULT_SCHEMA, "round", "r",
			"contestants", c);
		assert_int_equal(result_summarise(record), 0);
		assert_no_nonsense(render(record, CONSOLE));
		assert_no_nonsense(render(record, MARKDOWN));
		assert_no_nonsense(render(json_array_get(pick(c, "trials"), 0), TRIAL));
		json_decref(record);
	}
}

static void test_failed_never_rank(void **state)
{
	static const char *const failed[] = {"http-wrong", "http-half", "thrift-crash", "node-koa"};
	json_t *record = read_summarised(GOLDEN "round.json");
	char *text = render(record, CONSOLE);
	const char *last_good = strstr(text, "http-slow");

	(void)state;
	for (size_t i = 0; i < COUNT(failed); i++) {
		const json_t *summary = pick(contestant(record, failed[i]), "summary");

		assert_true(json_is_null(pick(summary, "rank")));
		assert_true(json_is_null(pick(summary, "relative")));
		assert_true(strstr(text, failed[i]) > last_good);
	}
	assert_non_null(strstr(text, "FAIL: trial 2: crashed (signal 11 at 1.0 s)"));
	free(text);
	json_decref(record);
}

static void test_relative_is_of_medians(void **state)
{
	json_t *record = read_summarised(GOLDEN "round.json");
	const json_t *fast = pick(contestant(record, "http-fast"), "summary");
	const json_t *slow = pick(contestant(record, "http-slow"), "summary");
	double ratio = number(slow, "relative.ratio");

	(void)state;
	assert_true(number(fast, "rank") == 1);
	assert_true(number(fast, "relative.ratio") == 1);
	assert_true(ratio > 50600.0 / 30000 - 1e-6 && ratio < 50600.0 / 30000 + 1e-6);
	assert_true(number(slow, "relative.ci95_low") <= ratio);
	assert_true(number(slow, "relative.ci95_high") >= ratio);
	json_decref(record);
}

/* The client was the limit of two of three: nobody is ranked by requests per second. */
static void test_client_limit_changes_the_order(void **state)
{
	json_t *record = read_summarised(GOLDEN "limited.json");
	const json_t *most = pick(contestant(record, "http-a"), "summary");
	const json_t *cheapest = pick(contestant(record, "http-c"), "summary");

	(void)state;
	assert_string_equal(pick_text(cheapest, "ranked_by"), "rps_per_server_cpu_s");
	assert_string_equal(pick_text(cheapest, "limit"), "client");
	assert_true(number(cheapest, "rps.median") < number(most, "rps.median"));
	assert_true(number(cheapest, "rank") == 1);
	assert_true(number(most, "relative.ratio") > 1);
	json_decref(record);
}

static json_t *trial_with(json_int_t low, json_int_t count)
{
	return json_pack("{s:{s:I,s:I,s:I,s:I}, s:{s:s,s:s,s:[[I,I]]}}", "latency_ns", "count",
		count, "min", low, "p50", low, "max", low, "histogram", "unit", "ns", "encoding",
		"", "buckets", low, count);
}

/* 1000 requests of 1 us and 9000 of 100 us: half took 100 us, not the average of both, 50 us. */
static void test_percentiles_are_merged(void **state)
{
	json_t *record = json_pack("{s:[{s:[o,o]}]}", "contestants", "trials",
		trial_with(1024, 1000), trial_with(102400, 9000));
	const json_t *c = json_array_get(pick(record, "contestants"), 0);

	(void)state;
	assert_non_null(record);
	assert_int_equal(result_summarise(record), 0);
	assert_true(number(c, "summary.latency_ns.count") == 10000);
	assert_true(number(c, "summary.latency_ns.min") == 1024);
	assert_true(number(c, "summary.latency_ns.p2_5") == 1024 + 4);
	assert_true(number(c, "summary.latency_ns.p50") == 102400);
	json_decref(record);
}

static void test_levels_are_not_compared(void **state)
{
	json_t *record = read_summarised(GOLDEN "round.json");
	const json_t *simple = contestant(record, "thrift-simple");

	(void)state;
	assert_false(rank_same_load(simple, contestant(record, "http-fast")));
	assert_true(number(simple, "summary.rank") == 1);
	assert_true(number(simple, "summary.relative.ratio") == 1);
	json_decref(record);
}

static void test_color_only_when_asked(void **state)
{
	json_t *record = read_summarised(GOLDEN "round.json");
	char *plain = render(record, CONSOLE);
	char *colored = render(record, COLORED);

	(void)state;
	assert_null(strchr(plain, '\033'));
	assert_non_null(strstr(colored, "\033[32mhttp-fast\033[0m"));
	assert_null(strstr(colored, "\033[31m_"));
	free(plain);
	free(colored);
	json_decref(record);
}

static char *printed(void (*print)(const char *text, FILE *out), const char *text)
{
	char *result = NULL;
	size_t len;
	FILE *out = open_memstream(&result, &len);

	assert_non_null(out);
	print(text, out);
	fclose(out);
	return result;
}

static void test_hostile_text(void **state)
{
	static const struct {
		const char *text;
		const char *plain;
		const char *markdown;
		const char *html;
	} cases[] = {
		{"a|b", "a|b", "a\\|b", "a|b"},
		{"`x` *y* _z_ ~w~", "`x` *y* _z_ ~w~", "\\`x\\` \\*y\\* \\_z\\_ \\~w\\~",
			"`x` *y* _z_ ~w~"},
		{"<script>&amp;", "<script>&amp;", "&lt;script&gt;&amp;amp;",
			"&lt;script&gt;&amp;amp;"},
		{"\" onload=\"x", "\" onload=\"x", "\" onload=\"x", "&quot; onload=&quot;x"},
		{"[a](b)\\", "[a](b)\\", "\\[a\\](b)\\\\", "[a](b)\\"},
		{"1\n2\r3\t4\x1b[2J\x7f", "1?2?3?4?[2J?", "1?2?3?4?\\[2J?", "1?2?3?4?[2J?"},
		{"\xc2\x9b"
		 "1m \u202e \u2028 \u200b \ufeff",
			"?1m ? ? ? ?", "?1m ? ? ? ?", "?1m ? ? ? ?"},
		{"ü€😀", "ü€😀", "ü€😀", "ü€😀"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		char *plain = printed(text_plain, cases[i].text);
		char *markdown = printed(text_markdown, cases[i].text);
		char *html = printed(text_html, cases[i].text);

		assert_string_equal(plain, cases[i].plain);
		assert_string_equal(markdown, cases[i].markdown);
		assert_string_equal(html, cases[i].html);
		free(plain);
		free(markdown);
		free(html);
	}
}

static void test_texts(void **state)
{
	json_t *errors = json_pack(
		"{s:i, s:i, s:i, s:i}", "eof", 3, "status", 1200, "reset", 3, "timeout", 1);
	char out[64];

	(void)state;
	assert_string_equal(text_count(0, out), "0");
	assert_string_equal(text_count(999.4, out), "999");
	assert_string_equal(text_count(1000, out), "1,000");
	assert_string_equal(text_count(1234567.6, out), "1,234,568");
	assert_string_equal(
		text_errors(errors, out, sizeof(out)), "status 1,200, eof 3, reset 3, timeout 1");
	assert_string_equal(text_errors(errors, out, 24), "status 1,200, eof 3…");
	assert_string_equal(text_cut("äöüß", 4, out, sizeof(out)), "äöüß");
	assert_string_equal(text_cut("äöüß", 3, out, sizeof(out)), "äöü…");
	assert_string_equal(text_cut("äöüß", 9, out, 8), "äö…");
	text_format(out, 9, "%s", "äöüß");
	assert_string_equal(out, "äöüß");
	text_format(out, 8, "%s", "äöüß");
	assert_string_equal(out, "äö…");
	assert_int_equal(text_width("äb—"), 3);
	json_decref(errors);
}

/* ------------------------------------------------------------------ reading */

/* What result_read() of @text prints on stderr. */
static void read_text(const char *text, char *message, size_t size)
{
	char path[] = "/tmp/rpcbench-test.XXXXXX";
	int fd = mkstemp(path);
	FILE *errors = tmpfile();
	int saved = dup(STDERR_FILENO);
	size_t len;
	json_t *record;

	assert_true(fd >= 0 && errors != NULL && saved >= 0);
	assert_int_equal(write(fd, text, strlen(text)), (int)strlen(text));
	close(fd);
	fflush(stderr);
	dup2(fileno(errors), STDERR_FILENO);
	record = result_read(path);
	fflush(stderr);
	dup2(saved, STDERR_FILENO);
	close(saved);
	rewind(errors);
	len = fread(message, 1, size - 1, errors);
	message[len] = '\0';
	fclose(errors);
	unlink(path);
	assert_int_equal(record == NULL, len > 0);
	json_decref(record);
}

#define RECORD(rest)  "{\"schema\": \"rpcbench/1\", \"round\": \"r\", " rest "}"
#define CONTESTANT(c) RECORD("\"contestants\": [{\"name\": \"x\", " c "}]")
#define BUCKETS(pairs)                                                                             \
	CONTESTANT("\"trials\": [{}, {\"histogram\": {\"unit\": \"ns\", \"encoding\": \"\", "      \
		   "\"buckets\": " pairs "}}]")

static void test_reading_names_what_is_wrong(void **state)
{
	static const struct {
		const char *text;
		const char *expected; /* NULL: fine */
	} cases[] = {
		{CONTESTANT("\"trials\": []"), NULL},
		{CONTESTANT("\"trials\": [], \"of the future\": -1"), NULL},
		{CONTESTANT("\"trials\": [{\"rps\": null}], \"summary\": null"), NULL},
		{BUCKETS("[[1, 2]]"), NULL},
		{"", ":1: '[' or '{' expected near end of file"},
		{"{\n\"schema\": \"rpcbench/1\",\n]", ":3: "},
		{"{\"x\": 1, \"x\": 2}", ":1: duplicate object key"},
		{"{\"x\": 1e999}", ":1: real number overflow"},
		{"[]", ": expected a record, an object, found a list"},
		{"{}", ": schema: expected \"rpcbench/1\", found nothing"},
		{"{\"schema\": \"other/2\"}", ": schema: expected \"rpcbench/1\", found another"},
		{RECORD("\"contestants\": 1"), ": contestants: expected a list, found a number"},
		{RECORD("\"quick\": 1, \"contestants\": []"),
			": quick: expected true or false, found a number"},
		{RECORD("\"contestants\": [{}]"),
			": contestants[0].name: expected a text, found nothing"},
		{CONTESTANT("\"trials\": {}"),
			": contestants[0].trials: expected a list, found an object"},
		{CONTESTANT("\"trials\": [{\"rps\": \"1\"}]"),
			": contestants[0].trials[0].rps: expected a number, found a text"},
		{CONTESTANT("\"trials\": [{\"rps\": -1}]"),
			": contestants[0].trials[0].rps: expected a number from 0 to 2^53, found "
			"-1"},
		{CONTESTANT("\"trials\": [{\"rps\": 1e300}]"),
			": contestants[0].trials[0].rps: expected a number from 0 to 2^53"},
		{CONTESTANT("\"trials\": [{\"errors\": {\"eof\": true}}]"),
			": contestants[0].trials[0].errors.eof: expected a number, found true"},
		{BUCKETS("[[1, 2], [3]]"), ": contestants[0].trials[1].histogram.buckets[1]: "
					   "expected a list of two whole numbers, found a list"},
		{BUCKETS("[[1, 2.5]]"), ": contestants[0].trials[1].histogram.buckets[0]: "},
		{BUCKETS("[[9223372036854775807, 2]]"),
			": contestants[0].trials[1].histogram.buckets[0]: expected a number from"},
		{CONTESTANT("\"trials\": [], \"summary\": {\"ranked_by\": \"rps\", \"rps\": {}}"),
			": contestants[0].summary.rps.median: expected a number, found nothing"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		char message[512];

		read_text(cases[i].text, message, sizeof(message));
		if (cases[i].expected == NULL)
			assert_string_equal(message, "");
		else if (strstr(message, cases[i].expected) == NULL ||
			 strstr(message, "/tmp/rpcbench-test.") == NULL)
			fail_msg("'%s' lacks '%s'", message, cases[i].expected);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_golden),
		cmocka_unit_test(test_golden_trials),
		cmocka_unit_test(test_sparse_records_render),
		cmocka_unit_test(test_failed_never_rank),
		cmocka_unit_test(test_relative_is_of_medians),
		cmocka_unit_test(test_client_limit_changes_the_order),
		cmocka_unit_test(test_percentiles_are_merged),
		cmocka_unit_test(test_levels_are_not_compared),
		cmocka_unit_test(test_color_only_when_asked),
		cmocka_unit_test(test_hostile_text),
		cmocka_unit_test(test_texts),
		cmocka_unit_test(test_reading_names_what_is_wrong),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
