#ifndef SERVERS_COMMON_THRIFT_COMPACT_H
#define SERVERS_COMMON_THRIFT_COMPACT_H

#include <glib-object.h>

/**
 * thrift_compact_get_type() - c_glib's ThriftCompactProtocol, with what the generated code calls
 *   most done directly on the bytes of a ThriftBytes, which must be its transport. Structs may
 *   nest THRIFT_DEPTH_MAX deep.
 */
GType thrift_compact_get_type(void);

#endif
