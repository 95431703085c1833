#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/codec/h2_frame.h"
#include "tests/unit/codec_driver.h"
#include "tests/unit/h2_peer.h"
#include "tests/unit/test.h"

#define H2C  "h2c://127.0.0.1:8080/a?b=c"
#define GRPC "grpc://127.0.0.1:50051/unpkg.Unpkg/FindOne"

/* A message of two bytes behind its prefix. */
static const struct slice message = {.data = "\0\0\0\0\2hi", .len = 7};

/* Goes back and forth until both sides are silent; the reply in pieces of @piece bytes. */
static const char *converse(struct driver *d, struct h2_peer *p, unsigned requests, size_t piece)
{
	struct slice bytes = driver_submit(d, requests);
	const char *events = "";

	for (int turn = 0; turn < 10000; turn++) {
		h2_peer_feed(p, bytes);
		bytes = h2_peer_take(p);
		if (bytes.len == 0)
			break;
		events = driver_feed(d, bytes.data, bytes.len, piece);
		bytes = driver_submit(d, 0);
	}
	return events;
}

/* How often @word occurs in @text. */
static unsigned count(const char *text, const char *word)
{
	unsigned n = 0;

	for (; (text = strstr(text, word)) != NULL; text += strlen(word))
		n++;
	return n;
}

/* Eight requests over a connection of eight slots: how many end as @expected. */
static void expect_all(const char *url, struct h2_peer *p, const char *expected, size_t piece)
{
	struct driver *d = driver_new(url);
	const char *events;

	d->params.expect_body = slice_of("hi");
	d->params.body = slice_of("request");
	assert_int_equal(driver_open(d, 8), 0);
	h2_peer_open(p);
	events = converse(d, p, 8, piece);
	if (count(events, expected) != 8 || p->requests != 8 || p->failed)
		fail_msg("%s in pieces of %zu: '%s' after %u requests", url, piece, events,
			p->requests);
	driver_free(d);
	h2_peer_close(p);
}

static void test_replies_in_pieces(void **state)
{
	static const size_t pieces[] = {1, 2, 3, 5, 8, 9, 10, 13, 64, SIZE_MAX};

	(void)state;
	for (size_t i = 0; i < sizeof(pieces) / sizeof(pieces[0]); i++) {
		struct h2_peer plain = {.body = slice_of("hi"), .table_size = UINT32_MAX};
		struct h2_peer wrong = {.body = slice_of("ho"), .table_size = UINT32_MAX};
		struct h2_peer error = {
			.body = slice_of("no"), .status = "503", .table_size = UINT32_MAX};
		struct h2_peer grpc = {
			.body = message, .grpc_status = "0", .table_size = UINT32_MAX};
		struct h2_peer denied = {
			.grpc_status = "7", .body = slice_of(""), .table_size = UINT32_MAX};
		struct h2_peer lacking = {.body = message, .table_size = UINT32_MAX};

		expect_all(H2C, &plain, "ok 200", pieces[i]);
		assert_string_equal(plain.path, "/a?b=c");
		assert_string_equal(plain.authority, "127.0.0.1:8080");
		assert_int_equal(plain.body_bytes, 8 * strlen("request"));
		expect_all(H2C, &wrong, "mismatch 200", pieces[i]);
		expect_all(H2C, &error, "status 503", pieces[i]);
		expect_all(GRPC, &grpc, "ok 0", pieces[i]);
		assert_string_equal(grpc.path, "/unpkg.Unpkg/FindOne");
		assert_int_equal(grpc.body_bytes, 8 * (5 + strlen("request")));
		expect_all(GRPC, &denied, "grpc 7", pieces[i]);
		expect_all(GRPC, &lacking, "protocol 0", pieces[i]);
	}
}

static void test_padding_continuation_and_interim_replies(void **state)
{
	char *filler = malloc(40001);
	struct h2_peer p = {.body = message,
		.grpc_status = "0",
		.padding = 11,
		.interim = true,
		.table_size = UINT32_MAX};

	(void)state;
	memset(filler, 'f', 40000);
	filler[40000] = '\0';
	p.filler = filler;
	expect_all(GRPC, &p, "ok 0", SIZE_MAX);
	p = (struct h2_peer){.body = message,
		.grpc_status = "0",
		.padding = 11,
		.interim = true,
		.filler = filler,
		.table_size = UINT32_MAX};
	expect_all(GRPC, &p, "ok 0", 7);
	free(filler);
}

/* The peer keeps no header table: literals each time, announced once. */
static void test_small_header_table(void **state)
{
	struct h2_peer p = {.body = message, .grpc_status = "0", .table_size = 0};
	struct driver *d = driver_new(GRPC);

	(void)state;
	assert_int_equal(driver_open(d, 4), 0);
	h2_peer_open(&p);
	for (int i = 0; i < 3; i++)
		assert_int_equal(count(converse(d, &p, 4, SIZE_MAX), "ok 0"), 4 * (i + 1));
	assert_false(p.failed);
	driver_free(d);
	h2_peer_close(&p);
}

static void test_limit_of_streams(void **state)
{
	struct h2_peer p = {
		.body = message, .grpc_status = "0", .max_streams = 3, .table_size = UINT32_MAX};
	struct driver *d = driver_new(GRPC);

	(void)state;
	assert_int_equal(driver_open(d, 20), 0);
	h2_peer_open(&p);
	assert_int_equal(count(converse(d, &p, 20, SIZE_MAX), "ok 0"), 20);
	assert_int_equal(p.most_at_once, 3);
	assert_false(p.failed);
	driver_free(d);
	h2_peer_close(&p);
}

/* Bodies larger than every window, in both directions. */
static void test_flow_control(void **state)
{
	enum { REQUEST = 300000, REPLY = 3 << 20 };
	char *request = calloc(1, REQUEST);
	char *reply = calloc(1, REPLY);
	struct h2_peer p = {
		.body = {.data = reply, .len = REPLY}, .window = 1000, .table_size = UINT32_MAX};
	struct driver *d = driver_new(H2C);
	const char *events;

	(void)state;
	d->params.body = (struct slice){.data = request, .len = REQUEST};
	d->params.expect_body = p.body;
	assert_int_equal(driver_open(d, 2), 0);
	h2_peer_open(&p);
	events = converse(d, &p, 2, 10000);
	assert_int_equal(count(events, "ok 200"), 2);
	assert_int_equal(p.body_bytes, 2 * REQUEST);
	assert_false(p.failed);
	driver_free(d);
	h2_peer_close(&p);
	free(request);
	free(reply);
}

/* Replies in the reverse order of the requests. */
static void test_any_order(void **state)
{
	struct h2_peer p = {
		.body = message, .grpc_status = "0", .hold = true, .table_size = UINT32_MAX};
	struct driver *d = driver_new(GRPC);

	(void)state;
	assert_int_equal(driver_open(d, 8), 0);
	h2_peer_open(&p);
	for (int i = 0; i < 3; i++) {
		converse(d, &p, 8, SIZE_MAX);
		h2_peer_reply_all(&p);
		assert_int_equal(count(converse(d, &p, 0, SIZE_MAX), "ok 0"), 8 * (i + 1));
	}
	driver_free(d);
	h2_peer_close(&p);
}

/* The server winds the connection down: what it took is answered, then the connection is used
 * up; what has no stream yet is stale. */
static void test_goaway(void **state)
{
	struct h2_peer p = {.body = message,
		.grpc_status = "0",
		.hold = true,
		.max_streams = 2,
		.table_size = UINT32_MAX};
	struct driver *d = driver_new(GRPC);
	const char *events;

	(void)state;
	assert_int_equal(driver_open(d, 5), 0);
	h2_peer_open(&p);
	converse(d, &p, 5, SIZE_MAX);
	nghttp2_submit_goaway(p.session, NGHTTP2_FLAG_NONE, 3, NGHTTP2_NO_ERROR, NULL, 0);
	events = converse(d, &p, 0, SIZE_MAX);
	assert_int_equal(count(events, "stale_connection"), 3);
	assert_int_equal(count(events, "closed"), 0);
	h2_peer_reply_all(&p);
	events = converse(d, &p, 0, SIZE_MAX);
	assert_int_equal(count(events, "ok 0"), 2);
	assert_int_equal(count(events, "closed"), 1);
	driver_free(d);
	h2_peer_close(&p);
}

static void test_reset_streams(void **state)
{
	static const struct {
		const char *url;
		uint32_t error;
		const char *event;
	} rows[] = {
		{H2C, NGHTTP2_INTERNAL_ERROR, "reset 0 0"},
		{GRPC, NGHTTP2_INTERNAL_ERROR, "grpc 13 0"},
		{GRPC, NGHTTP2_REFUSED_STREAM, "grpc 14 0"},
		{GRPC, NGHTTP2_ENHANCE_YOUR_CALM, "grpc 8 0"},
		{GRPC, NGHTTP2_CANCEL, "grpc 1 0"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct h2_peer p = {.hold = true, .table_size = UINT32_MAX};
		struct driver *d = driver_new(rows[i].url);

		assert_int_equal(driver_open(d, 1), 0);
		h2_peer_open(&p);
		converse(d, &p, 1, SIZE_MAX);
		nghttp2_submit_rst_stream(p.session, NGHTTP2_FLAG_NONE, 1, rows[i].error);
		assert_int_equal(count(converse(d, &p, 0, SIZE_MAX), rows[i].event), 1);
		driver_free(d);
		h2_peer_close(&p);
	}
}

/* One frame of a hostile server, after a good SETTINGS and with stream 1 open. */
struct hostile {
	const char *what;
	uint8_t type;
	uint8_t flags;
	uint32_t stream;
	struct slice payload;
};

#define BYTES(text)                                                                                \
	{                                                                                          \
		.data = (text), .len = sizeof(text) - 1                                            \
	}

static const struct hostile hostiles[] = {
	{"DATA before HEADERS", H2_DATA, 0, 1, BYTES("x")},
	{"DATA on stream 0", H2_DATA, 0, 0, BYTES("x")},
	{"DATA on a stream that was never opened", H2_DATA, 0, 3, BYTES("x")},
	{"DATA on an even stream", H2_DATA, 0, 2, BYTES("x")},
	{"DATA with more padding than bytes", H2_DATA, H2_PADDED, 1, BYTES("\x09x")},
	{"HEADERS on stream 0", H2_HEADERS, H2_END_HEADERS, 0, BYTES("\x88")},
	{"HEADERS that are no header block", H2_HEADERS, H2_END_HEADERS, 1, BYTES("\xff\xff\xff")},
	{"HEADERS without a status", H2_HEADERS, H2_END_HEADERS | H2_END_STREAM, 1, BYTES("")},
	{"HEADERS with :path", H2_HEADERS, H2_END_HEADERS, 1, BYTES("\x88\x84")},
	{"HEADERS too short for priority", H2_HEADERS, H2_PRIORITY_FIELDS, 1, BYTES("\x88")},
	{"an interim reply that ends the stream", H2_HEADERS, H2_END_HEADERS | H2_END_STREAM, 1,
		BYTES("\x08\x03"
		      "100")},
	{"CONTINUATION out of nowhere", H2_CONTINUATION, H2_END_HEADERS, 1, BYTES("\x88")},
	{"PUSH_PROMISE", H2_PUSH_PROMISE, H2_END_HEADERS, 1, BYTES("\0\0\0\2\x82")},
	{"SETTINGS of odd length", H2_SETTINGS, 0, 0, BYTES("\0\3\0\0\0")},
	{"SETTINGS on a stream", H2_SETTINGS, 0, 1, BYTES("")},
	{"SETTINGS with a window beyond 2^31", H2_SETTINGS, 0, 0, BYTES("\0\4\xff\xff\xff\xff")},
	{"SETTINGS with a frame size below the least", H2_SETTINGS, 0, 0, BYTES("\0\5\0\0\0\1")},
	{"PING of seven bytes", H2_PING, 0, 0, BYTES("1234567")},
	{"RST_STREAM of three bytes", H2_RST_STREAM, 0, 1, BYTES("123")},
	{"RST_STREAM of a stream that was never opened", H2_RST_STREAM, 0, 7, BYTES("\0\0\0\0")},
	{"WINDOW_UPDATE of zero", H2_WINDOW_UPDATE, 0, 0, BYTES("\0\0\0\0")},
	{"WINDOW_UPDATE beyond 2^31", H2_WINDOW_UPDATE, 0, 0, BYTES("\x7f\xff\xff\xff")},
	{"GOAWAY too short", H2_GOAWAY, 0, 0, BYTES("\0\0\0\0")},
};

static void test_hostile_frames(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(hostiles) / sizeof(hostiles[0]); i++) {
		const struct hostile *row = &hostiles[i];
		struct driver *d = driver_new(GRPC);
		struct buf bytes = {0};
		const char *events;

		assert_int_equal(driver_open(d, 2), 0);
		h2_frame_put(&bytes, H2_SETTINGS, 0, 0, NULL, 0);
		driver_feed(d, buf_head(&bytes), buf_len(&bytes), SIZE_MAX);
		driver_submit(d, 1);
		buf_clear(&bytes);
		h2_frame_put(&bytes, row->type, row->flags, row->stream, row->payload.data,
			row->payload.len);
		events = driver_feed(d, buf_head(&bytes), buf_len(&bytes), SIZE_MAX);
		if (strcmp(events, "protocol") != 0)
			fail_msg("%s: '%s'", row->what, events);
		buf_free(&bytes);
		driver_free(d);
	}
}

static void test_other_hostile_bytes(void **state)
{
	static const char *const texts[] = {
		"HTTP/1.1 400 Bad Request\r\n\r\n", "\0\0\0\6\0\0\0\0\0"};
	static const size_t lens[] = {28, 9};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct driver *d = driver_new(GRPC);

		assert_int_equal(driver_open(d, 1), 0);
		driver_submit(d, 1);
		assert_string_equal(driver_feed(d, texts[i], lens[i], SIZE_MAX), "protocol");
		driver_free(d);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_replies_in_pieces),
		cmocka_unit_test(test_padding_continuation_and_interim_replies),
		cmocka_unit_test(test_small_header_table),
		cmocka_unit_test(test_limit_of_streams),
		cmocka_unit_test(test_flow_control),
		cmocka_unit_test(test_any_order),
		cmocka_unit_test(test_goaway),
		cmocka_unit_test(test_reset_streams),
		cmocka_unit_test(test_hostile_frames),
		cmocka_unit_test(test_other_hostile_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
