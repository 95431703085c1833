/* The load engine's side of Thrift; the first byte says which protocol and transport. */
#include "tests/fuzz/client.h"
#include "tests/fuzz/fuzz.h"

#define URL       "thrift://127.0.0.1:4001/UnpkgService.FindOne"
#define ARGUMENTS "{\"1\":{\"rec\":{\"1\":{\"str\":\"koa-suit\"}}}}"
#define CLIENT(query)                                                                              \
	{                                                                                          \
		URL query,                                                                         \
		{                                                                                  \
			ARGUMENTS, sizeof(ARGUMENTS) - 1                                           \
		}                                                                                  \
	}

static const struct fuzz_client clients[] = {
	CLIENT("?protocol=binary&transport=buffered"),
	CLIENT("?protocol=binary&transport=framed"),
	CLIENT("?protocol=compact&transport=buffered"),
	CLIENT("?protocol=compact&transport=framed"),
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size > 0)
		fuzz_client_run(&clients[data[0] % 4], data + 1, size - 1);
	return 0;
}
