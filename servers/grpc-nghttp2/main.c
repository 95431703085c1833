/* grpc-nghttp2: the gRPC services over libevent and nghttp2. */
#include <stdlib.h>

#include "lib/fail.h"
#include "servers/common/cities.h"
#include "servers/common/grpc_call.h"
#include "servers/common/rpc.h"

static struct rpc_data data;
static const struct http2_service service = {.handler = &grpc_handler, .arg = &data};
static const struct stream_protocol protocol = {.ops = &http2_ops, .arg = &service};
static const struct srv_spec spec = {
	.name = "grpc-nghttp2",
	.summary = "Serves unpkg, cityinfo and echo over gRPC, by libevent and nghttp2.",
	.port = 50052,
	.service = &stream_service,
	.arg = &protocol,
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
