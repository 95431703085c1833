/* http-hello: two texts over the HTTP/1.1 server side. */
#include "servers/common/app.h"
#include "servers/common/http1.h"

static int hello(const struct http1_request *request, struct http1_reply *reply)
{
	(void)request;
	return http1_reply_body(reply, 200, "text/plain", slice_of(app_hello()));
}

static int plaintext(const struct http1_request *request, struct http1_reply *reply)
{
	(void)request;
	return http1_reply_body(reply, 200, "text/plain", slice_of(app_plaintext()));
}

static const struct http1_route routes[] = {
	{.path = "/", .methods = HTTP1_GET, .handle = hello},
	{.path = "/plaintext", .methods = HTTP1_GET, .handle = plaintext},
	{0},
};

static const struct stream_protocol protocol = {.ops = &http1_ops, .arg = routes};

static const struct srv_spec spec = {
	.name = "http-hello",
	.summary = "Serves GET / and GET /plaintext over HTTP/1.1, by libevent and llhttp.",
	.port = 3001,
	.service = &stream_service,
	.arg = &protocol,
};

int main(int argc, char **argv)
{
	return srv_main(&spec, argc, argv);
}
