#include <string.h>

#include "lib/buf.h"
#include "tests/unit/test.h"

static void test_is_a_queue(void **state)
{
	struct buf b = {0};
	char expected = 0;
	char next = 0;

	(void)state;
	for (int round = 0; round < 1000; round++) {
		char bytes[37];

		for (size_t i = 0; i < sizeof(bytes); i++)
			bytes[i] = next++;
		assert_int_equal(buf_append(&b, bytes, sizeof(bytes)), 0);
		for (int i = 0; i < 31; i++) {
			assert_int_equal(*buf_head(&b), expected++);
			buf_consume(&b, 1);
		}
	}
	assert_int_equal(buf_len(&b), 1000 * 6);
	buf_free(&b);
}

static void test_refuses_impossible_sizes(void **state)
{
	struct buf b = {0};

	(void)state;
	assert_int_equal(buf_append(&b, "abc", 3), 0);
	assert_int_equal(buf_reserve(&b, SIZE_MAX), -1);
	assert_memory_equal(buf_head(&b), "abc", 3);
	buf_free(&b);
}

static void test_printf_appends(void **state)
{
	struct buf b = {0};

	(void)state;
	assert_int_equal(buf_printf(&b, "%s-%d", "a", 1), 0);
	assert_int_equal(buf_printf(&b, "%0300d", 7), 0);
	assert_int_equal(buf_len(&b), 303);
	assert_memory_equal(buf_head(&b), "a-10", 3);
	buf_free(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_is_a_queue),
		cmocka_unit_test(test_refuses_impossible_sizes),
		cmocka_unit_test(test_printf_appends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
