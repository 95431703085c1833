#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/paths.h"
#include "harness/round.h"
#include "tests/unit/catch.h"
#include "tests/unit/test.h"

static const struct paths here = {.root = "."};

static const char *load_text(const char *text, struct catch *c)
{
	char file[] = "/tmp/rpcbench-round-XXXXXX.json";
	int fd = mkstemps(file, 5);
	struct round round;
	const char *printed;

	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
	catch_begin(c);
	if (round_load(&round, &here, file) == 0)
		round_free(&round);
	printed = catch_end(c);
	unlink(file);
	return strstr(printed, file) != NULL ? strstr(printed, file) + strlen(file) : printed;
}

#define LEVELS GOOD ", \"levels\": [{\"connections\": 1, \"pipeline\": 1}]"
#define GOOD                                                                                       \
	"{\"name\": \"r\", \"title\": \"R\", \"call\": \"find_one\",\n"                            \
	"\"contestants\": [\"a\", \"b\"], \"trials\": 2, \"duration\": \"1s\", \"warmup\": \"0\""

static void test_bad_rounds(void **state)
{
	static const struct {
		const char *text;
		const char *message;
	} bad[] = {
		{GOOD "}", ":1: expected the key levels, which is missing"},
		{LEVELS ",\n\"columns\": [\"rps\", \"p42\"]}",
			":3: columns[1]: expected one of the columns that METHOD.md lists, got "
			"\"p42\""},
		{LEVELS ",\n\"ratios\": [{\"of\": \"a\", \"to\": \"nobody\"}]}",
			":3: ratios[0]: expected contestants of this round, 'nobody' is none"},
		{LEVELS ",\n\"again\": \"nobody\"}",
			":3: again: expected one of the contestants of this round, 'nobody' is "
			"none"},
		{LEVELS ",\n\"ratios\": [{\"of\": \"a\"}]}",
			":3: ratios[0]: expected the key to, which is missing"},
		{GOOD ",\n\"levels\": []}", ":3: levels: expected a list with elements, got []"},
		{GOOD ",\n\"levels\": [{\"connections\": 1,\n\"pipeline\": 0}]}",
			":4: levels[0].pipeline: expected a whole number of 1 to 1000000, got 0"},
		{GOOD ",\n\"levels\": [\n{\"connections\": 1, \"pipeline\": 1},\n"
		      "{\"connections\": 1, \"depth\": 1}]}",
			":5: levels[1].depth: unknown key, expected one of connections, pipeline, "
			"requests, rate, arrival"},
		{GOOD ",\n\"levels\": [{\"connections\": 1, \"pipeline\": 1, \"rate\": 0}]}",
			":3: levels[0].rate: expected a number above 0, at most 10000000, got 0"},
		{GOOD ",\n\"levels\": [{\"connections\": 1, \"pipeline\": 1, \"arrival\": \"x\"}]}",
			":3: levels[0].arrival: expected one of \"constant\", \"poisson\", got "
			"\"x\""},
		{GOOD ",\n\"levels\": [{\"connections\": 1, \"pipeline\": 1,\n"
		      "\"arrival\": \"poisson\"}]}",
			":3: levels[0]: expected a rate beside the arrival"},
		{GOOD ",\n\"levels\": [{\"connections\": 1, \"pipeline\": 1}],\n"
		      "\"timeout\": \"0s\"}",
			":4: timeout: expected a duration above zero like \"5s\" or \"250ms\", got "
			"\"0s\""},
		{"{\"trials\":\n0}", ":1: expected the key name, which is missing"},
		{"{\"name\": \"r\", \"title\": \"R\", \"call\": \"hello\", \"contestants\": "
		 "[\"a\",\n\"a\"], \"trials\": 2, \"duration\": \"1s\", \"warmup\": \"0\", "
		 "\"levels\": [{\"connections\": 1, \"pipeline\": 1}]}",
			":2: contestants[1]: expected each contestant once, 'a' is there twice"},
		{"{\"name\": \"r\", \"title\": \"R\",\n\"call\": \"nothing\", \"contestants\": "
		 "[\"a\"], \"trials\": 2, \"duration\": \"1s\", \"warmup\": \"0\", "
		 "\"levels\": [{\"connections\": 1, \"pipeline\": 1}]}",
			":2: call: unknown call, expected one of: echo find_one get_cities hello "
			"message "
			"plaintext publish"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct catch c;

		assert_string_equal(load_text(bad[i].text, &c), bad[i].message);
	}
}

static void test_unknown_round(void **state)
{
	struct round round;
	struct catch c;

	(void)state;
	catch_begin(&c);
	assert_int_equal(round_load(&round, &here, "round9"), -1);
	assert_non_null(
		strstr(catch_end(&c), "unknown round 'round9', expected a file or one of: "));
}

static void test_the_rounds_of_the_suite(void **state)
{
	struct round round;

	(void)state;
	assert_int_equal(round_load(&round, &here, "round1"), 0);
	assert_string_equal(round.call, "find_one");
	assert_int_equal(round.level_count, 1);
	assert_int_equal(round.levels[0].connections, 10);
	assert_int_equal(round.levels[0].pipeline, 1);
	assert_true(round.duration_ns == 2000000000 && round.timeout_ns == 5000000000);
	assert_int_equal(round.threads.count, 1);
	assert_int_equal(round.threads.list[0], 1);
	assert_string_equal(round.again, "http-json");
	round_free(&round);
	assert_int_equal(round_load(&round, &here, "harness/rounds/round2.json"), 0);
	assert_int_equal(round.levels[0].connections, 20);
	assert_int_equal(round.levels[0].pipeline, 50);
	round_free(&round);
	assert_int_equal(round_load(&round, &here, "hello"), 0);
	assert_int_equal(round.level_count, 3);
	assert_int_equal(round.levels[2].connections, 1000);
	round_free(&round);
	assert_int_equal(round_load(&round, &here, "plaintext"), 0);
	assert_string_equal(round.call, "plaintext");
	round_free(&round);
	assert_int_equal(round_load(&round, &here, "message"), 0);
	assert_string_equal(round.call, "message");
	round_free(&round);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bad_rounds),
		cmocka_unit_test(test_unknown_round),
		cmocka_unit_test(test_the_rounds_of_the_suite),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
