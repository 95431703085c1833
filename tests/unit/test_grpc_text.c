#include <string.h>

#include "lib/clock.h"
#include "servers/common/grpc_text.h"
#include "tests/unit/test.h"

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

static void test_timeouts(void **state)
{
	static const struct {
		const char *text;
		int64_t ns;
	} good[] = {
		{"1n", 1},
		{"0S", 0},
		{"20u", 20 * NS_PER_US},
		{"300m", 300 * NS_PER_MS},
		{"5S", 5 * NS_PER_S},
		{"2M", 120 * NS_PER_S},
		{"00000001H", 3600 * NS_PER_S},
		{"99999999S", INT64_C(99999999) * NS_PER_S},
		{"99999999H", INT64_MAX},
	};
	static const char *const bad[] = {"", "1", "S", "1s", "1X", "-1S", "+1S", "1.5S", " 1S",
		"1S ", "1 S", "123456789S", "1SS", "nan", "0x1S"};
	int64_t ns;

	(void)state;
	for (size_t i = 0; i < COUNT(good); i++) {
		assert_true(grpc_timeout_parse(slice_of(good[i].text), &ns));
		assert_true(ns == good[i].ns);
	}
	for (size_t i = 0; i < COUNT(bad); i++)
		assert_false(grpc_timeout_parse(slice_of(bad[i]), &ns));
	assert_false(grpc_timeout_parse((struct slice){"1\0", 2}, &ns));
}

static void test_types(void **state)
{
	static const char *const good[] = {"application/grpc", "application/grpc+proto",
		"application/grpc;charset=utf-8", "application/grpc+proto; a=b"};
	static const char *const bad[] = {"", "application/grp", "application/grpc-web",
		"application/grpc+json", "application/grpcx", "application/grpc+protox",
		"application/json", "text/plain"};

	(void)state;
	for (size_t i = 0; i < COUNT(good); i++)
		assert_true(grpc_is_type(slice_of(good[i])));
	for (size_t i = 0; i < COUNT(bad); i++)
		assert_false(grpc_is_type(slice_of(bad[i])));
}

static void test_messages(void **state)
{
	static const char *const pairs[][2] = {
		{"", ""},
		{"plain text ~!", "plain text ~!"},
		{"100%", "100%25"},
		{"a\nb\x7f", "a%0Ab%7F"},
		{"h\xc3\xb6", "h%C3%B6"},
	};
	char out[64] = {0};

	(void)state;
	for (size_t i = 0; i < COUNT(pairs); i++) {
		struct slice got = {out, grpc_message_encode(slice_of(pairs[i][0]), out)};

		assert_true(slice_eq(got, slice_of(pairs[i][1])));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_timeouts),
		cmocka_unit_test(test_types),
		cmocka_unit_test(test_messages),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
