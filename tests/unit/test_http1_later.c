/* Replies of the HTTP/1.1 server side that come later, without sockets. */
#include <stdlib.h>
#include <string.h>

#include "lib/buf.h"
#include "lib/clock.h"
#include "servers/common/http1.h"
#include "tests/unit/test.h"

#define LATER "GET /later HTTP/1.1\r\nHost: a\r\n\r\n"
#define NOW   "GET /now HTTP/1.1\r\nHost: a\r\n\r\n"

/* In place of servers/common/stream.c. */
struct stream {
	unsigned wakes;
	bool closing;
};

void stream_set_deadline(struct stream *stream, int64_t ns)
{
	(void)stream;
	(void)ns;
}

void stream_close_after(struct stream *stream)
{
	stream->closing = true;
}

void stream_wake(struct stream *stream)
{
	stream->wakes++;
}

int64_t stream_unix_time(const struct stream *stream)
{
	(void)stream;
	return 0;
}

/* The one reply that is put off, and how often it was not wanted any more. */
static struct http1_later later;
static unsigned n_gone;

static int answer_late(struct http1_later *self, struct http1_reply *reply)
{
	assert_ptr_equal(self, &later);
	return http1_reply_body(reply, 200, "text/plain", slice_of("late"));
}

static int fail_late(struct http1_later *self, struct http1_reply *reply)
{
	assert_ptr_equal(self, &later);
	(void)reply;
	return -1;
}

static void on_gone(struct http1_later *self)
{
	assert_ptr_equal(self, &later);
	n_gone++;
}

static int put_off(const struct http1_request *request, struct http1_reply *reply)
{
	later.answer = slice_eq(request->query, slice_of("fail")) ? fail_late : answer_late;
	later.gone = on_gone;
	return http1_later(reply, &later);
}

static int answer_now(const struct http1_request *request, struct http1_reply *reply)
{
	(void)request;
	return http1_reply_body(reply, 200, "text/plain", slice_of("now"));
}

static const struct http1_route routes[] = {
	{.path = "/later", .methods = HTTP1_GET, .handle = put_off},
	{.path = "/now", .methods = HTTP1_GET, .handle = answer_now},
	{0},
};
static const struct stream_protocol protocol = {.ops = &http1_ops, .arg = routes};
static const struct srv_spec spec = {.arg = &protocol};
static const struct srv_options options = {
	.header_limit = 16 << 10, .body_limit = 64, .header_ns = NS_PER_S};

static struct srv_worker worker = {.options = &options, .spec = &spec};
static struct stream stream;
static void *conn;
static struct buf in; /* what was not taken yet */
static struct buf out;

static void open_conn(void)
{
	stream = (struct stream){0};
	n_gone = 0;
	conn = calloc(1, http1_ops.state_size);
	assert_non_null(conn);
	assert_int_equal(http1_ops.open(conn, &stream, &worker), 0);
}

static void close_conn(void)
{
	http1_ops.close(conn);
	free(conn);
	buf_free(&in);
	buf_free(&out);
}

/* Hands in what there is with @data. Return: what input() returned. */
static ssize_t feed(const char *data, size_t len)
{
	ssize_t taken;

	assert_int_equal(buf_append(&in, data, len), 0);
	taken = http1_ops.input(conn, buf_head(&in), buf_len(&in), &out);
	if (taken > 0)
		buf_consume(&in, (size_t)taken);
	return taken;
}

static ssize_t make_ready(void)
{
	unsigned wakes = stream.wakes;

	http1_ready(&later);
	assert_int_equal(stream.wakes, wakes + 1);
	assert_true(http1_ops.holds(conn));
	return feed("", 0);
}

/* The bodies that were sent, or of others than 200 the status, in order. */
static void expect_sent(const char *expected)
{
	char found[256] = "";
	char *at;

	assert_int_equal(buf_append(&out, "", 1), 0);
	for (at = buf_head(&out); (at = strstr(at, "HTTP/1.1 ")) != NULL; at++) {
		const char *body = strstr(at, "\r\n\r\n");

		assert_non_null(body);
		if (strncmp(at + 9, "200", 3) != 0)
			strncat(found, at + 9, 3);
		else
			strncat(found, body + 4, strcspn(body + 4, "H"));
		strcat(found, " ");
	}
	out.end--;
	assert_string_equal(found, expected);
}

static void test_replies_keep_their_order(void **state)
{
	static const char requests[] = LATER NOW LATER NOW;
	size_t len = sizeof(requests) - 1;

	(void)state;
	for (size_t piece = 1; piece <= len; piece += 5) {
		open_conn();
		for (size_t at = 0; at < len; at += piece)
			assert_true(feed(requests + at, len - at < piece ? len - at : piece) >= 0);
		assert_true(http1_ops.waits(conn) && http1_ops.busy(conn));
		assert_false(http1_ops.holds(conn));
		assert_int_equal(buf_len(&in), len - strlen(LATER));
		expect_sent("");
		assert_true(make_ready() > 0);
		expect_sent("late now ");
		assert_true(http1_ops.waits(conn));
		assert_true(make_ready() > 0);
		expect_sent("late now late now ");
		assert_false(http1_ops.waits(conn) || http1_ops.busy(conn));
		assert_false(stream.closing);
		close_conn();
		assert_int_equal(n_gone, 0);
	}
}

static void test_the_last_reply_closes(void **state)
{
	(void)state;
	open_conn();
	assert_true(feed("GET /later HTTP/1.0\r\n\r\n", 23) > 0);
	assert_true(make_ready() >= 0);
	expect_sent("late ");
	assert_true(stream.closing);
	close_conn();
}

static void test_a_head_has_no_body(void **state)
{
	(void)state;
	open_conn();
	assert_true(feed("HEAD /later HTTP/1.1\r\nHost: a\r\n\r\n", 33) > 0);
	assert_true(make_ready() >= 0);
	expect_sent(" ");
	assert_non_null(strstr(buf_head(&out), "Content-Length: 4\r\n"));
	close_conn();
}

static void test_failures_are_500(void **state)
{
	(void)state;
	open_conn();
	assert_true(feed("GET /later?fail HTTP/1.1\r\nHost: a\r\n\r\n", 37) > 0);
	assert_int_equal(make_ready(), -1);
	expect_sent("500 ");
	close_conn();
	assert_int_equal(n_gone, 0);
}

static void test_nobody_waits_any_more(void **state)
{
	(void)state;
	for (int ready = 0; ready < 2; ready++) {
		open_conn();
		assert_true(feed(LATER, strlen(LATER)) > 0);
		if (ready)
			http1_ready(&later);
		close_conn();
		assert_int_equal(n_gone, 1);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_replies_keep_their_order),
		cmocka_unit_test(test_the_last_reply_closes),
		cmocka_unit_test(test_a_head_has_no_body),
		cmocka_unit_test(test_failures_are_500),
		cmocka_unit_test(test_nobody_waits_any_more),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
