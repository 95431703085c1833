/* The gRPC server side without sockets: calls, their errors, and what peers may not do. */
#include <event2/event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/clock.h"
#include "servers/common/cities.h"
#include "servers/common/grpc_call.h"
#include "servers/common/rpc.h"
#include "tests/unit/h2_client.h"
#include "tests/unit/test.h"

#define COUNT(array)  (sizeof(array) / sizeof(*(array)))
#define BYTES(text)   ((struct slice){text, sizeof(text) - 1})
#define FIND_ONE      BYTES("\0\0\0\0\3\n\1a") /* FindOneRequest{name: "a"} */
#define EMPTY         BYTES("\0\0\0\0\0")
#define FIND_ONE_PATH "/unpkg.Unpkg/FindOne"
#define CITIES_PATH   "/cityinfo.GeoCity/GetCities"

static struct rpc_data data;
static const struct http2_service service = {.handler = &grpc_handler, .arg = &data};

static int load(void **state)
{
	(void)state;
	data.cities = cities_load("servers/common/cities-1500.json");
	return data.cities != NULL ? 0 : -1;
}

static int unload(void **state)
{
	(void)state;
	cities_free((struct cities *)data.cities);
	return 0;
}

/* What the method itself answers. */
static struct buf expected(const char *path, struct slice request)
{
	char message[RPC_MESSAGE_MAX];
	struct buf reply = {0};

	assert_int_equal(rpc_find(slice_of(path))->call(&data, request, &reply, message), RPC_OK);
	return reply;
}

static void expect_reply(const struct h2_call *call, const struct buf *reply)
{
	assert_true(call->closed);
	assert_int_equal(call->error, 0);
	assert_string_equal(call->status, "200");
	assert_string_equal(call->grpc_status, "0");
	assert_true(call->trailers);
	assert_true(slice_eq(h2_client_reply(call), (struct slice){reply->data, buf_len(reply)}));
}

static void test_calls_in_pieces(void **state)
{
	static const size_t pieces[] = {0, 1, 2, 9, 64};
	struct buf one = expected(FIND_ONE_PATH, BYTES("\n\1a"));
	struct buf cities = expected(CITIES_PATH, BYTES(""));

	(void)state;
	for (size_t i = 0; i < 2 * COUNT(pieces); i++) {
		struct h2_client c = {.no_table = i % 2 == 1};
		struct h2_call calls[6] = {{0}};

		h2_client_open(&c, &service);
		for (size_t k = 0; k < COUNT(calls); k++) {
			calls[k].path = k % 2 == 0 ? FIND_ONE_PATH : CITIES_PATH;
			calls[k].body = k % 2 == 0 ? FIND_ONE : EMPTY;
			calls[k].timeout = k % 3 == 0 ? "10S" : NULL;
			h2_client_call(&c, &calls[k]);
		}
		h2_client_run(&c, pieces[i / 2]);
		for (size_t k = 0; k < COUNT(calls); k++)
			expect_reply(&calls[k], k % 2 == 0 ? &one : &cities);
		assert_false(http2_ops.busy(c.state));
		assert_true(c.stream.deadline_ns == 0);
		h2_client_close(&c);
	}
	buf_free(&one);
	buf_free(&cities);
}

static void test_golden(void **state)
{
	static const struct {
		const char *name;
		unsigned calls;
	} files[] = {{"grpcio", 3}, {"curl", 1}, {"nghttp", 1}, {"h2load", 20}};
	struct buf one = expected(FIND_ONE_PATH, BYTES("\n\1a"));
	char bytes[4096];
	char path[64];

	(void)state;
	for (size_t i = 0; i < 2 * COUNT(files); i++) {
		struct h2_client c = {0};
		unsigned found = 0;
		size_t len;
		FILE *file;

		snprintf(path, sizeof(path), "tests/golden/http2/%s", files[i / 2].name);
		file = fopen(path, "rb");
		assert_non_null(file);
		len = fread(bytes, 1, sizeof(bytes), file);
		fclose(file);
		h2_client_open(&c, &service);
		h2_client_feed(&c, (struct slice){bytes, len}, i % 2);
		for (size_t at = 0; at + buf_len(&one) <= buf_len(&c.replies); at++)
			found += memcmp(buf_head(&c.replies) + at, one.data, buf_len(&one)) == 0;
		assert_int_equal(found, files[i / 2].calls);
		h2_client_close(&c);
	}
	buf_free(&one);
}

/* One call, which is answered without a body. */
static void expect_failure(
	struct h2_call call, const char *status, const char *grpc_status, const char *message)
{
	static const size_t pieces[] = {0, 1};

	for (size_t i = 0; i < COUNT(pieces); i++) {
		struct h2_client c = {.options = {.header_limit = 1000, .body_limit = 100}};
		struct h2_call one = call;

		h2_client_open(&c, &service);
		h2_client_call(&c, &one);
		h2_client_run(&c, pieces[i]);
		if (one.open) {
			assert_false(one.closed);
			assert_string_equal(one.status, "");
			one.open = false;
			nghttp2_session_resume_data(c.session, 1);
			h2_client_run(&c, pieces[i]);
		}
		assert_true(one.closed);
		assert_string_equal(one.status, status);
		assert_string_equal(one.grpc_status, grpc_status);
		assert_non_null(strstr(one.message, message));
		assert_int_equal(one.error, 0);
		assert_false(one.trailers);
		assert_int_equal(buf_len(&one.reply), 0);
		assert_string_equal(
			one.encodings, strcmp(grpc_status, "12") == 0 ? "identity" : "");
		assert_int_equal(c.goaways, 0);
		h2_client_close(&c);
	}
}

#define fails(status, grpc_status, message, ...)                                                   \
	expect_failure((struct h2_call){__VA_ARGS__}, status, grpc_status, message)

static void test_failures(void **state)
{
	static char big[1000] = {0, 0, 0, 0, 101};
	static char filler[1001];

	(void)state;
	memset(filler, 'f', sizeof(filler) - 1);
	fails("405", "", "", .method = "GET");
	fails("415", "", "", .type = "", .body = FIND_ONE);
	fails("415", "", "", .type = "application/json", .body = FIND_ONE);
	fails("200", "12", "unknown method", .path = "/unpkg.Unpkg/Nope", .body = FIND_ONE);
	fails("200", "12", "unknown method", .path = "/", .body = FIND_ONE);
	fails("200", "12", "compressed", .body = BYTES("\1\0\0\0\3\n\1a"));
	fails("200", "13", "framing", .body = BYTES("\2\0\0\0\3\n\1a"));
	fails("200", "13", "no message", .path = NULL);
	fails("200", "13", "cut short", .body = BYTES("\0\0\0"));
	fails("200", "13", "cut short", .body = BYTES("\0\0\0\0\4\n\1a"));
	fails("200", "13", "more than one", .body = BYTES("\0\0\0\0\3\n\1a\0\0\0\0\3\n\1a"));
	fails("200", "13", "more than one", .body = BYTES("\0\0\0\0\3\n\1a\0"));
	fails("200", "3", "FindOneRequest", .body = BYTES("\0\0\0\0\1\377"));
	fails("200", "8", "--body-limit", .body = {big, 106});
	fails("200", "8", "--header-limit", .filler = filler, .body = FIND_ONE);
	fails("200", "13", "grpc-timeout", .timeout = "1", .body = FIND_ONE);
	fails("200", "13", "grpc-timeout", .timeout = "123456789S", .body = FIND_ONE);
	fails("200", "4", "deadline", .timeout = "0S", .body = FIND_ONE);
	fails("200", "4", "deadline", .timeout = "1n", .body = FIND_ONE);
	fails("200", "13", "asked to fail", .path = "/echo.Streams/Call",
		.body = BYTES("\0\0\0\0\7\n\5error"));
}

/* What is clear before the request has ended is answered at its end. */
static void test_early_failures(void **state)
{
	static const char big[] = "\0\0\0\0\145";

	(void)state;
	fails("200", "12", "unknown method", .path = "/nope", .open = true);
	fails("415", "", "", .type = "text/plain", .open = true);
	fails("200", "12", "compressed", .body = BYTES("\1\0\0\0\3"), .open = true);
	fails("200", "8", "--body-limit", .body = {big, 5}, .open = true);
	fails("200", "13", "more than one", .body = BYTES("\0\0\0\0\0\0"), .open = true);
}

/* The rest of a request that was refused may come, but not without end. */
static void test_endless_body(void **state)
{
	enum { SIZE = 1 << 20 };
	char *body = calloc(1, SIZE);
	struct h2_client c = {0};
	struct h2_call small = {.path = "/nope", .body = {body, 60000}};
	struct h2_call endless = {.path = "/nope", .body = {body, SIZE}};

	(void)state;
	assert_non_null(body);
	h2_client_open(&c, &service);
	h2_client_call(&c, &small);
	h2_client_call(&c, &endless);
	h2_client_run(&c, 0);
	assert_true(small.closed && endless.closed);
	assert_int_equal(small.sent, 60000);
	assert_true(endless.sent < SIZE / 2);
	assert_string_equal(small.grpc_status, "12");
	assert_string_equal(endless.grpc_status, "12");
	assert_int_equal(endless.error, 0);
	h2_client_close(&c);
	free(body);
}

static void test_deadline_of_an_open_call(void **state)
{
	struct h2_client c = {0};
	struct h2_call calls[] = {
		{.timeout = "10m", .body = BYTES("\0\0\0"), .open = true},
		{.timeout = "30m", .body = BYTES("\0\0\0"), .open = true},
		{.timeout = "1H", .body = BYTES("\0\0\0"), .open = true},
		{.timeout = "99999999H", .body = BYTES("\0\0\0"), .open = true},
	};

	(void)state;
	h2_client_open(&c, &service);
	for (size_t i = 0; i < COUNT(calls); i++)
		h2_client_call(&c, &calls[i]);
	h2_client_run(&c, 0);
	for (size_t i = 0; i < 2; i++) {
		assert_string_equal(calls[i].grpc_status, "");
		while (!calls[i].closed) {
			event_base_loop(c.worker.base, EVLOOP_ONCE);
			h2_client_run(&c, 0);
		}
		assert_string_equal(calls[i].grpc_status, "4");
	}
	assert_string_equal(calls[2].grpc_status, "");
	assert_string_equal(calls[3].grpc_status, "");
	h2_client_close(&c);
}

/* A reply that is not read until the deadline is cut off. */
static void test_deadline_of_a_reply(void **state)
{
	struct h2_client c = {.window = 1000};
	struct h2_call call = {.path = CITIES_PATH, .timeout = "20m", .body = EMPTY};

	(void)state;
	h2_client_open(&c, &service);
	h2_client_call(&c, &call);
	h2_client_run(&c, 0);
	assert_int_equal(buf_len(&call.reply), 1000);
	while (!call.closed) {
		event_base_loop(c.worker.base, EVLOOP_ONCE);
		h2_client_run(&c, 0);
	}
	assert_int_equal(call.error, NGHTTP2_CANCEL);
	assert_false(http2_ops.busy(c.state));
	h2_client_close(&c);
}

/* Many large replies at once: they come in portions, and all come in the end. */
static void test_back_pressure(void **state)
{
	struct buf cities = expected(CITIES_PATH, BYTES(""));
	struct h2_client c = {.window = 1};
	struct h2_call *calls = calloc(500, sizeof(*calls));

	(void)state;
	assert_non_null(calls);
	h2_client_open(&c, &service);
	for (size_t i = 0; i < 500; i++) {
		calls[i].path = CITIES_PATH;
		calls[i].body = EMPTY;
		h2_client_call(&c, &calls[i]);
	}
	h2_client_run(&c, 0);
	/* Only as many were begun as may wait. */
	assert_int_equal(buf_len(&calls[0].reply), 1);
	assert_int_equal(buf_len(&calls[HTTP2_REPLIES_MAX / buf_len(&cities) + 1].reply), 0);
	for (size_t i = 0; i < 500; i++)
		assert_int_equal(
			nghttp2_submit_window_update(c.session, 0, (int32_t)(2 * i + 1), 1 << 20),
			0);
	assert_int_equal(nghttp2_submit_window_update(c.session, 0, 0, 1 << 30), 0);
	h2_client_run(&c, 0);
	for (size_t i = 0; i < 500; i++)
		expect_reply(&calls[i], &cities);
	assert_true(c.largest < STREAM_OUT_HIGH + (32 << 10));
	h2_client_close(&c);
	free(calls);
	buf_free(&cities);
}

/* Bodies that do not end are refused when they take too much together. */
static void test_many_bodies(void **state)
{
	enum { SIZE = 60000, N = 40 };
	struct h2_client c = {.options = {.body_limit = SIZE}};
	struct h2_call calls[N] = {{0}};
	char *body = calloc(1, SIZE);
	unsigned refused = 0;

	(void)state;
	assert_non_null(body);
	body[3] = (char)(59904 >> 8);
	h2_client_open(&c, &service);
	h2_client_run(&c, 0);
	nghttp2_session_set_local_window_size(c.session, 0, 0, 1 << 24);
	for (size_t i = 0; i < N; i++) {
		calls[i].body = (struct slice){body, 59000};
		calls[i].open = true;
		h2_client_call(&c, &calls[i]);
	}
	h2_client_run(&c, 0);
	for (size_t i = 0; i < N; i++) {
		refused += calls[i].closed;
		assert_true(!calls[i].closed || calls[i].error == NGHTTP2_ENHANCE_YOUR_CALM);
	}
	assert_in_range(N - refused, 1, (SIZE + HTTP2_BODIES_MAX) / 59000);
	h2_client_close(&c);
	free(body);
}

/* The head of a frame. */
static void put_frame(struct buf *b, size_t len, unsigned type, unsigned flags, uint32_t id)
{
	const unsigned char head[] = {(unsigned char)(len >> 16), (unsigned char)(len >> 8),
		(unsigned char)len, (unsigned char)type, (unsigned char)flags,
		(unsigned char)(id >> 24), (unsigned char)(id >> 16), (unsigned char)(id >> 8),
		(unsigned char)id};

	assert_int_equal(buf_append(b, head, sizeof(head)), 0);
}

static void put_request(struct buf *b, uint32_t id, unsigned flags)
{
	static const char block[] = "\x83\x86\x04\x14" FIND_ONE_PATH "\x01\x01h"
				    "\x0f\x10\x10"
				    "application/grpc";

	put_frame(b, sizeof(block) - 1, NGHTTP2_HEADERS, flags | NGHTTP2_FLAG_END_HEADERS, id);
	assert_int_equal(buf_append(b, block, sizeof(block) - 1), 0);
}

/* Ways to keep a server busy; @i counts. */
static void put_reset(struct buf *b, uint32_t i)
{
	put_request(b, 2 * i + 1, 0);
	put_frame(b, 4, NGHTTP2_RST_STREAM, 0, 2 * i + 1);
	assert_int_equal(buf_append(b, "\0\0\0\10", 4), 0);
}

/* Mistakes for which we cut the stream off: a window that overflows, a field in capitals. */
static void put_mistake(struct buf *b, uint32_t i)
{
	put_request(b, 2 * i + 1, 0);
	put_frame(b, 4, NGHTTP2_WINDOW_UPDATE, 0, 2 * i + 1);
	assert_int_equal(buf_append(b, "\177\377\377\377", 4), 0);
}

static void put_capitals(struct buf *b, uint32_t i)
{
	put_frame(b, 7, NGHTTP2_HEADERS, NGHTTP2_FLAG_END_HEADERS, 2 * i + 1);
	assert_int_equal(buf_append(b, "\x83\x86\0\1A\1a", 7), 0);
}

static void put_ping(struct buf *b, uint32_t i)
{
	(void)i;
	put_frame(b, 8, NGHTTP2_PING, 0, 0);
	assert_int_equal(buf_append(b, "12345678", 8), 0);
}

static void put_settings(struct buf *b, uint32_t i)
{
	(void)i;
	put_frame(b, 0, NGHTTP2_SETTINGS, 0, 0);
}

static void put_nothing(struct buf *b, uint32_t i)
{
	if (i == 0)
		put_request(b, 1, 0);
	put_frame(b, 0, NGHTTP2_DATA, 0, 1);
}

/* Walks over the replies' frames: nghttp2 would mind those for streams that are not its own. */
static void see_goaways(struct h2_client *c)
{
	const unsigned char *at = (unsigned char *)buf_head(&c->replies);
	size_t left = buf_len(&c->replies);
	size_t len;

	for (; left > 0; at += len, left -= len) {
		len = 9 + (size_t)(at[0] << 16 | at[1] << 8 | at[2]);
		assert_true(len <= left);
		if (at[3] != NGHTTP2_GOAWAY)
			continue;
		c->goaways++;
		c->goaway_error = at[16];
	}
	buf_clear(&c->replies);
}

static void flood(void (*put)(struct buf *, uint32_t), uint32_t n, size_t piece, bool new_seconds,
	struct h2_client *c)
{
	struct buf bytes = {0};

	*c = (struct h2_client){0};
	h2_client_open(c, &service);
	h2_client_run(c, 0);
	for (uint32_t i = 0; i < n && !c->closed; i++) {
		put(&bytes, i);
		if (buf_len(&bytes) < piece)
			continue;
		h2_client_feed(c, (struct slice){buf_head(&bytes), buf_len(&bytes)}, 0);
		buf_clear(&bytes);
		c->stream.unix_time += new_seconds;
		see_goaways(c);
	}
	buf_free(&bytes);
}

static void test_floods(void **state)
{
	static const struct {
		void (*put)(struct buf *b, uint32_t i);
		uint32_t max;
	} floods[] = {
		{put_reset, HTTP2_RESETS_MAX},
		{put_mistake, HTTP2_RESETS_MAX},
		{put_capitals, HTTP2_RESETS_MAX},
		{put_ping, HTTP2_CONTROL_MAX},
		{put_settings, HTTP2_CONTROL_MAX},
		{put_nothing, HTTP2_CONTROL_MAX},
	};
	struct h2_client c;

	(void)state;
	for (size_t i = 0; i < COUNT(floods); i++) {
		flood(floods[i].put, floods[i].max - 100, 2000, false, &c);
		assert_false(c.closed);
		assert_int_equal(c.goaways, 0);
		h2_client_close(&c);
		flood(floods[i].put, floods[i].max + 200, 2000, false, &c);
		assert_true(c.closed);
		assert_int_equal(c.goaways, 1);
		assert_int_equal(c.goaway_error, NGHTTP2_ENHANCE_YOUR_CALM);
		h2_client_close(&c);
		flood(floods[i].put, floods[i].max + 200, 2000, true, &c);
		assert_false(c.closed);
		h2_client_close(&c);
	}
	/* In one read, the answers that would pile up end it. */
	flood(put_ping, 5000, 64 << 10, false, &c);
	assert_true(c.closed);
	h2_client_close(&c);
}

static void test_continuation_flood(void **state)
{
	struct h2_client c = {0};
	struct buf bytes = {0};

	(void)state;
	h2_client_open(&c, &service);
	h2_client_run(&c, 0);
	put_frame(&bytes, 0, NGHTTP2_HEADERS, 0, 1);
	for (int i = 0; i < 1000; i++)
		put_frame(&bytes, 0, NGHTTP2_CONTINUATION, 0, 1);
	h2_client_feed(&c, (struct slice){bytes.data, 9}, 0);
	assert_true(c.stream.deadline_ns == 7 * NS_PER_S);
	assert_true(http2_ops.busy(c.state));
	h2_client_feed(&c, (struct slice){bytes.data + 9, buf_len(&bytes) - 9}, 0);
	assert_true(c.closed);
	h2_client_close(&c);
	buf_free(&bytes);
}

/* Streams over the limit are refused; those under it are not. */
static void test_streams_max(void **state)
{
	struct h2_client c = {0};
	struct h2_call *calls = calloc(HTTP2_STREAMS_MAX + 1, sizeof(*calls));
	unsigned refused = 0;

	(void)state;
	assert_non_null(calls);
	h2_client_open(&c, &service);
	for (size_t i = 0; i <= HTTP2_STREAMS_MAX; i++) {
		calls[i].body = BYTES("\0\0");
		calls[i].open = true;
		h2_client_call(&c, &calls[i]);
	}
	h2_client_run(&c, 0);
	for (size_t i = 0; i <= HTTP2_STREAMS_MAX; i++)
		refused += calls[i].closed && calls[i].error == NGHTTP2_REFUSED_STREAM;
	assert_int_equal(refused, 1);
	h2_client_close(&c);
	free(calls);
}

static void test_drain(void **state)
{
	struct h2_client c = {0};
	struct h2_call before = {.body = BYTES("\0\0\0"), .open = true};
	struct h2_call between = {.body = FIND_ONE};

	(void)state;
	h2_client_open(&c, &service);
	h2_client_call(&c, &before);
	h2_client_run(&c, 0);
	/* A client that has not heard of it yet begins one more. */
	c.deaf = true;
	http2_ops.drain(c.state);
	stream_wake(&c.stream);
	h2_client_call(&c, &between);
	h2_client_run(&c, 0);
	assert_true(http2_ops.busy(c.state));
	c.deaf = false;
	h2_client_run(&c, 0);
	assert_int_equal(c.goaways, 2);
	assert_int_equal(c.goaway_error, NGHTTP2_NO_ERROR);
	assert_string_equal(between.grpc_status, "0");
	assert_true(http2_ops.busy(c.state));
	assert_false(before.closed);
	/* The one in flight is answered, and that is the end. */
	before.body = FIND_ONE;
	before.open = false;
	nghttp2_session_resume_data(c.session, 1);
	h2_client_run(&c, 0);
	assert_string_equal(before.grpc_status, "0");
	assert_false(http2_ops.busy(c.state));
	assert_true(c.closed);
	h2_client_close(&c);
}

static void test_other_protocols(void **state)
{
	static const char *const greetings[] = {"GET / HTTP/1.1\r\nHost: a\r\n\r\n",
		"\x16\x03\x01\x02", "PRI * HTTP/2.0\r\n\r\nSN"};

	(void)state;
	for (size_t i = 0; i < 2 * COUNT(greetings); i++) {
		struct h2_client c = {0};

		h2_client_open(&c, &service);
		assert_true(c.stream.deadline_ns == 7 * NS_PER_S);
		h2_client_feed(&c, slice_of(greetings[i / 2]), i % 2);
		assert_true(c.closed);
		h2_client_close(&c);
	}
}

/* Bytes damaged at random, fed in pieces of random sizes. */
static void test_mutations(void **state)
{
	static const char preface[] = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0";
	struct buf sound = {0};
	unsigned seed = 42;

	(void)state;
	buf_append(&sound, preface, sizeof(preface)); /* with the NUL, which belongs to it */
	for (uint32_t i = 0; i < 8; i++) {
		put_request(&sound, 2 * i + 1, 0);
		put_frame(&sound, FIND_ONE.len, NGHTTP2_DATA, i % 2, 2 * i + 1);
		buf_append(&sound, FIND_ONE.data, FIND_ONE.len);
		put_ping(&sound, i);
		put_reset(&sound, i + 100);
	}
	for (int round = 0; round < 3000; round++) {
		struct h2_client c = {0};
		char *bytes = malloc(buf_len(&sound));
		size_t at = 0;

		memcpy(bytes, sound.data, buf_len(&sound));
		for (int i = rand_r(&seed) % 8; i >= 0; i--)
			bytes[24 + (size_t)rand_r(&seed) % (buf_len(&sound) - 24)] =
				(char)rand_r(&seed);
		h2_client_open(&c, &service);
		while (at < buf_len(&sound)) {
			size_t left = buf_len(&sound) - at;
			size_t len = (size_t)rand_r(&seed) % 200 + 1;

			len = len < left ? len : left;
			h2_client_feed(&c, (struct slice){bytes + at, len}, 0);
			at += len;
		}
		h2_client_close(&c);
		free(bytes);
	}
	buf_free(&sound);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_calls_in_pieces),
		cmocka_unit_test(test_golden),
		cmocka_unit_test(test_failures),
		cmocka_unit_test(test_early_failures),
		cmocka_unit_test(test_endless_body),
		cmocka_unit_test(test_deadline_of_an_open_call),
		cmocka_unit_test(test_deadline_of_a_reply),
		cmocka_unit_test(test_back_pressure),
		cmocka_unit_test(test_many_bodies),
		cmocka_unit_test(test_floods),
		cmocka_unit_test(test_continuation_flood),
		cmocka_unit_test(test_streams_max),
		cmocka_unit_test(test_drain),
		cmocka_unit_test(test_other_protocols),
		cmocka_unit_test(test_mutations),
	};

	return cmocka_run_group_tests(tests, load, unload);
}
