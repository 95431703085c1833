#ifndef SERVERS_COMMON_THRIFT_BYTES_H
#define SERVERS_COMMON_THRIFT_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <thrift/c_glib/transport/thrift_transport.h>

#include "lib/buf.h"

/**
 * DOC: A ThriftTransport that reads from bytes where they lie and appends to a buffer. c_glib's
 * own ThriftMemoryBuffer copies messages in and out and moves what is left at each read.
 */

/** ThriftBytes - The GObject; fields are for the protocols that read and write past it. */
typedef struct {
	ThriftTransport parent;
	const char *in; /* not read yet */
	const char *in_end;
	struct buf *out;
} ThriftBytes;

typedef struct {
	ThriftTransportClass parent;
} ThriftBytesClass;

GType thrift_bytes_get_type(void);

/** thrift_bytes_set() - Read from @len bytes at @data, append to @out; both stay the caller's. */
void thrift_bytes_set(ThriftBytes *bytes, const char *data, size_t len, struct buf *out);

/** thrift_bytes_short() - Set @error: the message ends too early. Return: -1. */
gint32 thrift_bytes_short(GError **error);

/** thrift_bytes_grow() - Room for @len more bytes. Return: false with @error set, if none. */
bool thrift_bytes_grow(ThriftBytes *bytes, size_t len, GError **error);

/** thrift_bytes_take() - The next @len bytes, or NULL with @error set when there are less. */
static inline const char *thrift_bytes_take(ThriftBytes *bytes, size_t len, GError **error)
{
	const char *at = bytes->in;

	if (len > (size_t)(bytes->in_end - at)) {
		thrift_bytes_short(error);
		return NULL;
	}
	bytes->in = at + len;
	return at;
}

/**
 * thrift_bytes_string() - The next @len bytes as a string (transfer full).
 *
 * Return: false with @error set when there are less; nothing is allocated then.
 */
static inline bool thrift_bytes_string(
	ThriftBytes *bytes, size_t len, gchar **string, GError **error)
{
	const char *at = thrift_bytes_take(bytes, len, error);

	*string = NULL;
	if (at == NULL)
		return false;
	*string = g_malloc(len + 1);
	memcpy(*string, at, len);
	(*string)[len] = '\0';
	return true;
}

/** thrift_bytes_room() - Where to write the next @len bytes, or NULL with @error set. */
static inline char *thrift_bytes_room(ThriftBytes *bytes, size_t len, GError **error)
{
	struct buf *out = bytes->out;
	char *room;

	if (out->cap - out->end < len && !thrift_bytes_grow(bytes, len, error))
		return NULL;
	room = buf_tail(out);
	out->end += len;
	return room;
}

#endif
