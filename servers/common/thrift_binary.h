#ifndef SERVERS_COMMON_THRIFT_BINARY_H
#define SERVERS_COMMON_THRIFT_BINARY_H

#include <glib-object.h>

/**
 * thrift_binary_get_type() - c_glib's ThriftBinaryProtocol, with what the generated code calls
 *   most done directly on the bytes of a ThriftBytes, which must be its transport. It also takes
 *   messages without a version, and answers each in the form it was asked in.
 */
GType thrift_binary_get_type(void);

#endif
