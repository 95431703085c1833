#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/fail.h"
#include "servers/common/cities.h"
#include "tests/unit/catch.h"
#include "tests/unit/test.h"

#define CITY "{\"country\":\"AD\",\"name\":\"Vila\",\"lat\":42.5,\"lng\":1}"

static bool is_ascii(const char *text)
{
	while (*text != '\0')
		if ((*text++ & 0x80) != 0)
			return false;
	return true;
}

static void test_the_cities_that_come_with_the_servers(void **state)
{
	struct cities *cities = cities_load(NULL);
	const struct city *city;
	size_t foreign = 0;

	(void)state;
	assert_non_null(cities);
	assert_int_equal(cities->n, 1500);
	city = &cities->list[2];
	assert_string_equal(city->country, "AD");
	assert_string_equal(city->name, "Sant Julià de Lòria");
	assert_true(city->lat == 42.46372f);
	assert_true(city->lng == 1.49129f);
	for (size_t i = 0; i < cities->n; i++)
		foreign += !is_ascii(cities->list[i].name);
	assert_int_equal(foreign, 499); /* as cities-1500.ATTRIBUTION.md says */
	cities_free(cities);
}

/* Loads a file of @text and compares what is printed, after the file's name. */
static void check_message(const char *text, const char *expected)
{
	char path[] = "/tmp/test_cities.XXXXXX";
	FILE *file = fdopen(mkstemp(path), "w");
	struct catch printed;
	struct cities *cities;
	char line[256];

	fputs(text, file);
	fclose(file);
	catch_begin(&printed);
	cities = cities_load(path);
	catch_end(&printed);
	unlink(path);
	assert_null(cities);
	snprintf(line, sizeof(line), "test: %s: %s", path, expected);
	assert_string_equal(printed.text, line);
}

static void test_says_what_is_wrong(void **state)
{
	(void)state;
	fail_set_program("test");
	check_message("{\"cities\":[\n" CITY ",\n", "line 3: ']' expected near end of file");
	check_message("{\"cities\":[\n{\"country\":\"\xff\"}]}",
		"line 2: unable to decode byte 0xff near '\"'");
	check_message("[]", "expected an object with \"cities\", a list that is not empty");
	check_message(
		"{\"cities\":[]}", "expected an object with \"cities\", a list that is not empty");
	check_message("{\"cities\":[" CITY ",7]}", "city 2: expected an object");
	check_message("{\"cities\":[{\"country\":\"AD\",\"lat\":1,\"lng\":1}]}",
		"city 1: \"name\": expected a text");
	check_message("{\"cities\":[" CITY ",{\"country\":1,\"name\":\"a\",\"lat\":1,\"lng\":1}]}",
		"city 2: \"country\": expected a text");
	check_message("{\"cities\":[{\"country\":\"AND\",\"name\":\"a\",\"lat\":1,\"lng\":1}]}",
		"city 1: \"country\": expected a code of two letters");
	check_message("{\"cities\":[{\"country\":\"AD\",\"name\":\"a\",\"lat\":\"1\",\"lng\":1}]}",
		"city 1: \"lat\": expected a number from -90 to 90");
	check_message("{\"cities\":[{\"country\":\"AD\",\"name\":\"a\",\"lat\":1,\"lng\":-180.5}]}",
		"city 1: \"lng\": expected a number from -180 to 180");
}

static void test_a_file_that_is_not_there(void **state)
{
	struct catch printed;

	(void)state;
	catch_begin(&printed);
	assert_null(cities_load("/nowhere/cities.json"));
	assert_string_equal(catch_end(&printed), "test: cannot read the cities of "
						 "/nowhere/cities.json: No such file or directory");
	cities_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_cities_that_come_with_the_servers),
		cmocka_unit_test(test_says_what_is_wrong),
		cmocka_unit_test(test_a_file_that_is_not_there),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
