#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/buf.h"
#include "servers/common/cities.h"
#include "servers/common/cities_json.h"
#include "tests/unit/test.h"

/* What the canonical form is by its definition, from @digits = 1 on. */
static int fewest_digits(float value, double *rounded)
{
	char text[32];
	int digits = 0;

	do {
		snprintf(text, sizeof(text), "%.*g", ++digits, (double)value);
		*rounded = strtod(text, NULL);
	} while ((float)*rounded != value);
	return digits;
}

static int count_digits(const char *text)
{
	int digits = 0;
	int zeros = 0;

	for (; *text != '\0' && *text != 'e'; text++) {
		if (*text == '0' && digits > 0)
			zeros++;
		if (*text < '1' || *text > '9')
			continue;
		digits += zeros + 1;
		zeros = 0;
	}
	return digits > 0 ? digits : 1;
}

static void check_number(float value)
{
	char text[CITIES_JSON_NUMBER_MAX + 1];
	size_t len = cities_json_number(text, value);
	double rounded;
	int digits;

	assert_in_range(len, 1, CITIES_JSON_NUMBER_MAX);
	text[len] = '\0';
	digits = fewest_digits(value, &rounded);
	if (strtod(text, NULL) != rounded || count_digits(text) != digits)
		fail_msg("%.9g was printed as %s", (double)value, text);
	if (fabsf(value) >= 1e-4f && strpbrk(text, "e+") != NULL)
		fail_msg("%.9g has an exponent: %s", (double)value, text);
}

static void test_numbers_of_the_cities(void **state)
{
	struct cities *cities = cities_load(NULL);

	(void)state;
	assert_non_null(cities);
	for (size_t i = 0; i < cities->n; i++) {
		check_number(cities->list[i].lat);
		check_number(cities->list[i].lng);
	}
	cities_free(cities);
}

static void test_any_numbers(void **state)
{
	(void)state;
	srand(1);
	for (int i = 0; i < 200000; i++) {
		/* of each magnitude, all mantissas */
		double size = ldexp(1 + rand() / (RAND_MAX + 1.0), rand() % 40 - 33);
		float value = (float)(rand() % 2 == 0 ? size : -size);

		check_number(value);
		/* short ones, and those that lie between two such */
		check_number(roundf(value * 1e4f) / 1e4f + 1);
		check_number(truncf(value * 256) / 256 + 1);
	}
	for (int power = -40; power < 8; power++) {
		check_number(ldexpf(1, power));
		check_number(nextafterf(ldexpf(1, power), 0));
		check_number(nextafterf(ldexpf(1, power), 1000));
	}
}

static void expect_number(float value, const char *expected)
{
	char text[CITIES_JSON_NUMBER_MAX + 1];

	text[cities_json_number(text, value)] = '\0';
	assert_string_equal(text, expected);
}

static void test_how_numbers_look(void **state)
{
	(void)state;
	expect_number(0, "0");
	expect_number(-0.0f, "0");
	expect_number(-180, "-180");
	expect_number(100, "100");
	expect_number(42.5f, "42.5");
	expect_number(-0.00123f, "-0.00123");
	expect_number(0.00012f, "0.00012");
	expect_number(1e-5f, "1e-05");
	expect_number(0.1f, "0.1");
	expect_number(139.69171f, "139.69171");
	expect_number(1.00390625f, "1.0039062");
}

static void test_a_list(void **state)
{
	static const struct city list[] = {
		{"AD", "a\"b\\c/d\001\n\303\240", 1, -2.5f},
		{"ZW", "", 0, 0},
	};
	static const char expected[] =
		"{\"cities\":["
		"{\"country\":\"AD\",\"name\":\"a\\\"b\\\\c/d\\u0001\\u000a\303\240\",\"lat\":1,"
		"\"lng\":-2.5},{\"country\":\"ZW\",\"name\":\"\",\"lat\":0,\"lng\":0}]}";
	struct cities cities = {.list = list, .n = 2};
	struct buf out = {0};

	(void)state;
	assert_int_equal(cities_json(&out, &cities), 0);
	assert_int_equal(buf_append(&out, "", 1), 0);
	assert_string_equal(buf_head(&out), expected);
	buf_clear(&out);
	cities.n = 0;
	assert_int_equal(cities_json(&out, &cities), 0);
	assert_memory_equal(buf_head(&out), "{\"cities\":[]}", buf_len(&out));
	buf_free(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_numbers_of_the_cities),
		cmocka_unit_test(test_any_numbers),
		cmocka_unit_test(test_how_numbers_look),
		cmocka_unit_test(test_a_list),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
