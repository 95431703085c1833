#include "lib/units.h"
#include "tests/unit/test.h"

static void test_durations(void **state)
{
	int64_t ns;

	(void)state;
	assert_true(units_parse_duration("250us", &ns) && ns == 250000);
	assert_true(units_parse_duration("5", &ns) && ns == 5000000000);
	assert_true(units_parse_duration("1.5s", &ns) && ns == 1500000000);
	assert_true(units_parse_duration("2h", &ns) && ns == 7200000000000);
	assert_false(units_parse_duration("", &ns));
	assert_false(units_parse_duration("-1s", &ns));
	assert_false(units_parse_duration("1x", &ns));
	assert_false(units_parse_duration("0x10s", &ns));
	assert_false(units_parse_duration("nan", &ns));
	assert_false(units_parse_duration("1e300h", &ns));
}

static void test_sizes(void **state)
{
	uint64_t bytes;

	(void)state;
	assert_true(units_parse_size("512", &bytes) && bytes == 512);
	assert_true(units_parse_size("16KiB", &bytes) && bytes == 16384);
	assert_true(units_parse_size("1M", &bytes) && bytes == 1048576);
	assert_false(units_parse_size("1T", &bytes));
	assert_false(units_parse_size("M", &bytes));
}

static void test_texts(void **state)
{
	char out[UNITS_TEXT];

	(void)state;
	assert_string_equal(units_duration(812, out), "812ns");
	assert_string_equal(units_duration(9812, out), "9.81us");
	assert_string_equal(units_duration(999.96e3, out), "1.00ms");
	assert_string_equal(units_duration(2e9, out), "2.00s");
	assert_string_equal(units_count(999, out), "999");
	assert_string_equal(units_count(12345, out), "12.3k");
	assert_string_equal(units_count(1.7e6, out), "1.70M");
	assert_string_equal(units_size(230, out), "230B");
	assert_string_equal(units_size(1229, out), "1.20KB");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_durations),
		cmocka_unit_test(test_sizes),
		cmocka_unit_test(test_texts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
