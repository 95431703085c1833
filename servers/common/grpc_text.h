#ifndef SERVERS_COMMON_GRPC_TEXT_H
#define SERVERS_COMMON_GRPC_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/slice.h"

/**
 * DOC: Field values of gRPC over HTTP/2: the document PROTOCOL-HTTP2 of grpc.io.
 */

/**
 * grpc_timeout_parse() - A grpc-timeout: at most 8 digits and a unit of H, M, S, m, u or n.
 * @ns: in nanoseconds, INT64_MAX when it does not fit.
 *
 * Return: false when it is none.
 */
bool grpc_timeout_parse(struct slice text, int64_t *ns);

/** grpc_is_type() - True for a content-type of protobuf messages over gRPC. */
bool grpc_is_type(struct slice text);

/**
 * grpc_message_encode() - Write a grpc-message: bytes that are no printable ASCII, and '%', are
 *   percent-encoded.
 * @out: room for three times as many bytes.
 *
 * Return: the bytes written.
 */
size_t grpc_message_encode(struct slice text, char *out);

#endif
