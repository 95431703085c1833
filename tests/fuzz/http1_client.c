/* The load engine's side of HTTP/1.1. */
#include "tests/fuzz/client.h"
#include "tests/fuzz/fuzz.h"

static const struct fuzz_client client = {"http://127.0.0.1:8080/", {"body", 4}};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_client_run(&client, data, size);
	return 0;
}
