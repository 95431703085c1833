#include <stdlib.h>
#include <string.h>

#include "lib/buf.h"
#include "servers/common/thrift_end.h"
#include "tests/unit/thrift_golden.h"

#define LIMIT (16u << 20)

static const char *const files[] = {"python.txt", "node.txt"};

/* Calls @check with each message that a server may get, of each library. */
static void for_each_request(void (*check)(const struct golden *, enum thrift_encoding))
{
	size_t checked = 0;

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		FILE *file = golden_open(files[i]);
		struct golden golden;

		while (golden_next(file, &golden)) {
			if (strstr(golden.name, "reply") != NULL)
				continue;
			check(&golden, golden.encoding[0] == 'c' ? THRIFT_COMPACT : THRIFT_BINARY);
			checked++;
		}
		fclose(file);
	}
	assert_int_equal(checked, 13);
}

static void check_whole(const struct golden *golden, enum thrift_encoding encoding)
{
	struct thrift_end end;
	char data[2 * sizeof(golden->data)];

	memcpy(data, golden->data, golden->len);
	memcpy(data + golden->len, golden->data, golden->len);
	for (int times = 1; times <= 2; times++) {
		thrift_end_begin(&end, encoding, LIMIT);
		assert_int_equal(
			thrift_end_find(&end, data, (size_t)times * golden->len), THRIFT_END);
		assert_int_equal(end.pos, golden->len);
	}
	/* The limit is the length of the message. */
	thrift_end_begin(&end, encoding, golden->len);
	assert_int_equal(thrift_end_find(&end, data, sizeof(data)), THRIFT_END);
	for (size_t limit = 0; limit < golden->len; limit++) {
		thrift_end_begin(&end, encoding, limit);
		assert_int_equal(thrift_end_find(&end, data, 2 * golden->len), THRIFT_BAD);
		thrift_end_begin(&end, encoding, limit);
		assert_int_equal(thrift_end_find(&end, data, limit), THRIFT_BAD);
	}
}

static void test_golden_whole(void **state)
{
	(void)state;
	for_each_request(check_whole);
}

/* What was walked is spoiled, so that reading it again would show; so memory is exactly as long
 * as what is here, so that reading past it would. */
static void check_in_pieces(const struct golden *golden, enum thrift_encoding encoding)
{
	for (size_t piece = 1; piece <= 9; piece++) {
		struct thrift_end end;
		enum thrift_found found = THRIFT_MORE;
		char walked[sizeof(golden->data)];
		size_t len = 0;

		memcpy(walked, golden->data, golden->len);
		thrift_end_begin(&end, encoding, LIMIT);
		while (len < golden->len) {
			char *data;

			assert_int_equal(found, THRIFT_MORE);
			len = len + piece < golden->len ? len + piece : golden->len;
			data = malloc(len);
			assert_non_null(data);
			memcpy(data, walked, len);
			found = thrift_end_find(&end, data, len);
			free(data);
			memset(walked, 0xff, end.pos < len ? end.pos : len);
		}
		assert_int_equal(found, THRIFT_END);
		assert_int_equal(end.pos, golden->len);
	}
}

static void test_golden_in_pieces(void **state)
{
	(void)state;
	for_each_request(check_in_pieces);
}

static void test_heads(void **state)
{
	static const char *const encodings[] = {"binary", "old", "compact"};
	struct golden golden;
	struct thrift_end end;

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		enum thrift_encoding encoding = i == 2 ? THRIFT_COMPACT : THRIFT_BINARY;

		golden_get(encodings[i], "publish", &golden);
		thrift_end_begin(&end, encoding, LIMIT);
		assert_int_equal(thrift_end_find(&end, golden.data, golden.len), THRIFT_END);
		assert_int_equal(end.head.type, THRIFT_CALL);
		assert_int_equal(end.head.seqid, -1);
		assert_string_equal(end.head.name, "Publish");
		golden_get(encodings[i], "all_types", &golden);
		thrift_end_begin(&end, encoding, LIMIT);
		assert_int_equal(thrift_end_find(&end, golden.data, golden.len), THRIFT_END);
		assert_int_equal(end.head.type, THRIFT_ONEWAY);
		assert_int_equal(end.head.seqid, INT32_MAX);
		assert_string_equal(end.head.name, "Any");
	}
}

/* The walk over a head followed by @tail. */
static enum thrift_found walk(
	enum thrift_encoding encoding, const void *tail, size_t len, struct thrift_end *end)
{
	static const char binary[] = {'\x80', 1, 0, 1, 0, 0, 0, 1, 'x', 0, 0, 0, 1};
	static const char compact[] = {'\x82', '\x21', 1, 1, 'x'};
	struct thrift_end own;
	struct buf data = {0};
	enum thrift_found found;

	if (end == NULL)
		end = &own;
	if (encoding == THRIFT_BINARY)
		assert_int_equal(buf_append(&data, binary, sizeof(binary)), 0);
	else
		assert_int_equal(buf_append(&data, compact, sizeof(compact)), 0);
	assert_int_equal(buf_append(&data, tail, len), 0);
	thrift_end_begin(end, encoding, LIMIT);
	found = thrift_end_find(end, buf_head(&data), buf_len(&data));
	buf_free(&data);
	return found;
}

#define WALK(encoding, tail) walk(encoding, tail, sizeof(tail) - 1, NULL)

static void test_binary_bad_values(void **state)
{
	static const unsigned char bad_types[] = {1, 5, 7, 9, 16, 17, 127, 128, 255};

	(void)state;
	for (size_t i = 0; i < sizeof(bad_types); i++) {
		char field[] = {(char)bad_types[i], 0, 1};
		char list[] = {15, 0, 1, (char)bad_types[i], 0, 0, 0, 0};
		char map[] = {13, 0, 1, 11, (char)bad_types[i], 0, 0, 0, 0};

		assert_int_equal(walk(THRIFT_BINARY, field, sizeof(field), NULL), THRIFT_BAD);
		assert_int_equal(walk(THRIFT_BINARY, list, sizeof(list), NULL), THRIFT_BAD);
		assert_int_equal(walk(THRIFT_BINARY, map, sizeof(map), NULL), THRIFT_BAD);
	}
	/* Negative lengths and counts; those over the limit. */
	assert_int_equal(WALK(THRIFT_BINARY, "\x0b\0\1\xff\xff\xff\xff"), THRIFT_BAD);
	assert_int_equal(WALK(THRIFT_BINARY, "\x0b\0\1\x80\0\0\0"), THRIFT_BAD);
	assert_int_equal(WALK(THRIFT_BINARY, "\x0b\0\1\x7f\xff\xff\xff"), THRIFT_BAD);
	assert_int_equal(WALK(THRIFT_BINARY, "\x0b\0\1\1\0\0\0"), THRIFT_BAD);
	assert_int_equal(WALK(THRIFT_BINARY, "\x0f\0\1\x0b\xff\xff\xff\xff"), THRIFT_BAD);
	assert_int_equal(WALK(THRIFT_BINARY, "\x0f\0\1\x0b\x7f\xff\xff\xff"), THRIFT_BAD);
	assert_int_equal(WALK(THRIFT_BINARY, "\x0f\0\1\x0a\x7f\xff\xff\xff"), THRIFT_BAD);
	assert_int_equal(WALK(THRIFT_BINARY, "\x0e\0\1\x0c\x01\0\0\0"), THRIFT_BAD);
	assert_int_equal(WALK(THRIFT_BINARY, "\x0d\0\1\x0c\x0b\x80\0\0\0"), THRIFT_BAD);
	assert_int_equal(WALK(THRIFT_BINARY, "\x0d\0\1\x0c\x0b\0\x80\0\0"), THRIFT_BAD);
	assert_int_equal(WALK(THRIFT_BINARY, "\x0d\0\1\x0a\x0a\x7f\xff\xff\xff"), THRIFT_BAD);
}

static void test_compact_bad_values(void **state)
{
	(void)state;
	for (int type = 13; type <= 15; type++) {
		char field[] = {(char)(0x10 | type)};
		char list[] = {0x19, (char)type};
		char map[] = {0x1b, 1, (char)(0x10 | type)};

		assert_int_equal(walk(THRIFT_COMPACT, field, sizeof(field), NULL), THRIFT_BAD);
		assert_int_equal(walk(THRIFT_COMPACT, list, sizeof(list), NULL), THRIFT_BAD);
		assert_int_equal(walk(THRIFT_COMPACT, map, sizeof(map), NULL), THRIFT_BAD);
	}
	assert_int_equal(WALK(THRIFT_COMPACT, "\x19\x10"), THRIFT_BAD);
	assert_int_equal(WALK(THRIFT_COMPACT, "\x1b\1\1"), THRIFT_BAD);
	/* Lengths and counts that are negative in 32 bits, do not fit, or are over the limit. */
	assert_int_equal(WALK(THRIFT_COMPACT, "\x18\xff\xff\xff\xff\x0f"), THRIFT_BAD);
	assert_int_equal(WALK(THRIFT_COMPACT, "\x18\x85\x80\x80\x80\x80\1"), THRIFT_BAD);
	assert_int_equal(WALK(THRIFT_COMPACT, "\x18\xff\xff\xff\xff\x07"), THRIFT_BAD);
	assert_int_equal(WALK(THRIFT_COMPACT, "\x19\xf8\xff\xff\xff\xff\x0f"), THRIFT_BAD);
	assert_int_equal(WALK(THRIFT_COMPACT, "\x19\xfc\xff\xff\xff\xff\x07"), THRIFT_BAD);
	assert_int_equal(WALK(THRIFT_COMPACT, "\x19\xf7\xff\xff\xff\xff\x07"), THRIFT_BAD);
	assert_int_equal(WALK(THRIFT_COMPACT, "\x1b\xff\xff\xff\xff\x07\xcc"), THRIFT_BAD);
	assert_int_equal(WALK(THRIFT_COMPACT, "\x1b\xff\xff\xff\xff\x07\x77"), THRIFT_BAD);
	/* 2^61 elements of 8 bytes. */
	assert_int_equal(
		WALK(THRIFT_COMPACT, "\x19\xf7\x80\x80\x80\x80\x80\x80\x80\x80\x20"), THRIFT_BAD);
	/* Varints have at most 10 bytes. */
	assert_int_equal(
		WALK(THRIFT_COMPACT, "\x16\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01\0"), THRIFT_END);
	assert_int_equal(
		WALK(THRIFT_COMPACT, "\x16\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80"), THRIFT_BAD);
}

static void test_heads_that_are_no_requests(void **state)
{
	static const struct {
		enum thrift_encoding encoding;
		size_t len;
		const char *data;
	} bad[] = {
		{THRIFT_BINARY, 4, "\x80\1\0\2"},
		{THRIFT_BINARY, 4, "\x80\1\0\3"},
		{THRIFT_BINARY, 4, "\x80\1\0\0"},
		{THRIFT_BINARY, 4, "\x80\1\0\5"},
		{THRIFT_BINARY, 4, "\x80\2\0\1"},
		{THRIFT_BINARY, 4, "\x81\1\0\1"},
		{THRIFT_BINARY, 4, "\xff\xff\xff\xff"},
		{THRIFT_BINARY, 4, "GET "},
		{THRIFT_BINARY, 4, "\0\0\0\0"},
		{THRIFT_BINARY, 4, "\0\0\1\0"},
		{THRIFT_BINARY, 8, "\x80\1\0\1\0\0\1\0"},
		{THRIFT_BINARY, 8, "\x80\1\0\1\xff\xff\xff\xff"},
		{THRIFT_BINARY, 8, "\x80\1\0\1\0\0\0\0"},
		{THRIFT_BINARY, 10, "\x80\1\0\1\0\0\0\2x\0"},
		{THRIFT_BINARY, 6, "\0\0\0\1x\2"},
		{THRIFT_COMPACT, 2, "\x83\x21"},
		{THRIFT_COMPACT, 2, "\x82\x22"},
		{THRIFT_COMPACT, 2, "\x82\x41"},
		{THRIFT_COMPACT, 2, "\x82\x01"},
		{THRIFT_COMPACT, 2, "\x82\xe1"},
		{THRIFT_COMPACT, 4, "\x82\x21\1\0"},
		{THRIFT_COMPACT, 5, "\x82\x21\1\x80\2"},
		{THRIFT_COMPACT, 5, "\x82\x21\1\1\0"},
		{THRIFT_COMPACT, 12, "\x82\x21\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct thrift_end end;

		thrift_end_begin(&end, bad[i].encoding, LIMIT);
		assert_int_equal(thrift_end_find(&end, bad[i].data, bad[i].len), THRIFT_BAD);
	}
}

/* @open begins a level inside the present one; @close ends each. */
static void check_depth(enum thrift_encoding encoding, const char *open, size_t open_len,
	const char *close, size_t close_len)
{
	for (int levels = 62; levels <= 65; levels++) {
		struct buf data = {0};

		for (int i = 0; i < levels; i++)
			assert_int_equal(buf_append(&data, open, open_len), 0);
		for (int i = 0; i < levels; i++)
			assert_int_equal(buf_append(&data, close, close_len), 0);
		assert_int_equal(buf_append(&data, "", 1), 0);
		assert_int_equal(walk(encoding, buf_head(&data), buf_len(&data), NULL),
			levels < THRIFT_DEPTH_MAX ? THRIFT_END : THRIFT_BAD);
		buf_free(&data);
	}
}

static void test_depth(void **state)
{
	/* A list of a list of … opens with the list as field, then one element each. */
	static const char field[] = {0x0f, 0, 1};
	static const char list[] = {0x0f, 0, 0, 0, 1};
	char lists[sizeof(field) + 100 * sizeof(list)];

	(void)state;
	check_depth(THRIFT_BINARY, "\x0c\0\1", 3, "", 1);
	check_depth(THRIFT_COMPACT, "\x1c", 1, "", 1);
	memcpy(lists, field, sizeof(field));
	for (size_t i = 0; i < 100; i++)
		memcpy(lists + sizeof(field) + i * sizeof(list), list, sizeof(list));
	assert_int_equal(walk(THRIFT_BINARY, lists, sizeof(lists), NULL), THRIFT_BAD);
	memset(lists, 0x19, sizeof(lists));
	assert_int_equal(walk(THRIFT_COMPACT, lists, sizeof(lists), NULL), THRIFT_BAD);
}

/* Strings and containers of fixed-size elements are passed over at once. */
static void test_runs_ahead(void **state)
{
	struct thrift_end end;

	(void)state;
	assert_int_equal(walk(THRIFT_BINARY, "\x0b\0\1\0\x10\0\0", 7, &end), THRIFT_MORE);
	assert_int_equal(end.pos, 13 + 7 + 0x100000);
	assert_int_equal(walk(THRIFT_BINARY, "\x0f\0\1\x0a\0\x10\0\0", 8, &end), THRIFT_MORE);
	assert_int_equal(end.pos, 13 + 8 + 8 * 0x100000);
	assert_int_equal(walk(THRIFT_BINARY, "\x0d\0\1\x03\x06\0\x10\0\0", 9, &end), THRIFT_MORE);
	assert_int_equal(end.pos, 13 + 9 + 3 * 0x100000);
	assert_int_equal(walk(THRIFT_COMPACT, "\x18\x80\x80\x40", 4, &end), THRIFT_MORE);
	assert_int_equal(end.pos, 5 + 4 + 0x100000);
	assert_int_equal(walk(THRIFT_COMPACT, "\x19\xf7\x80\x80\x40", 5, &end), THRIFT_MORE);
	assert_int_equal(end.pos, 5 + 5 + 8 * 0x100000);
	/* Empty containers need no elements' types to end. */
	assert_int_equal(WALK(THRIFT_BINARY, "\x0f\0\1\x0c\0\0\0\0\0"), THRIFT_END);
	assert_int_equal(WALK(THRIFT_COMPACT, "\x1b\0\0"), THRIFT_END);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_golden_whole),
		cmocka_unit_test(test_golden_in_pieces),
		cmocka_unit_test(test_heads),
		cmocka_unit_test(test_binary_bad_values),
		cmocka_unit_test(test_compact_bad_values),
		cmocka_unit_test(test_heads_that_are_no_requests),
		cmocka_unit_test(test_depth),
		cmocka_unit_test(test_runs_ahead),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
