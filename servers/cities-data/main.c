/* cities-data: the same list of cities over HTTP/1.1 as JSON and over gRPC, from one process. */
#include <stdlib.h>

#include "lib/fail.h"
#include "servers/common/cities.h"
#include "servers/common/cities_json.h"
#include "servers/common/grpc_call.h"
#include "servers/common/http1.h"
#include "servers/common/http_json.h"
#include "servers/common/rpc.h"

static struct rpc_data data; /* set before any thread runs */

static int get_cities(const struct http1_request *request, struct http1_reply *reply)
{
	struct buf *out = http1_reply_begin(
		reply, 200, HTTP_JSON_TYPE, data.cities->n * CITIES_JSON_CITY_LEN);

	(void)request;
	return out != NULL ? cities_json(out, data.cities) : -1;
}

static const struct http1_route routes[] = {
	{.path = "/cities", .methods = HTTP1_GET, .handle = get_cities},
	{0},
};

static const struct http2_service service = {.handler = &grpc_handler, .arg = &data};
static const struct stream_protocol grpc_protocol = {.ops = &http2_ops, .arg = &service};
static const struct srv_spec grpc_spec = {
	.port = 50051,
	.service = &stream_service,
	.arg = &grpc_protocol,
};

static const struct stream_protocol http_protocol = {.ops = &http1_ops, .arg = routes};
static const struct srv_spec spec = {
	.name = "cities-data",
	.summary = "Serves 1500 cities: GET /cities over HTTP/1.1, and GetCities over gRPC.",
	.port = 5005,
	.service = &stream_service,
	.arg = &http_protocol,
	.grpc = &grpc_spec,
};

int main(int argc, char **argv)
{
	struct cities *cities;
	int status;

	fail_set_program(spec.name);
	cities = cities_load(NULL);
	if (cities == NULL)
		return 1;
	data.cities = cities;
	status = srv_main(&spec, argc, argv);
	cities_free(cities);
	return status;
}
