/* The gRPC services of grpc-nghttp2: HTTP/2 frames, header blocks, messages. */
#include "servers/common/cities.h"
#include "servers/common/grpc_call.h"
#include "servers/common/rpc.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/server.h"

static const struct city list[] = {{"AD", "Vila", 42.5F, 1.5F}, {"DE", "Ulm", 48.4F, 10}};
static const struct cities cities = {.list = list, .n = 2};
static const struct rpc_data data_served = {.cities = &cities};
static const struct http2_service service = {.handler = &grpc_handler, .arg = &data_served};
static const struct fuzz_server server = {.ops = &http2_ops, .arg = &service};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_server_run(&server, data, size);
	return 0;
}
