#include "servers/common/thrift_conn.h"

static const struct thrift_variant variant = {.encoding = THRIFT_BINARY, .framed = true};
static const struct stream_protocol protocol = {.ops = &thrift_conn_ops, .arg = &variant};
static const struct srv_spec spec = {
	.name = "thrift-framed",
	.summary = "Serves UnpkgService over Thrift, binary protocol, framed.",
	.port = 4002,
	.service = &stream_service,
	.arg = &protocol,
};

int main(int argc, char **argv)
{
	return thrift_conn_main(&spec, argc, argv);
}
