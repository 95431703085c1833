#ifndef SERVERS_COMMON_THRIFT_TYPES_H
#define SERVERS_COMMON_THRIFT_TYPES_H

#include <glib-object.h>

/**
 * thrift_types_register() - Register the generated types, whose getters may not be called by
 *   several threads at once for the first time. To be called once, before any thread starts.
 */
void thrift_types_register(void);

/**
 * thrift_types_mend() - Make the finalizer of one of the library's classes call that of GObject,
 *   without which each object leaks some memory.
 * @type: not mended yet, and without subclasses in use.
 */
void thrift_types_mend(GType type);

#endif
