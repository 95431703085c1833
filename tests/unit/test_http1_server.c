/* The HTTP/1.1 server side without sockets: bytes in, bytes out. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/buf.h"
#include "lib/clock.h"
#include "servers/common/http1.h"
#include "tests/unit/http1_server_cases.h"
#include "tests/unit/test.h"

#define COUNT(array) (sizeof(array) / sizeof(*(array)))
#define DATE         "Sun, 06 Nov 1994 08:49:37 GMT" /* the example of RFC 9110 section 5.6.7 */

/* In place of servers/common/stream.c. */
struct stream {
	int64_t deadline_ns;
	unsigned deadlines; /* calls that set one */
	bool closing;
};

void stream_set_deadline(struct stream *stream, int64_t ns)
{
	stream->deadline_ns = ns;
	stream->deadlines += ns > 0;
}

void stream_close_after(struct stream *stream)
{
	stream->closing = true;
}

void stream_wake(struct stream *stream)
{
	(void)stream;
}

static int64_t unix_time = 784111777; /* DATE */

int64_t stream_unix_time(const struct stream *stream)
{
	(void)stream;
	return unix_time;
}

static int answer_hello(const struct http1_request *request, struct http1_reply *reply)
{
	(void)request;
	return http1_reply_body(reply, 200, "text/plain", slice_of("Hello"));
}

static int answer_query(const struct http1_request *request, struct http1_reply *reply)
{
	return http1_reply_body(reply, 200, "text/plain", request->query);
}

static int answer_echo(const struct http1_request *request, struct http1_reply *reply)
{
	assert_int_equal(request->method, HTTP1_POST);
	return http1_reply_body(reply, 200, "text/plain", request->body);
}

static int answer_both(const struct http1_request *request, struct http1_reply *reply)
{
	struct buf *out = http1_reply_begin(reply, 200, "text/plain", 1000);

	assert_true(slice_eq(request->path, slice_of("/both")));
	buf_append(out, request->query.data, request->query.len);
	return buf_append(out, request->body.data, request->body.len);
}

/* Forty bytes where a thousand, or one, were expected. */
static int answer_many(const struct http1_request *request, struct http1_reply *reply)
{
	struct buf *out = http1_reply_begin(reply, 200, "text/plain", 1);

	(void)request;
	for (int i = 0; i < 4; i++)
		buf_append(out, "0123456789", 10);
	return 0;
}

static int answer_nothing(const struct http1_request *request, struct http1_reply *reply)
{
	(void)request;
	return http1_reply_begin(reply, 200, "text/plain", 0) != NULL ? 0 : -1;
}

static int answer_huge(const struct http1_request *request, struct http1_reply *reply)
{
	struct buf *out = http1_reply_begin(reply, 200, "text/plain", STREAM_OUT_HIGH);

	(void)request;
	memset(buf_tail(out), 'x', STREAM_OUT_HIGH);
	out->end += STREAM_OUT_HIGH;
	return 0;
}

static int answer_badly(const struct http1_request *request, struct http1_reply *reply)
{
	answer_many(request, reply);
	return -1;
}

static int answer_not(const struct http1_request *request, struct http1_reply *reply)
{
	(void)request;
	(void)reply;
	return 0;
}

static const struct http1_route routes[] = {
	{.path = "/", .methods = HTTP1_GET, .handle = answer_hello},
	{.path = "/query", .methods = HTTP1_GET, .handle = answer_query},
	{.path = "/echo", .methods = HTTP1_POST, .handle = answer_echo},
	{.path = "/both", .methods = HTTP1_GET | HTTP1_POST, .handle = answer_both},
	{.path = "/many", .methods = HTTP1_GET, .handle = answer_many},
	{.path = "/nothing", .methods = HTTP1_GET, .handle = answer_nothing},
	{.path = "/huge", .methods = HTTP1_GET, .handle = answer_huge},
	{.path = "/fails", .methods = HTTP1_GET, .handle = answer_badly},
	{.path = "/forgets", .methods = HTTP1_GET, .handle = answer_not},
	{0},
};

static const struct stream_protocol protocol = {.ops = &http1_ops, .arg = routes};
static const struct srv_spec spec = {.arg = &protocol};
static const struct srv_options options = {
	.header_limit = 16 << 10, .body_limit = 64, .header_ns = 7 * NS_PER_S};

/* A connection. */
struct conn {
	struct srv_worker worker;
	struct stream stream;
	void *state;
	struct buf in; /* what was not taken yet */
	struct buf out;
	bool closed;
};

static void conn_open(struct conn *c)
{
	*c = (struct conn){.worker = {.options = &options, .spec = &spec}};
	c->state = calloc(1, http1_ops.state_size);
	assert_non_null(c->state);
	assert_int_equal(http1_ops.open(c->state, &c->stream, &c->worker), 0);
}

static void conn_close(struct conn *c)
{
	http1_ops.close(c->state);
	free(c->state);
	buf_free(&c->in);
	buf_free(&c->out);
}

/* Calls input() with a copy of its own, so that a sanitizer sees each byte too far. */
static void conn_feed(struct conn *c, const char *data, size_t len)
{
	struct buf replies = {0};
	ssize_t taken = 0;

	if (c->closed)
		return;
	assert_int_equal(buf_append(&c->in, data, len), 0);
	do {
		size_t size = buf_len(&c->in);
		char *copy = malloc(size);

		if (size == 0) {
			free(copy);
			break;
		}
		memcpy(copy, buf_head(&c->in), size);
		buf_clear(&replies);
		taken = http1_ops.input(c->state, copy, size, &replies);
		free(copy);
		assert_int_equal(buf_append(&c->out, buf_head(&replies), buf_len(&replies)), 0);
		if (taken < 0 || c->stream.closing)
			c->closed = true;
		else
			buf_consume(&c->in, (size_t)taken);
	} while (!c->closed && buf_len(&replies) >= STREAM_OUT_HIGH);
	buf_free(&replies);
}

/* Feeds @data in pieces of @piece bytes, the first of @first bytes. */
static void conn_feed_pieces(struct conn *c, struct slice data, size_t first, size_t piece)
{
	size_t at = 0;

	for (size_t next = first; at < data.len; next = piece) {
		size_t len = data.len - at < next ? data.len - at : next;

		conn_feed(c, data.data + at, len);
		at += len;
	}
}

/* Moves @at over @text when it is there. */
static bool take(const char **at, const char *text)
{
	size_t len = strlen(text);

	if (strncmp(*at, text, len) != 0)
		return false;
	*at += len;
	return true;
}

/* Moves @at over the rest of the line and copies it to @value. */
static void take_line(const char **at, char *value, size_t size)
{
	const char *end = strstr(*at, "\r\n");

	assert_non_null(end);
	assert_true((size_t)(end - *at) < size);
	memcpy(value, *at, (size_t)(end - *at));
	value[end - *at] = '\0';
	*at = end + 2;
}

/* Checks every byte of the head at @at and moves over the reply. */
static void sum_up_reply(const char **at, struct buf *summary, bool no_body)
{
	char text[64];
	char status[64];
	size_t len;

	assert_true(take(at, "HTTP/1.1 "));
	take_line(at, status, sizeof(status));
	buf_printf(summary, "%s%.3s", buf_len(summary) > 0 ? " " : "", status);
	if (strcmp(status, "100 Continue") == 0) {
		assert_true(take(at, "\r\n"));
		return;
	}
	assert_true(take(at, "Server: rpcbench\r\nDate: " DATE "\r\n"));
	if (take(at, "Allow: ")) {
		take_line(at, text, sizeof(text));
		buf_printf(summary, "[%s]", text);
	}
	assert_true(take(at, "Content-Type: text/plain\r\nContent-Length: "));
	take_line(at, text, sizeof(text));
	len = strtoul(text, NULL, 10);
	assert_true(text[0] != '0' || text[1] == '\0');
	text[0] = '\0';
	if (take(at, "Connection: "))
		take_line(at, text, sizeof(text));
	assert_true(take(at, "\r\n"));
	if (no_body)
		len = 0;
	if (memcmp(status, "200", 3) == 0)
		buf_printf(summary, "(%.*s)", (int)len, *at);
	else if (!no_body)
		assert_int_equal(strncmp(*at, status, len - 1), 0);
	*at += len;
	if (strcmp(text, "close") == 0)
		buf_append(summary, "!", 1);
	else if (strcmp(text, "keep-alive") == 0)
		buf_append(summary, "+", 1);
	else
		assert_string_equal(text, "");
}

/* The summary that struct http1_case describes, to be freed. */
static char *sum_up(struct conn *c, bool head)
{
	struct buf summary = {0};
	const char *at;
	const char *end;

	buf_append(&c->out, "", 1);
	at = buf_head(&c->out);
	end = buf_tail(&c->out) - 1;
	for (int i = 0; at < end; i++)
		sum_up_reply(&at, &summary, head && i == 0);
	assert_ptr_equal(at, end);
	c->out.end--;
	if (!c->closed && http1_ops.busy(c->state))
		buf_printf(&summary, "%s...", buf_len(&summary) > 0 ? " " : "");
	buf_append(&summary, "", 1);
	at = strchr(buf_head(&summary), '!');
	assert_int_equal(at != NULL && at[1] == '\0', c->closed);
	return buf_head(&summary);
}

static void check_case(const struct http1_case *row, size_t first, size_t piece)
{
	struct conn c;
	char *summary;

	conn_open(&c);
	conn_feed_pieces(&c, slice_of(row->request), first, piece);
	summary = sum_up(&c, strncmp(row->request, "HEAD", 4) == 0);
	if (strcmp(summary, row->answer) != 0)
		fail_msg("request, in pieces of %zu and %zu:\n%s\nexpected %s\nfound    %s", first,
			piece, row->request, row->answer, summary);
	free(summary);
	conn_close(&c);
}

static void test_answers_whole(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(http1_cases); i++)
		check_case(&http1_cases[i], SIZE_MAX, 1);
}

static void test_answers_byte_by_byte(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(http1_cases); i++)
		check_case(&http1_cases[i], 1, 1);
}

static void test_answers_split_anywhere(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(http1_cases); i++)
		for (size_t at = 1; at < strlen(http1_cases[i].request); at++)
			check_case(&http1_cases[i], at, SIZE_MAX);
}

static void test_golden_requests(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(http1_golden_cases); i++) {
		char path[64];
		char request[2048];
		const struct http1_case row = {request, http1_golden_cases[i].answer};
		FILE *file;

		snprintf(
			path, sizeof(path), "tests/golden/http1/%s", http1_golden_cases[i].request);
		file = fopen(path, "r");
		assert_non_null(file);
		request[fread(request, 1, sizeof(request) - 1, file)] = '\0';
		fclose(file);
		check_case(&row, SIZE_MAX, 1);
		check_case(&row, 1, 1);
		for (size_t at = 1; at < strlen(request); at++)
			check_case(&row, at, SIZE_MAX);
	}
}

static void test_bytes_of_a_reply(void **state)
{
	static const char request[] = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
	static const char reply[] = "HTTP/1.1 200 OK\r\n"
				    "Server: rpcbench\r\n"
				    "Date: " DATE "\r\n"
				    "Content-Type: text/plain\r\n"
				    "Content-Length: 5\r\n"
				    "\r\n"
				    "Hello";
	struct conn c;

	(void)state;
	conn_open(&c);
	conn_feed(&c, request, sizeof(request) - 1);
	assert_int_equal(buf_len(&c.out), sizeof(reply) - 1);
	assert_memory_equal(buf_head(&c.out), reply, sizeof(reply) - 1);
	conn_close(&c);
}

/* A request of exactly @len bytes, of which zeros fill the middle. */
static char *padded_request(const char *before, const char *after, size_t len)
{
	char *request = malloc(len + 1);

	assert_non_null(request);
	snprintf(request, len + 1, "%s%0*d%s", before, (int)(len - strlen(before) - strlen(after)),
		0, after);
	return request;
}

static void test_limits_of_the_header_block(void **state)
{
	static const char line[] = "GET / HTTP/1.1\r\nHost: a\r\nA: ";
	static const char target[] = " HTTP/1.1\r\nHost: a\r\n\r\n";
	const size_t limit = options.header_limit;
	const struct {
		const char *before;
		const char *after;
		size_t len;
		const char *answer;
	} rows[] = {
		{line, "\r\n\r\n", limit, "200(Hello)"},
		{line, "\r\n\r\n", limit + 1, "431!"},
		{line, "\r\n\r\n", 5 * limit, "431!"},
		{line, "", limit, "431!"},
		{line, "", limit - 1, "..."},
		{"GET /?", target, sizeof("GET ") + sizeof(target) - 2 + 8192, "200(Hello)"},
		{"GET /?", target, sizeof("GET ") + sizeof(target) - 2 + 8193, "414!"},
		{"GET /?", target, 3 * limit, "414!"},
		{"GET /?", "", limit, "414!"},
		{"", "", limit, "414!"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		char *request = padded_request(rows[i].before, rows[i].after, rows[i].len);
		const struct http1_case row = {request, rows[i].answer};

		check_case(&row, SIZE_MAX, 1);
		check_case(&row, 1, 1);
		check_case(&row, rows[i].len - 1, 1);
		free(request);
	}
}

/* Each part of a chunked body that is dropped is bounded as a header block is. */
static void test_limits_of_what_is_dropped(void **state)
{
	static const char *const parts[] = {"1;a", "1;a=", "0\r\nA: ", "0\r\nA"};

	(void)state;
	for (size_t i = 0; i < COUNT(parts); i++) {
		struct buf request = {0};
		struct http1_case row = {NULL, "431!"};

		buf_printf(&request,
			"POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: "
			"chunked\r\n\r\n%s%0*d",
			parts[i], (int)options.header_limit, 0);
		buf_append(&request, "1", 2);
		row.request = buf_head(&request);
		check_case(&row, SIZE_MAX, 1);
		check_case(&row, 1, 1);
		check_case(&row, 1000, 100);
		buf_free(&request);
	}
}

/* Replies beyond STREAM_OUT_HIGH wait for the next call of input(). */
static void test_replies_are_bounded(void **state)
{
	static const char request[] = "GET /huge HTTP/1.1\r\nHost: a\r\n\r\n"
				      "GET /huge HTTP/1.1\r\nHost: a\r\n\r\n";
	struct buf out = {0};
	struct conn c;

	(void)state;
	conn_open(&c);
	assert_int_equal(http1_ops.input(c.state, request, sizeof(request) - 1, &out),
		(sizeof(request) - 1) / 2);
	assert_in_range(buf_len(&out), STREAM_OUT_HIGH, STREAM_OUT_HIGH + 1000);
	assert_false(http1_ops.busy(c.state));
	buf_free(&out);
	conn_close(&c);
}

static void test_deadline_of_the_header_block(void **state)
{
	static const char request[] = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
	struct conn c;
	char *summary;

	(void)state;
	conn_open(&c);
	conn_feed(&c, request, sizeof(request) - 1);
	assert_int_equal(c.stream.deadlines, 0);
	conn_feed(&c, request, 10);
	assert_int_equal(c.stream.deadline_ns, options.header_ns);
	conn_feed(&c, request + 10, 10);
	assert_int_equal(c.stream.deadlines, 1);

	/* The end of one and the beginning of the next: time starts anew. */
	conn_feed(&c, request + 20, sizeof(request) - 21);
	assert_int_equal(c.stream.deadline_ns, 0);
	conn_feed(&c, request, 1);
	conn_feed_pieces(&c, slice_of("ET / HTTP/1.1\r\nHost: a\r\n\r\nGET"), SIZE_MAX, 1);
	assert_int_equal(c.stream.deadline_ns, options.header_ns);
	assert_int_equal(c.stream.deadlines, 3);

	http1_ops.expired(c.state, &c.out);
	c.closed = true;
	summary = sum_up(&c, false);
	assert_string_equal(summary, "200(Hello) 200(Hello) 200(Hello) 408!");
	free(summary);
	conn_close(&c);
}

static void test_date_moves_on(void **state)
{
	static const char request[] = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
	struct conn c;

	(void)state;
	conn_open(&c);
	conn_feed(&c, request, sizeof(request) - 1);
	unix_time += 1;
	conn_feed(&c, request, sizeof(request) - 1);
	unix_time -= 1;
	buf_append(&c.out, "", 1);
	assert_non_null(strstr(buf_head(&c.out), "\r\nDate: " DATE "\r\n"));
	assert_non_null(strstr(buf_head(&c.out), "\r\nDate: Sun, 06 Nov 1994 08:49:38 GMT\r\n"));
	conn_close(&c);
}

/* While the server drains, the last reply of a read says that it is the last. */
static void test_drain_says_close(void **state)
{
	static const char requests[] = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"
				       "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
	struct conn c;
	char *summary;

	(void)state;
	conn_open(&c);
	c.worker.draining = true;
	conn_feed(&c, requests, sizeof(requests) - 1);
	summary = sum_up(&c, false);
	assert_string_equal(summary, "200(Hello) 200(Hello)!");
	free(summary);
	conn_close(&c);
}

/* A request with a few of its bytes changed, and an end that makes most of them complete. */
static struct slice mutate(const char *request, char *bytes, size_t size, unsigned *seed)
{
	static const char odd[] = "\r\n\t :;,/%?#\0\x7f\x80\xff"
				  "09afGHchunked";
	size_t len = strlen(request);

	snprintf(bytes, size, "%s\r\n\r\n", request);
	for (int i = rand_r(seed) % 4; len > 0 && i >= 0; i--) {
		size_t at = (size_t)rand_r(seed) % len;
		size_t other = (size_t)rand_r(seed) % len;

		switch (rand_r(seed) % 3) {
		case 0:
			bytes[at] = odd[(size_t)rand_r(seed) % sizeof(odd)];
			break;
		case 1:
			bytes[at] = bytes[other];
			break;
		default:
			memmove(bytes + at, bytes + other, len - (at > other ? at : other));
			break;
		}
	}
	return (struct slice){bytes, len + 4};
}

/* Whatever comes: the same answer for any split, and every byte of it well-formed. */
static void test_hostile_bytes(void **state)
{
	unsigned seed = 1;
	char bytes[1024];

	(void)state;
	for (int i = 0; i < 20000; i++) {
		const char *request =
			http1_cases[(size_t)rand_r(&seed) % COUNT(http1_cases)].request;
		struct slice data = mutate(request, bytes, sizeof(bytes), &seed);
		struct conn whole;
		struct conn split;

		conn_open(&whole);
		conn_feed(&whole, data.data, data.len);
		conn_open(&split);
		conn_feed_pieces(&split, data, 1 + (size_t)rand_r(&seed) % data.len,
			1 + (size_t)rand_r(&seed) % 9);
		assert_int_equal(whole.closed, split.closed);
		assert_int_equal(buf_len(&whole.out), buf_len(&split.out));
		if (buf_len(&whole.out) > 0)
			assert_memory_equal(
				buf_head(&whole.out), buf_head(&split.out), buf_len(&whole.out));
		conn_close(&whole);
		conn_close(&split);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_answers_whole),
		cmocka_unit_test(test_answers_byte_by_byte),
		cmocka_unit_test(test_answers_split_anywhere),
		cmocka_unit_test(test_golden_requests),
		cmocka_unit_test(test_bytes_of_a_reply),
		cmocka_unit_test(test_limits_of_the_header_block),
		cmocka_unit_test(test_limits_of_what_is_dropped),
		cmocka_unit_test(test_replies_are_bounded),
		cmocka_unit_test(test_deadline_of_the_header_block),
		cmocka_unit_test(test_date_moves_on),
		cmocka_unit_test(test_drain_says_close),
		cmocka_unit_test(test_hostile_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
