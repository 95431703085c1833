#ifndef SERVERS_COMMON_GRPC_CALL_H
#define SERVERS_COMMON_GRPC_CALL_H

#include "servers/common/http2.h"

/**
 * DOC: Unary gRPC over HTTP/2: grpc.io, the document PROTOCOL-HTTP2.
 *
 * What is no gRPC is answered by HTTP: 405 for other methods than POST, 415 for other types
 * than application/grpc. Everything else is answered by a gRPC status, in a header without a
 * body when it is not OK: UNIMPLEMENTED for an unknown method and for a compressed message,
 * INTERNAL for a malformed grpc-timeout, for broken framing and for more or fewer messages than
 * one, RESOURCE_EXHAUSTED for a message over --body-limit and fields over --header-limit,
 * DEADLINE_EXCEEDED once grpc-timeout has passed.
 */

/** grpc_handler - Serves rpc_methods; the arg of its service is a struct rpc_data. */
extern const struct http2_handler grpc_handler;

#endif
