#ifndef SERVERS_COMMON_RPC_H
#define SERVERS_COMMON_RPC_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/slice.h"

struct buf;
struct cities;

/**
 * DOC: The gRPC methods of the suite, protobuf in and protobuf out, for any gRPC transport: it
 * hands over a message's bytes and gets the reply's. Messages are decoded and encoded by
 * protobuf-c for each call; what they mean is in app.h.
 */

/** enum rpc_code - The gRPC status codes that the servers use: grpc.io, "Status codes". */
enum rpc_code {
	RPC_OK = 0,
	RPC_CANCELLED = 1,
	RPC_UNKNOWN = 2,
	RPC_INVALID_ARGUMENT = 3,
	RPC_DEADLINE_EXCEEDED = 4,
	RPC_RESOURCE_EXHAUSTED = 8,
	RPC_UNIMPLEMENTED = 12,
	RPC_INTERNAL = 13,
	RPC_UNAVAILABLE = 14,
};

#define RPC_MESSAGE_MAX 128 /* bytes of a status message with its NUL */

/** struct rpc_data - What the methods answer from. */
struct rpc_data {
	const struct cities *cities; /* NULL: GetCities is not served */
};

/** struct rpc_method - One method. */
struct rpc_method {
	const char *path; /* "/package.Service/Method" */
	/*
	 * Append the encoded reply to @reply. Reentrant.
	 * @message: RPC_MESSAGE_MAX bytes, the status message when the code is not RPC_OK.
	 * Return: RPC_OK; RPC_INVALID_ARGUMENT when @request does not decode; or the method's own
	 * error. @reply is untouched unless RPC_OK.
	 */
	enum rpc_code (*call)(const struct rpc_data *data, struct slice request, struct buf *reply,
		char *message);
};

/** rpc_methods - All of them, ended by a NULL path. */
extern const struct rpc_method rpc_methods[];

/** rpc_find() - The method of a path; NULL when there is none. */
const struct rpc_method *rpc_find(struct slice path);

/** rpc_is_utf8() - True for UTF-8, as the strings of proto3 have to be; protobuf-c takes any. */
bool rpc_is_utf8(const char *text);

#endif
