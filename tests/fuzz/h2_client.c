/* The load engine's side of HTTP/2 and of gRPC; the first byte says which. */
#include "tests/fuzz/client.h"
#include "tests/fuzz/fuzz.h"

static char body[20000]; /* of several frames; some of them fill the connection's window */
static const struct fuzz_client clients[] = {
	{"grpc://127.0.0.1:50051/unpkg.Unpkg/FindOne", {"\n\1a", 3}},
	{"h2c://127.0.0.1:8080/", {"body", 4}},
	{"grpc://127.0.0.1:50051/unpkg.Unpkg/FindOne", {body, sizeof(body)}},
	{"h2c://127.0.0.1:8080/", {NULL, 0}},
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size > 0)
		fuzz_client_run(&clients[data[0] % 4], data + 1, size - 1);
	return 0;
}
