#ifndef SERVERS_THRIFT_SIMPLE_GUARD_H
#define SERVERS_THRIFT_SIMPLE_GUARD_H

#include <glib-object.h>

/**
 * DOC: The library's binary protocol trusts its peers: it allocates any length they promise,
 * follows any nesting until the stack ends, and uses memory that it never set after a message
 * without a version or one that ends too early. The guard is that protocol with limits. What
 * remains is the name of a method, lost by the library when a call of an unknown one breaks off.
 */

/**
 * guard_factory_new() - A ThriftProtocolFactory of guarded binary protocols.
 * @limit: bytes of a string.
 *
 * Return: the factory (transfer full).
 */
gpointer guard_factory_new(guint32 limit);

#endif
