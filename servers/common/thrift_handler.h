#ifndef SERVERS_COMMON_THRIFT_HANDLER_H
#define SERVERS_COMMON_THRIFT_HANDLER_H

#include <thrift/c_glib/processor/thrift_processor.h>

/**
 * thrift_handler_processor() - A new generated processor of UnpkgService, over a handler that
 *   answers from servers/common/app.
 *
 * Return: a reference of the caller's. One processor serves one thread.
 */
ThriftProcessor *thrift_handler_processor(void);

#endif
