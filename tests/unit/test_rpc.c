#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/buf.h"
#include "servers/common/app.h"
#include "servers/common/cities.h"
#include "servers/common/rpc.h"
#include "tests/unit/test.h"
#include "unpkg.pb-c.h"

#define FIND_ONE   "/unpkg.Unpkg/FindOne"
#define PUBLISH    "/unpkg.Unpkg/Publish"
#define GET_CITIES "/cityinfo.GeoCity/GetCities"
#define ECHO       "/echo.Streams/Call"

static const struct city some[] = {
	{.country = "AD", .name = "Sant Julià de Lòria", .lat = 42.46372f, .lng = 1.49129f},
	{.country = "ST", .name = "Null", .lat = 0, .lng = -6.5f},
};
static const struct cities cities = {.list = some, .n = 2};
static const struct rpc_data data = {.cities = &cities};

/* A line of tests/golden/grpc/python.txt. */
struct golden {
	char bytes[512];
	size_t len;
};

static struct golden golden(const char *name)
{
	FILE *file = fopen("tests/golden/grpc/python.txt", "r");
	struct golden golden = {.len = 0};
	char found[32] = "";
	char hex[2 * sizeof(golden.bytes) + 1] = "";
	unsigned byte;

	assert_non_null(file);
	while (strcmp(found, name) != 0)
		assert_int_equal(fscanf(file, "%31s %1024s", found, hex), 2);
	fclose(file);
	for (const char *at = hex; sscanf(at, "%2x", &byte) == 1; at += 2)
		golden.bytes[golden.len++] = (char)byte;
	return golden;
}

/* The request is copied to memory of just its size, for the address sanitizer. */
static enum rpc_code call(
	const char *path, const char *bytes, size_t len, struct buf *reply, char *message)
{
	const struct rpc_method *method = rpc_find(slice_of(path));
	char *copy = malloc(len);
	enum rpc_code code;

	assert_non_null(method);
	if (len > 0)
		memcpy(copy, bytes, len);
	message[0] = '\0';
	code = method->call(&data, (struct slice){copy, len}, reply, message);
	free(copy);
	return code;
}

static void check_golden(const char *path, const char *request, const char *reply)
{
	struct golden asked = golden(request);
	struct golden expected = golden(reply);
	char message[RPC_MESSAGE_MAX];
	struct buf out = {0};

	buf_append(&out, "before", 6);
	assert_int_equal(call(path, asked.bytes, asked.len, &out, message), RPC_OK);
	assert_int_equal(buf_len(&out), 6 + expected.len);
	assert_memory_equal(buf_head(&out), "before", 6);
	assert_memory_equal(buf_head(&out) + 6, expected.bytes, expected.len);
	buf_free(&out);
}

static void test_bytes_are_those_of_python(void **state)
{
	(void)state;
	check_golden(FIND_ONE, "find_one", "find_one_reply");
	check_golden(PUBLISH, "publish", "publish_reply");
	check_golden(PUBLISH, "publish_nothing", "publish_nothing_reply");
	check_golden(ECHO, "echo", "echo_reply");
	check_golden(GET_CITIES, "publish_nothing", "cities_reply");
}

static void test_find_one_is_the_record(void **state)
{
	char message[RPC_MESSAGE_MAX];
	struct app_package package;
	Unpkg__FindOneResponse *reply;
	struct buf out = {0};

	(void)state;
	app_find_one("koa-suit", &package);
	assert_int_equal(call(FIND_ONE, "\n\x08koa-suit", 10, &out, message), RPC_OK);
	reply = unpkg__find_one_response__unpack(
		NULL, buf_len(&out), (const uint8_t *)buf_head(&out));
	assert_non_null(reply);
	assert_string_equal(reply->name, package.name);
	assert_string_equal(reply->version, package.version);
	assert_string_equal(reply->description, package.description);
	assert_string_equal(reply->main, package.main);
	assert_string_equal(reply->repository->type, package.repository.type);
	assert_string_equal(reply->repository->url, package.repository.url);
	assert_string_equal(reply->author, package.author);
	assert_string_equal(reply->license, package.license);
	unpkg__find_one_response__free_unpacked(reply, NULL);
	buf_free(&out);
}

static void check_refused(const char *path, const char *bytes, size_t len, const char *expected)
{
	char message[RPC_MESSAGE_MAX];
	struct buf out = {0};

	assert_int_equal(call(path, bytes, len, &out, message), RPC_INVALID_ARGUMENT);
	assert_string_equal(message, expected);
	assert_int_equal(buf_len(&out), 0);
	buf_free(&out);
}

static void test_refuses_what_does_not_decode(void **state)
{
	static const struct {
		const char *bytes;
		size_t len;
	} broken[] = {
		{"\n\x09koa-suit", 10},            /* a byte is missing */
		{"\n", 1},                         /* no length */
		{"\n\xff\xff\xff\xff\xff\xff", 7}, /* a length without end */
		{"\x0b", 1},                       /* a group */
		{"\x08\x01", 2},                   /* name as a number */
		{"\n\x02\xc3(", 4},                /* not UTF-8 from here on */
		{"\n\x01\xc3", 3},                 /* */
		{"\n\x01\x80", 3},                 /* */
		{"\n\x02\xc0\x80", 4},             /* */
		{"\n\x03\xe0\x80\x80", 5},         /* */
		{"\n\x03\xed\xa0\x80", 5},         /* */
		{"\n\x03\xe2\x82 ", 5},            /* */
		{"\n\x04\xf0\x80\x80\x80", 6},     /* */
		{"\n\x04\xf4\x90\x80\x80", 6},     /* */
		{"\n\x04\xf5\x80\x80\x80", 6},     /* */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(broken) / sizeof(broken[0]); i++) {
		const char *bytes = broken[i].bytes;
		size_t len = broken[i].len;

		check_refused(FIND_ONE, bytes, len, "the request is no unpkg.FindOneRequest");
		check_refused(PUBLISH, bytes, len, "the request is no unpkg.PublishRequest");
		check_refused(ECHO, bytes, len, "the request is no echo.CallRequest");
	}
	check_refused(GET_CITIES, "\n\x09koa-suit", 10, "the request is no google.protobuf.Empty");
}

/* Unknown fields are skipped, but a flood of them would take twenty times its bytes. */
static void test_unknown_fields_are_bounded(void **state)
{
	enum { FLOOD = 4 << 20 };
	char message[RPC_MESSAGE_MAX];
	char *flood = malloc(FLOOD);
	struct buf out = {0};

	(void)state;
	assert_int_equal(
		call(FIND_ONE, "\x78\x01\n\x01k\x82\x01\x02uv", 10, &out, message), RPC_OK);
	buf_free(&out);
	assert_non_null(flood);
	memset(flood, 0x78, FLOOD); /* each two bytes: field 15 is 120 */
	check_refused(FIND_ONE, flood, FLOOD, "the request is no unpkg.FindOneRequest");
	free(flood);
}

static void test_long_names(void **state)
{
	char request[8003] = "\n\xc0\x3e"; /* 8000 bytes follow */
	char message[RPC_MESSAGE_MAX];
	struct buf out = {0};

	(void)state;
	memset(request + 3, 'a', 8000);
	assert_int_equal(call(PUBLISH, request, sizeof(request), &out, message), RPC_OK);
	assert_int_equal(buf_head(&out)[1], 1);
	buf_free(&out);
}

static void test_echo(void **state)
{
	char message[RPC_MESSAGE_MAX];
	struct buf a = {0};
	struct buf b = {0};

	(void)state;
	assert_int_equal(call(ECHO,
				 "\n\x05"
				 "error",
				 7, &a, message),
		RPC_INTERNAL);
	assert_string_equal(message, "asked to fail");
	assert_int_equal(buf_len(&a), 0);
	assert_int_equal(call(ECHO,
				 "\n\x06"
				 "32byte",
				 8, &a, message),
		RPC_OK);
	assert_int_equal(call(ECHO,
				 "\n\x06"
				 "32byte",
				 8, &b, message),
		RPC_OK);
	assert_int_equal(buf_len(&a), 34);
	assert_int_equal(buf_len(&b), 34);
	assert_memory_equal(buf_head(&a), "\x12\x20", 2);
	assert_memory_not_equal(buf_head(&a), buf_head(&b), 34);
	buf_free(&a);
	buf_free(&b);
}

static void test_without_cities(void **state)
{
	const struct rpc_data none = {0};
	char message[RPC_MESSAGE_MAX];
	struct buf out = {0};

	(void)state;
	assert_int_equal(
		rpc_find(slice_of(GET_CITIES))->call(&none, (struct slice){0}, &out, message),
		RPC_UNIMPLEMENTED);
	assert_string_equal(message, "no cities are served here");
}

static void test_finds_by_the_whole_path(void **state)
{
	(void)state;
	assert_string_equal(rpc_find(slice_of(FIND_ONE))->path, FIND_ONE);
	assert_null(rpc_find(slice_of("/unpkg.Unpkg/FindOn")));
	assert_null(rpc_find(slice_of("/unpkg.Unpkg/FindOne2")));
	assert_null(rpc_find((struct slice){0}));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bytes_are_those_of_python),
		cmocka_unit_test(test_find_one_is_the_record),
		cmocka_unit_test(test_refuses_what_does_not_decode),
		cmocka_unit_test(test_unknown_fields_are_bounded),
		cmocka_unit_test(test_long_names),
		cmocka_unit_test(test_echo),
		cmocka_unit_test(test_without_cities),
		cmocka_unit_test(test_finds_by_the_whole_path),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
