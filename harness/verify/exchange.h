#ifndef HARNESS_VERIFY_EXCHANGE_H
#define HARNESS_VERIFY_EXCHANGE_H

#include <stdbool.h>
#include <stdint.h>
#include <thrift/c_glib/transport/thrift_transport.h>

#include "lib/buf.h"

/**
 * DOC: A ThriftTransport of our own over a socket with a deadline, since c_glib's sockets wait
 * for ever. It keeps all that was received, and hands out just what is asked for, so that the
 * bytes behind a message can be told from it. GLib's way of classes asks for the typedef.
 */

typedef struct _VerifyExchange VerifyExchange;

struct _VerifyExchange {
	ThriftTransport parent;

	int fd;
	bool framed; /* the first bytes are a frame's length */
	int64_t deadline_ns;
	struct buf out; /* written and not yet flushed */
	struct buf in;  /* all that was received */
	size_t taken;   /* bytes of it that were read */
};

#define EXCHANGE_FRAME_HEADER 4 /* bytes of a frame's length */

/**
 * exchange_open() - Connect to 127.0.0.1.
 * @framed: c_glib's framed transport comes on top. It takes a frame's length at its word, and
 *   puts that many bytes on the stack: so a length out of bounds is an error here.
 *
 * Return: an object to be freed by g_object_unref(), or NULL with @reason.
 */
VerifyExchange *exchange_open(uint16_t port, bool framed, int64_t deadline_ns, char *reason);

#endif
