#include <string.h>

#include "servers/common/app.h"
#include "tests/unit/test.h"

static void test_sizes_of_the_public_benchmarks(void **state)
{
	struct app_package p;

	(void)state;
	assert_int_equal(strlen(app_hello()), 11);
	assert_int_equal(strlen(app_plaintext()), 13);
	app_find_one("koa-suit", &p);
	assert_int_equal(strlen(p.name), 20);
	assert_int_equal(strlen(p.description), 35);
	assert_int_equal(strlen(p.main), 8);
	assert_int_equal(strlen(p.repository.url), 60);
	assert_int_equal(strlen(p.author), 12);
}

static void test_publish(void **state)
{
	struct app_publish_reply reply;
	char name[APP_NAME_MAX + 2];

	(void)state;
	app_publish("koa-thrift", -3, &reply);
	assert_int_equal(reply.code, 0);
	assert_string_equal(reply.message, "koa-thrift@-3");
	app_publish(NULL, 1, &reply);
	assert_int_equal(reply.code, 1);
	memset(name, 'a', sizeof(name));
	name[APP_NAME_MAX] = '\0';
	app_publish(name, INT32_MIN, &reply);
	assert_int_equal(reply.code, 0);
	assert_string_equal(reply.message + APP_NAME_MAX, "@-2147483648");
	name[APP_NAME_MAX] = 'a';
	name[APP_NAME_MAX + 1] = '\0';
	app_publish(name, 1, &reply);
	assert_int_equal(reply.code, 1);
}

static void test_echo(void **state)
{
	struct app_echo_reply a;
	struct app_echo_reply b;

	(void)state;
	app_echo("32byte", &a);
	app_echo("32byte", &b);
	assert_int_equal(a.payload_len, 32);
	assert_memory_not_equal(a.payload, b.payload, 32);
	app_echo("world", &a);
	assert_false(a.failed);
	assert_string_equal(a.message, "Hello world");
	assert_int_equal(a.payload_len, 0);
	app_echo("error", &a);
	assert_true(a.failed);
	app_echo(NULL, &a);
	assert_string_equal(a.message, "Hello ");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sizes_of_the_public_benchmarks),
		cmocka_unit_test(test_publish),
		cmocka_unit_test(test_echo),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
