#ifndef HARNESS_PROTO_H
#define HARNESS_PROTO_H

#include <jansson.h>

#include "lib/slice.h"

struct buf;

/**
 * DOC: The calls of the .proto files in protos, between the JSON of protos/expect and protobuf's
 * bytes, by the descriptors that protobuf-c generates.
 *
 * In JSON a field has its name in the .proto file; a float is the shortest number that reads
 * back as the same float; bytes show as their length, NAME_bytes.
 */

struct ProtobufCMessageDescriptor;

/** struct proto_call - One call of the suite over gRPC. */
struct proto_call {
	const char *name; /* as in protos/expect */
	const char *path; /* "/package.Service/Method" */
	const struct ProtobufCMessageDescriptor *request;
	const struct ProtobufCMessageDescriptor *reply;
};

/** proto_call_find() - By name; NULL when it is no call over gRPC. */
const struct proto_call *proto_call_find(const char *name);

/**
 * proto_encode() - Append a message.
 * @json: an object of text and whole numbers, keys as in the .proto file.
 *
 * Return: 0, or -1 when a key or value does not fit, or out of memory.
 */
int proto_encode(const struct ProtobufCMessageDescriptor *type, json_t *json, struct buf *out);

/** proto_decode() - Return: a new reference, or NULL when the bytes are no such message. */
json_t *proto_decode(const struct ProtobufCMessageDescriptor *type, struct slice bytes);

#endif
