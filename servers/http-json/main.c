/* http-json: the package registry as JSON over the HTTP/1.1 server side. */
#include "servers/common/http1.h"
#include "servers/common/http_json.h"

static int message(const struct http1_request *request, struct http1_reply *reply)
{
	struct buf *out = http1_reply_begin(reply, 200, HTTP_JSON_TYPE, 27);
	struct app_message answer;
	char text[HTTP_JSON_TEXT];

	app_message(&answer);
	answer.message = http_json_text(request->query, "message", text, answer.message);
	return out != NULL ? http_json_message(&answer, out) : -1;
}

static int find_one(const struct http1_request *request, struct http1_reply *reply)
{
	struct buf *out = http1_reply_begin(reply, 200, HTTP_JSON_TYPE, HTTP_JSON_PACKAGE_LEN);
	struct app_package answer;
	char text[HTTP_JSON_TEXT];

	app_find_one(NULL, &answer);
	answer.name = http_json_text(request->query, "name", text, answer.name);
	return out != NULL ? http_json_package(&answer, out) : -1;
}

static int publish(const struct http1_request *request, struct http1_reply *reply)
{
	struct app_publish_reply answer;
	int status = http_json_publish(request->body, &answer);
	struct buf *out = http1_reply_begin(reply, status, HTTP_JSON_TYPE, 50);

	return out != NULL ? http_json_publish_reply(&answer, out) : -1;
}

static const struct http1_route routes[] = {
	{.path = "/json", .methods = HTTP1_GET, .handle = message},
	{.path = "/test", .methods = HTTP1_GET, .handle = find_one},
	{.path = "/publish", .methods = HTTP1_POST, .handle = publish},
	{0},
};

static const struct stream_protocol protocol = {.ops = &http1_ops, .arg = routes};

static const struct srv_spec spec = {
	.name = "http-json",
	.summary = "Serves GET /json, GET /test and POST /publish over HTTP/1.1, with jansson.",
	.port = 3002,
	.service = &stream_service,
	.arg = &protocol,
};

int main(int argc, char **argv)
{
	return srv_main(&spec, argc, argv);
}
