#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/codec_driver.h"
#include "tests/unit/test.h"

#define URL "http://127.0.0.1:8080/path?x=1"
#define OK2 "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi" /* 40 bytes */

/* Bytes of a server and what they must mean, whole, byte by byte and at each split. */
struct reply_case {
	const char *what;
	unsigned requests;
	const char *bytes;
	const char *events;
	const char *at_eof; /* what the peer's close adds; NULL = not closed */
	const char *method;
	const char *expect;
};

static const struct reply_case cases[] = {
	{"length", 1, OK2, "ok 200 40; ", NULL, NULL, "hi"},
	{"pipelined", 3, OK2 OK2 OK2, "ok 200 40; ok 200 40; ok 200 40; ", NULL, NULL, "hi"},
	{"close ends the connection", 2,
		"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nhi" OK2,
		"ok 200 59; closed", NULL, NULL, "hi"},
	{"close in a list, any case", 1,
		"HTTP/1.1 200 OK\r\ncontent-length:2\r\nCONNECTION: foo , Close\r\n\r\nhi",
		"ok 200 64; closed", NULL, NULL, "hi"},
	{"HTTP/1.0 closes", 1, "HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nhi",
		"ok 200 40; closed", NULL, NULL, "hi"},
	{"HTTP/1.0 keep-alive", 1,
		"HTTP/1.0 200 OK\r\nContent-Length: 2\r\nConnection: keep-alive\r\n\r\nhi",
		"ok 200 64; ", NULL, NULL, "hi"},
	{"no reason, no space", 1, "HTTP/1.1 200\r\nContent-Length: 2\r\n\r\nhi", "ok 200 37; ",
		NULL, NULL, "hi"},
	{"line feeds alone", 1, "HTTP/1.1 200 OK\nContent-Length: 2\n\nhi", "ok 200 37; ", NULL,
		NULL, "hi"},
	{"chunked", 1,
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: "
		"chunked\r\n\r\n1\r\nh\r\n1\r\ni\r\n0\r\n\r\n",
		"ok 200 64; ", NULL, NULL, "hi"},
	{"chunked with extensions and trailers", 1,
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
		"00002;a=b\r\nhi\r\n0;last\r\nX-Sum: 1\r\nY: 2\r\n\r\n",
		"ok 200 88; ", NULL, NULL, "hi"},
	{"until close", 1, "HTTP/1.1 200 OK\r\n\r\nhi", "", "ok 200 21; closed", NULL, "hi"},
	{"HEAD", 2, "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nHTTP/1.1 200 OK\r\n\r\n",
		"ok 200 39; ok 200 19; ", NULL, "HEAD", ""},
	{"204 and 304", 2, "HTTP/1.1 204 No\r\n\r\nHTTP/1.1 304 Not\r\nContent-Length: 10\r\n\r\n",
		"ok 204 19; ok 304 40; ", NULL, NULL, ""},
	{"205", 1, "HTTP/1.1 205 Reset\r\n\r\n", "ok 205 22; ", NULL, NULL, ""},
	{"interim replies", 1,
		"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Hints\r\nLink: x\r\n\r\n" OK2,
		"ok 200 96; ", NULL, NULL, "hi"},
	{"error status", 2, "HTTP/1.1 404 Not Found\r\nContent-Length: 4\r\n\r\nnone" OK2,
		"status 404 49; ok 200 40; ", NULL, NULL, "hi"},
	{"wrong byte", 2, OK2 "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nho",
		"ok 200 40; mismatch 200 40; ", NULL, NULL, "hi"},
	{"short body", 1, "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nh", "mismatch 200 39; ",
		NULL, NULL, "hi"},
	{"long body", 1, "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nhi!", "mismatch 200 41; ",
		NULL, NULL, "hi"},
	{"empty body is an answer too", 1, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
		"mismatch 200 38; ", NULL, NULL, "hi"},
	{"the first body is learned", 3, OK2 "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nho" OK2,
		"ok 200 40; mismatch 200 40; ok 200 40; ", NULL, NULL, NULL},
	{"an error's body is not learned", 2, "HTTP/1.1 500 No\r\nContent-Length: 2\r\n\r\nno" OK2,
		"status 500 40; ok 200 40; ", NULL, NULL, NULL},
	{"two replies to one request", 1, OK2 OK2, "ok 200 40; unexpected_reply", NULL, NULL, "hi"},
	{"same length twice", 1,
		"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\nhi",
		"ok 200 59; ", NULL, NULL, "hi"},
	{"cut within the body", 1, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nh", "", "eof", NULL,
		"hi"},
	{"cut within the header", 1, "HTTP/1.1 200 OK\r\nContent-Le", "", "eof", NULL, "hi"},
	{"closed between replies", 2, OK2, "ok 200 40; ", "closed", NULL, "hi"},

	{"two lengths", 1, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nhi",
		"protocol", NULL, NULL, "hi"},
	{"length and chunked", 1,
		"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\nhi",
		"protocol", NULL, NULL, "hi"},
	{"negative length", 1, "HTTP/1.1 200 OK\r\nContent-Length: -2\r\n\r\nhi", "protocol", NULL,
		NULL, "hi"},
	{"length with a sign", 1, "HTTP/1.1 200 OK\r\nContent-Length: +2\r\n\r\nhi", "protocol",
		NULL, NULL, "hi"},
	{"length list", 1, "HTTP/1.1 200 OK\r\nContent-Length: 2, 2\r\n\r\nhi", "protocol", NULL,
		NULL, "hi"},
	{"length beyond 2^63", 1,
		"HTTP/1.1 200 OK\r\nContent-Length: 18446744073709551618\r\n\r\nhi", "protocol",
		NULL, NULL, "hi"},
	{"no length", 1, "HTTP/1.1 200 OK\r\nContent-Length:\r\n\r\nhi", "protocol", NULL, NULL,
		"hi"},
	{"unknown coding", 1, "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n",
		"protocol", NULL, NULL, "hi"},
	{"bad status line", 1, "HTP/1.1 200 OK\r\n\r\n", "protocol", NULL, NULL, "hi"},
	{"bad version", 1, "HTTP/2.0 200 OK\r\n\r\n", "protocol", NULL, NULL, "hi"},
	{"bad status", 1, "HTTP/1.1 2x0 OK\r\n\r\n", "protocol", NULL, NULL, "hi"},
	{"status below 100", 1, "HTTP/1.1 099 OK\r\n\r\n", "protocol", NULL, NULL, "hi"},
	{"no colon", 1, "HTTP/1.1 200 OK\r\nContent-Length 2\r\n\r\n", "protocol", NULL, NULL,
		"hi"},
	{"space before the colon", 1, "HTTP/1.1 200 OK\r\nContent-Length : 2\r\n\r\nhi", "protocol",
		NULL, NULL, "hi"},
	{"folded line", 1, "HTTP/1.1 200 OK\r\nX: 1\r\n 2\r\n\r\n", "protocol", NULL, NULL, "hi"},
	{"chunk size missing", 1, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\r\nhi",
		"protocol", NULL, NULL, "hi"},
	{"chunk size not hexadecimal", 1,
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2g\r\nhi\r\n", "protocol",
		NULL, NULL, "hi"},
	{"chunk size beyond 2^60", 1,
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n10000000000000000\r\n",
		"protocol", NULL, NULL, "hi"},
	{"chunk longer than its size", 1,
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nhi\r\n", "protocol",
		NULL, NULL, "hi"},
	{"upgrade that nobody asked for", 1, "HTTP/1.1 101 Switching\r\n\r\n", "protocol", NULL,
		NULL, "hi"},
};

static void expect_events(const struct reply_case *c, const char *how, size_t split,
	const char *events, const char *expected)
{
	if (strcmp(events, expected) == 0)
		return;
	fail_msg("%s (%s %zu): got '%s', expected '%s'", c->what, how, split, events, expected);
}

static struct driver *open_case(const struct reply_case *c)
{
	struct driver *d = driver_new(URL);

	if (c->method != NULL)
		d->params.method = c->method;
	if (c->expect != NULL)
		d->params.expect_body = slice_of(c->expect);
	assert_int_equal(driver_open(d, 16), 0);
	return d;
}

static void run_case(const struct reply_case *c, size_t piece)
{
	struct driver *d = open_case(c);
	char expected[512];

	driver_submit(d, c->requests);
	snprintf(expected, sizeof(expected), "%s%s", c->events, c->at_eof != NULL ? c->at_eof : "");
	expect_events(c, "pieces of", piece, driver_feed(d, c->bytes, strlen(c->bytes), piece),
		c->events);
	if (c->at_eof != NULL)
		expect_events(c, "then closed", piece, driver_eof(d), expected);
	driver_free(d);
}

static void test_replies_whole_and_in_pieces(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		for (size_t piece = 1; piece <= strlen(cases[i].bytes); piece++)
			run_case(&cases[i], piece);
}

/* The second connection of a thread meets the template that the first one made. */
static void test_replies_after_a_template(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct reply_case *c = &cases[i];
		struct driver *d = open_case(c);

		if (c->expect == NULL) {
			driver_free(d);
			continue;
		}
		driver_submit(d, c->requests);
		driver_feed(d, c->bytes, strlen(c->bytes), SIZE_MAX);
		driver_reopen(d);
		driver_submit(d, c->requests);
		expect_events(c, "template", 0,
			driver_feed(d, c->bytes, strlen(c->bytes), SIZE_MAX), c->events);
		driver_free(d);
	}
}

static void test_header_block_is_bounded(void **state)
{
	struct driver *d = driver_new(URL);
	char line[1024];
	const char *events = "";

	(void)state;
	assert_int_equal(driver_open(d, 1), 0);
	driver_submit(d, 1);
	driver_feed(d, "HTTP/1.1 200 OK\r\n", 17, SIZE_MAX);
	memset(line, 'a', sizeof(line));
	for (int i = 0; i < 65 && events[0] == '\0'; i++)
		events = driver_feed(d, line, sizeof(line), SIZE_MAX);
	assert_string_equal(events, "protocol");
	driver_free(d);
}

/* A body too large to be kept is compared by length and hash, in bounded memory. */
static void test_large_bodies(void **state)
{
	enum { SIZE = 5 << 20 };
	char *body = malloc(SIZE);
	char head[96];
	const char *events = NULL;
	struct driver *d = driver_new(URL);

	(void)state;
	for (int i = 0; i < SIZE; i++)
		body[i] = (char)(i * 7 + i / 251);
	snprintf(head, sizeof(head), "HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n", SIZE);
	assert_int_equal(driver_open(d, 3), 0);
	driver_submit(d, 3);
	for (int i = 0; i < 3; i++) {
		driver_feed(d, head, strlen(head), SIZE_MAX);
		if (i == 2)
			body[SIZE - 9]++;
		events = driver_feed(d, body, SIZE, 65536 - (size_t)i);
	}
	assert_string_equal(events, "ok 200 5242924; ok 200 5242924; mismatch 200 5242924; ");
	driver_free(d);
	free(body);
}

static void test_verify_levels(void **state)
{
	static const char *const expected[] = {
		[VERIFY_FULL] = "mismatch 200 40; mismatch 200 39; status 500 40; ",
		[VERIFY_LENGTH] = "ok 200 40; mismatch 200 39; status 500 40; ",
		[VERIFY_STATUS] = "ok 200 40; ok 200 39; status 500 40; ",
		[VERIFY_OFF] = "ok 200 40; ok 200 39; ok 500 40; ",
	};
	const char *bytes = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nho"
			    "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nh"
			    "HTTP/1.1 500 No\r\nContent-Length: 2\r\n\r\nhi";

	(void)state;
	for (int level = VERIFY_FULL; level <= VERIFY_OFF; level++) {
		struct driver *d = driver_new(URL);

		d->params.verify = level;
		d->params.expect_body = slice_of("hi");
		assert_int_equal(driver_open(d, 3), 0);
		driver_submit(d, 3);
		assert_string_equal(
			driver_feed(d, bytes, strlen(bytes), SIZE_MAX), expected[level]);
		driver_free(d);
	}
}

static void expect_request(struct driver *d, const char *expected)
{
	struct slice bytes;

	assert_int_equal(driver_open(d, 2), 0);
	bytes = driver_submit(d, 1);
	assert_int_equal(bytes.len, strlen(expected));
	assert_memory_equal(bytes.data, expected, bytes.len);
	driver_free(d);
}

static void test_requests(void **state)
{
	static const char *const headers[] = {"Accept: */*", "host: example.org", NULL};
	struct driver *d = driver_new("http://127.0.0.1/a");

	(void)state;
	expect_request(d, "GET /a HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n");
	d = driver_new("http://[::1]:8080?q");
	d->params.keep_alive = false;
	expect_request(d, "GET /?q HTTP/1.1\r\nHost: [::1]:8080\r\nConnection: close\r\n\r\n");
	d = driver_new(URL);
	d->params.method = "POST";
	d->params.headers = headers;
	d->params.body = slice_of("{}");
	expect_request(d, "POST /path?x=1 HTTP/1.1\r\nAccept: */*\r\nhost: example.org\r\n"
			  "Content-Length: 2\r\n\r\n{}");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_replies_whole_and_in_pieces),
		cmocka_unit_test(test_replies_after_a_template),
		cmocka_unit_test(test_header_block_is_bounded),
		cmocka_unit_test(test_large_bodies),
		cmocka_unit_test(test_verify_levels),
		cmocka_unit_test(test_requests),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
