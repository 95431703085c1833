/* The Thrift server side; the first byte says which protocol and transport. */
#include "servers/common/thrift_conn.h"
#include "servers/common/thrift_types.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/server.h"

static const struct thrift_variant variants[] = {
	{THRIFT_BINARY, false},
	{THRIFT_BINARY, true},
	{THRIFT_COMPACT, true},
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static bool registered;
	struct fuzz_server server = {.ops = &thrift_conn_ops};

	if (size == 0)
		return 0;
	if (!registered)
		thrift_types_register();
	registered = true;
	server.arg = &variants[data[0] % (sizeof(variants) / sizeof(*variants))];
	fuzz_server_run(&server, data + 1, size - 1);
	return 0;
}
