#include "harness/load/outcome.h"

static const char *const names[OUT_KINDS] = {
	[OUT_OK] = "ok",
	[OUT_STATUS] = "status",
	[OUT_MISMATCH] = "mismatch",
	[OUT_PROTOCOL] = "protocol",
	[OUT_RESET] = "reset",
	[OUT_EOF] = "eof",
	[OUT_TIMEOUT] = "timeout",
	[OUT_NO_LENGTH] = "no_length",
	[OUT_STALE] = "stale_connection",
	[OUT_THRIFT_EXCEPTION] = "thrift_exception",
	[OUT_THRIFT_SEQID] = "thrift_seqid",
	[OUT_THRIFT_FRAME] = "thrift_frame",
	[OUT_GRPC] = "grpc",
	[OUT_CONNECT_REFUSED] = "connect_refused",
	[OUT_CONNECT_TIMEOUT] = "connect_timeout",
	[OUT_CONNECT] = "connect",
	[OUT_ADDR_IN_USE] = "addr_in_use",
	[OUT_UNEXPECTED] = "unexpected_reply",
};

const char *outcome_name(enum outcome outcome)
{
	return names[outcome];
}
