#ifndef SERVERS_COMMON_THRIFT_CALL_H
#define SERVERS_COMMON_THRIFT_CALL_H

#include <stddef.h>

#include "servers/common/thrift_end.h"

struct buf;
struct thrift_call;

/**
 * thrift_call_new() - What answers calls in an encoding: transport, protocol and processor,
 *   used again for each message.
 *
 * Return: owned by the caller, or NULL with errno ENOMEM.
 */
struct thrift_call *thrift_call_new(enum thrift_encoding encoding);

/** thrift_call_free() - Also of NULL. */
void thrift_call_free(struct thrift_call *call);

/**
 * thrift_call_answer() - Append the reply to one whole message to @out.
 * @head: of that message, from the walk that found its end.
 *
 * Return: 0; or -1 when it cannot be answered, and @out may hold part of a reply.
 */
int thrift_call_answer(struct thrift_call *call, const struct thrift_head *head, const char *data,
	size_t len, struct buf *out);

#endif
