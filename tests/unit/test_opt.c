#include <stdio.h>
#include <string.h>

#include "lib/opt.h"
#include "tests/unit/test.h"

struct values {
	bool on;
	bool off;
	int64_t count;
	double share;
	int64_t duration;
	int level;
	const char *json;
	struct opt_list headers;
};

static const char *const levels[] = {"low", "high", NULL};

static const struct opt table[] = {
	{.name = "on", .type = OPT_FLAG, .offset = offsetof(struct values, on)},
	{.name = "no-off", .type = OPT_UNFLAG, .offset = offsetof(struct values, off)},
	{.name = "count",
		.letter = 'c',
		.type = OPT_INT,
		.offset = offsetof(struct values, count),
		.arg = "N",
		.min = 1,
		.max = 10},
	{.name = "share", .type = OPT_NUMBER, .offset = offsetof(struct values, share), .arg = "X"},
	{.name = "duration",
		.letter = 'd',
		.type = OPT_DURATION,
		.offset = offsetof(struct values, duration),
		.arg = "TIME",
		.min = 1},
	{.name = "level",
		.type = OPT_CHOICE,
		.offset = offsetof(struct values, level),
		.arg = "L",
		.choices = levels},
	{.name = "json",
		.type = OPT_OPTIONAL,
		.offset = offsetof(struct values, json),
		.arg = "FILE"},
	{.name = "header",
		.letter = 'H',
		.type = OPT_LIST,
		.offset = offsetof(struct values, headers),
		.arg = "H"},
	{0},
};

static enum opt_result parse(struct values *values, int *first, const char *line)
{
	static char copy[256];
	char *argv[16] = {"prog"};
	int argc = 1;

	*values = (struct values){.off = true};
	snprintf(copy, sizeof(copy), "%s", line);
	for (char *word = strtok(copy, " "); word != NULL; word = strtok(NULL, " "))
		argv[argc++] = word;
	return opt_parse(table, values, "prog", argc, argv, first);
}

static void test_values(void **state)
{
	struct values v;
	int first;

	(void)state;
	assert_int_equal(
		parse(&v, &first, "-c 3 URL --on --no-off -d2s --level high --json -H a -H b"),
		OPT_OK);
	assert_int_equal(v.count, 3);
	assert_true(v.on);
	assert_false(v.off);
	assert_int_equal(v.duration, 2000000000);
	assert_int_equal(v.level, 1);
	assert_string_equal(v.json, "");
	assert_int_equal(v.headers.count, 2);
	assert_string_equal(v.headers.items[1], "b");
	assert_int_equal(first, 13);
	assert_int_equal(parse(&v, &first, "--json=x.json --share 0.5"), OPT_OK);
	assert_string_equal(v.json, "x.json");
	assert_true(v.share == 0.5);
}

static void test_bad_values_are_refused(void **state)
{
	static const char *const bad[] = {"-c 0", "-c 11", "-c 1.5", "-c x", "-c", "-c 3k", "-d 0",
		"-d -1", "--level mid", "--unknown", "-z", "--on=1", "--share nan", "--share inf"};
	struct values v;
	int first;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(parse(&v, &first, bad[i]), OPT_BAD);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_bad_values_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
