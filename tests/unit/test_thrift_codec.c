/*
 * Golden bytes: Apache Thrift's Python library, python3-thrift 0.17.0, TBinaryProtocol,
 * TCompactProtocol and TJSONProtocol over TMemoryBuffer, sequence number 16384.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/codec/thrift_wire.h"
#include "tests/unit/codec_driver.h"
#include "tests/unit/test.h"

#define URL  "thrift://127.0.0.1:4001/UnpkgService.FindOne"
#define ARGS "{\"1\":{\"rec\":{\"1\":{\"str\":\"koa-suit\"}}}}"

struct golden {
	const char *protocol;
	bool compact;
	const char *call;
	const char *reply;
	const char *exception;
	const char *all_types;
};

static const struct golden goldens[] = {
	{
		.protocol = "binary",
		.call = "800100010000000746696e644f6e65000040000c00010b0001000000086b6f612d73756974"
			"0000",
		.reply =
			"800100020000000746696e644f6e65000040000c00000b0001000000147270632d73657276"
			"65722d62656e63686d61726b0b000200000005312e302e300c00050b000100000003676974"
			"0b00020000000175000b0007000000034d49540000",
		.exception = "800100030000000746696e644f6e65000040000b000100000018556e6b6e6f776e20"
			     "66756e6374696f6e2046696e644f6e650800020000000100",
		.all_types = "02000101030002f906012cfed4080004000111700a0005ffffff0000000000040006"
			     "3ff80000000000000b00070000000368c3a90f0008080000000200000001ffffffff"
			     "0e00090b0000000100000001730d000a080b000000010000000500000001760c000b"
			     "02000100000d000c080b000000000f000d0200000010010001000100010001000100"
			     "0100010000",
	},
	{
		.protocol = "compact",
		.compact = true,
		.call = "82218080010746696e644f6e651c18086b6f612d737569740000",
		.reply =
			"82418080010746696e644f6e650c0018147270632d7365727665722d62656e63686d61726b"
			"1805312e302e303c18036769741801750028034d49540000",
		.exception = "82618080010746696e644f6e651818556e6b6e6f776e2066756e6374696f6e20"
			     "46696e644f6e65150200",
		.all_types =
			"1113f904d804d7040508e0c50816ffffffffff3f17000000000000f83f180368c3a9"
			"192502011a1801731b01580a01761c12001b0019f1100102010201020102010201020102"
			"010200",
	},
};

#define N_GOLDENS (sizeof(goldens) / sizeof(goldens[0]))

/* A golden message as it is on the wire: framed, it has its length in front. */
struct wire {
	const struct golden *golden;
	bool framed;
};

/* All combinations of protocol and transport, by number. */
#define N_WIRES (2 * N_GOLDENS)

static struct wire wire(size_t i)
{
	return (struct wire){.golden = &goldens[i / 2], .framed = i % 2 != 0};
}

static size_t from_hex(const char *hex, char *out)
{
	size_t n = strlen(hex) / 2;

	for (size_t i = 0; i < n; i++) {
		char pair[3] = {hex[2 * i], hex[2 * i + 1], '\0'};

		out[i] = (char)strtoul(pair, NULL, 16);
	}
	return n;
}

/* Writes a message with sequence number @seqid. Return: its length. */
static size_t wire_message(struct wire w, const char *hex, int32_t seqid, char *out)
{
	size_t start = w.framed ? 4 : 0;
	size_t n = from_hex(hex, out + start);

	if (w.framed)
		memcpy(out, (char[]){0, 0, 0, (char)n}, 4);
	/* Behind two bytes in compact messages, behind version, length and "FindOne" else. */
	thrift_put_seqid(out + start + (w.golden->compact ? 2 : 15), w.golden->compact, seqid);
	return start + n;
}

static struct driver *open_url(const char *query)
{
	struct driver *d;
	char url[128];

	snprintf(url, sizeof(url), "%s%s", URL, query);
	d = driver_new(url);
	d->params.body = slice_of(ARGS);
	assert_int_equal(driver_open(d, 4), 0);
	return d;
}

static struct driver *open_wire(struct wire w)
{
	char query[64];

	snprintf(query, sizeof(query), "?protocol=%s&transport=%s", w.golden->protocol,
		w.framed ? "framed" : "buffered");
	return open_url(query);
}

static void test_calls(void **state)
{
	char expected[512];

	(void)state;
	for (size_t i = 0; i < N_WIRES; i++) {
		struct driver *d = open_wire(wire(i));
		struct slice bytes = driver_submit(d, 2);
		size_t n = wire_message(wire(i), wire(i).golden->call, 16384, expected);

		n += wire_message(wire(i), wire(i).golden->call, 16385, expected + n);
		assert_int_equal(bytes.len, n);
		assert_memory_equal(bytes.data, expected, n);
		driver_free(d);
	}
}

static void test_arguments_of_every_type(void **state)
{
	static const char text[] =
		"{\"1\":{\"tf\":1},\"2\":{\"i8\":-7},\"300\":{\"i16\":-300},\"4\":{\"i32\":70000},"
		"\"5\":{\"i64\":-1099511627776},\"6\":{\"dbl\":1.5},\"7\":{\"str\":\"h\xc3\xa9\"},"
		"\"8\":{\"lst\":[\"i32\",2,1,-1]},\"9\":{\"set\":[\"str\",1,\"s\"]},"
		"\"10\":{\"map\":[\"i32\",\"str\",1,{\"5\":\"v\"}]},\"11\":{\"rec\":{\"1\":{\"tf\":"
		"0}}},"
		"\"12\":{\"map\":[\"i32\",\"str\",0,{}]},"
		"\"13\":{\"lst\":[\"tf\",16,1,0,1,0,1,0,1,0,1,0,1,0,1,0,1,0]}}";
	char expected[512];

	(void)state;
	for (size_t i = 0; i < N_GOLDENS; i++) {
		struct buf out = {0};
		size_t at = 0;
		size_t n;

		n = from_hex(goldens[i].all_types, expected);
		assert_int_equal(
			thrift_write_args(&out, goldens[i].compact, text, strlen(text)), 0);
		assert_int_equal(buf_len(&out), n);
		assert_memory_equal(buf_head(&out), expected, n);
		assert_int_equal(
			thrift_skip_struct(expected, n, goldens[i].compact, &at), THRIFT_WHOLE);
		assert_int_equal(at, n);
		for (size_t cut = 0; cut < n; cut++) {
			at = 0;
			assert_int_equal(thrift_skip_struct(expected, cut, goldens[i].compact, &at),
				THRIFT_PARTIAL);
		}
		buf_free(&out);
	}
}

static void test_bad_arguments_are_refused(void **state)
{
	static const char *const bad[] = {"[", "[]", "{\"x\":{\"i32\":1}}", "{\"1\":1}",
		"{\"1\":{\"int\":1}}", "{\"1\":{\"i8\":128}}", "{\"1\":{\"i32\":1.5}}",
		"{\"1\":{\"str\":1}}", "{\"70000\":{\"i32\":1}}", "{\"1\":{\"lst\":[\"i32\",2,1]}}",
		"{\"1\":{\"map\":[\"i32\",\"str\",1,{\"x\":\"v\"}]}}", "{\"1\":{\"tf\":true}}",
		"{\"1\":{\"i32\":1,\"i64\":1}}", "{\"1\":{\"i32\":1},\"1\":{\"i32\":1}}"};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		for (int compact = 0; compact < 2; compact++) {
			struct buf out = {0};

			assert_int_equal(
				thrift_write_args(&out, compact != 0, bad[i], strlen(bad[i])), -1);
			buf_free(&out);
		}
}

/* Two replies and then an exception, in pieces of every size. */
static void test_replies_in_pieces(void **state)
{
	(void)state;
	for (size_t i = 0; i < N_WIRES; i++) {
		const struct golden *g = wire(i).golden;
		char bytes[1024];
		char expected[128];
		size_t n = wire_message(wire(i), g->reply, 16384, bytes);
		size_t total = n + wire_message(wire(i), g->reply, 16385, bytes + n);
		size_t exception = wire_message(wire(i), g->exception, 16386, bytes + total);

		total += exception;
		snprintf(expected, sizeof(expected), "ok 0 %zu; ok 0 %zu; thrift_exception 0 %zu; ",
			n, n, exception);
		for (size_t piece = 1; piece <= total; piece++) {
			struct driver *d = open_wire(wire(i));

			driver_submit(d, 3);
			assert_string_equal(driver_feed(d, bytes, total, piece), expected);
			driver_free(d);
		}
	}
}

/* A flipped bit anywhere must never count as a good reply, but for the byte of the binary
 * protocol's version that its specification leaves unused. */
static void test_no_changed_reply_is_good(void **state)
{
	(void)state;
	for (size_t i = 0; i < N_WIRES; i++) {
		char bytes[512];
		size_t n = wire_message(wire(i), wire(i).golden->reply, 16384, bytes);
		size_t unused = (wire(i).framed ? 4 : 0) + 2;

		for (size_t bit = 0; bit < 8 * n; bit++) {
			struct driver *d = open_wire(wire(i));
			char copy[512];

			driver_submit(d, 1);
			driver_feed(d, bytes, n, SIZE_MAX);
			driver_reopen(d);
			driver_submit(d, 1);
			memcpy(copy, bytes, n);
			copy[bit / 8] = (char)(copy[bit / 8] ^ 1 << bit % 8);
			if (wire(i).golden->compact || bit / 8 != unused)
				assert_null(strstr(driver_feed(d, copy, n, SIZE_MAX), "ok"));
			driver_free(d);
		}
	}
}

struct wrong {
	const char *what;
	const char *query;
	const char *hex;
	const char *events;
};

static const struct wrong wrongs[] = {
	{"wrong sequence number", "", "800100020000000746696e644f6e650000400100", "thrift_seqid"},
	{"wrong name", "", "800100020000000746696e644f6e640000400000", "protocol"},
	{"a call", "", "800100010000000746696e644f6e650000400000", "protocol"},
	{"not strict", "", "0000000746696e644f6e65020000400000", "protocol"},
	{"name beyond bounds", "", "8001000200100000", "protocol"},
	{"negative name length", "", "80010002ffffffff", "protocol"},
	{"unknown field type", "", "800100020000000746696e644f6e65000040000100010b", "protocol"},
	{"negative string", "", "800100020000000746696e644f6e65000040000b0000ffffffff", "protocol"},
	{"HTTP", "", "485454502f312e312034303020426164", "protocol"},
	{"empty frame", "?transport=framed", "00000000", "thrift_frame"},
	{"frame beyond bounds", "?transport=framed", "7fffffff", "thrift_frame"},
	{"frame longer than its message", "?transport=framed",
		"00000015800100020000000746696e644f6e65000040000000", "thrift_frame"},
	{"frame shorter than its message", "?transport=framed",
		"00000013800100020000000746696e644f6e65000040000b", "thrift_frame"},
	{"compact version", "?protocol=compact", "8242", "protocol"},
	{"compact endless varint", "?protocol=compact", "8241ffffffffffffffffffffff", "protocol"},
	{"declared exception", "", "800100020000000746696e644f6e65000040000c0001000000",
		"thrift_exception 0 24; unexpected_reply"},
};

static void test_wrong_replies(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(wrongs) / sizeof(wrongs[0]); i++) {
		struct driver *d = open_url(wrongs[i].query);
		char bytes[128];
		size_t n = from_hex(wrongs[i].hex, bytes);
		const char *events;

		driver_submit(d, 1);
		events = driver_feed(d, bytes, n, SIZE_MAX);
		if (strcmp(events, wrongs[i].events) != 0)
			fail_msg("%s: got '%s', expected '%s'", wrongs[i].what, events,
				wrongs[i].events);
		driver_free(d);
	}
}

/* Lists within lists: deeper than any library goes. */
static void test_depth_is_bounded(void **state)
{
	static const char field[] = {THRIFT_LIST, 0, 0};
	static const char list[] = {THRIFT_LIST, 0, 0, 0, 1};
	char bytes[8192];
	size_t n = 0;
	size_t at = 0;

	(void)state;
	memcpy(bytes, field, sizeof(field));
	for (n = sizeof(field); n + sizeof(list) <= sizeof(bytes); n += sizeof(list))
		memcpy(bytes + n, list, sizeof(list));
	assert_int_equal(thrift_skip_struct(bytes, n, false, &at), THRIFT_BROKEN);
}

static void test_bad_urls(void **state)
{
	static const char *const bad[] = {"thrift://127.0.0.1:1/FindOne",
		"thrift://127.0.0.1:1/.FindOne", "thrift://127.0.0.1:1/A.",
		"thrift://127.0.0.1:1/A.b?protocol=json",
		"thrift://127.0.0.1:1/A.b?transport=framed&x=1", "thrift://127.0.0.1:1/A/B.c"};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct driver *d = driver_new(bad[i]);

		assert_int_equal(driver_open(d, 1), -1);
		driver_free(d);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_calls),
		cmocka_unit_test(test_arguments_of_every_type),
		cmocka_unit_test(test_bad_arguments_are_refused),
		cmocka_unit_test(test_replies_in_pieces),
		cmocka_unit_test(test_no_changed_reply_is_good),
		cmocka_unit_test(test_wrong_replies),
		cmocka_unit_test(test_depth_is_bounded),
		cmocka_unit_test(test_bad_urls),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
