/* The HTTP/1.1 server side, with replies that come at once and later. */
#include <stdbool.h>

#include "lib/buf.h"
#include "servers/common/http1.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/server.h"

/* The one reply that comes later: a connection takes no other request before. */
static struct http1_later later;
static bool is_due;

static int answer(const struct http1_request *request, struct http1_reply *reply)
{
	struct buf *out = http1_reply_begin(reply, 200, "text/plain", request->body.len);

	if (out == NULL)
		return -1;
	return buf_append(out, request->query.data, request->query.len) == 0 &&
			       buf_append(out, request->body.data, request->body.len) == 0
		       ? 0
		       : -1;
}

static int answer_huge(const struct http1_request *request, struct http1_reply *reply)
{
	static char zeros[STREAM_OUT_HIGH];

	(void)request;
	return http1_reply_body(
		reply, 200, "text/plain", (struct slice){.data = zeros, .len = sizeof(zeros)});
}

static int on_due(struct http1_later *due, struct http1_reply *reply)
{
	fuzz_check(due == &later);
	return http1_reply_body(reply, 502, "text/plain", slice_of("late"));
}

static void on_gone(struct http1_later *gone)
{
	fuzz_check(gone == &later);
	is_due = false;
}

static int answer_later(const struct http1_request *request, struct http1_reply *reply)
{
	(void)request;
	fuzz_check(!is_due);
	is_due = true;
	later = (struct http1_later){.answer = on_due, .gone = on_gone};
	return http1_later(reply, &later);
}

static void turn(void)
{
	if (!is_due)
		return;
	is_due = false;
	http1_ready(&later);
}

static const struct http1_route routes[] = {
	{.path = "/", .methods = HTTP1_GET | HTTP1_POST, .handle = answer},
	{.path = "/h", .methods = HTTP1_GET, .handle = answer_huge},
	{.path = "/l", .methods = HTTP1_GET, .handle = answer_later},
	{0},
};
static const struct fuzz_server server = {.ops = &http1_ops, .arg = routes, .turn = turn};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_server_run(&server, data, size);
	return 0;
}
