/* http-evhttp: the routes of http-hello and http-json over libevent's own HTTP server. */
#include "lib/buf.h"
#include "servers/common/http_json.h"
#include "servers/http-evhttp/service.h"

static int hello(struct slice query, struct slice body, struct buf *out)
{
	(void)query;
	(void)body;
	return buf_append(out, app_hello(), strlen(app_hello())) == 0 ? 200 : -1;
}

static int plaintext(struct slice query, struct slice body, struct buf *out)
{
	(void)query;
	(void)body;
	return buf_append(out, app_plaintext(), strlen(app_plaintext())) == 0 ? 200 : -1;
}

static int message(struct slice query, struct slice body, struct buf *out)
{
	struct app_message answer;
	char text[HTTP_JSON_TEXT];

	(void)body;
	app_message(&answer);
	answer.message = http_json_text(query, "message", text, answer.message);
	return http_json_message(&answer, out) == 0 ? 200 : -1;
}

static int find_one(struct slice query, struct slice body, struct buf *out)
{
	struct app_package answer;
	char text[HTTP_JSON_TEXT];

	(void)body;
	app_find_one(NULL, &answer);
	answer.name = http_json_text(query, "name", text, answer.name);
	return http_json_package(&answer, out) == 0 ? 200 : -1;
}

static int publish(struct slice query, struct slice body, struct buf *out)
{
	struct app_publish_reply answer;
	int status = http_json_publish(body, &answer);

	(void)query;
	return http_json_publish_reply(&answer, out) == 0 ? status : -1;
}

static const struct evhttp_route routes[] = {
	{"/", EVHTTP_REQ_GET, "text/plain", hello},
	{"/plaintext", EVHTTP_REQ_GET, "text/plain", plaintext},
	{"/json", EVHTTP_REQ_GET, HTTP_JSON_TYPE, message},
	{"/test", EVHTTP_REQ_GET, HTTP_JSON_TYPE, find_one},
	{"/publish", EVHTTP_REQ_POST, HTTP_JSON_TYPE, publish},
	{0},
};

static const struct srv_spec spec = {
	.name = "http-evhttp",
	.summary = "Serves the routes of http-hello and http-json by libevent's own HTTP server.",
	.port = 3003,
	.service = &evhttp_service,
	.arg = routes,
};

int main(int argc, char **argv)
{
	return srv_main(&spec, argc, argv);
}
