#ifndef SERVERS_COMMON_THRIFT_CONN_H
#define SERVERS_COMMON_THRIFT_CONN_H

#include <stdbool.h>

#include "servers/common/stream.h"
#include "servers/common/thrift_end.h"

/**
 * DOC: The server side of Thrift. Each connection finds its messages' ends, and hands whole
 * messages to the generated processor of c_glib, which reads them where they lie and writes into
 * the worker's buffer of replies.
 *
 * Malformed bytes, messages over --body-limit and messages that are no requests close the
 * connection. An unknown method and arguments without a required field are answered by a
 * TApplicationException, and the connection goes on. A oneway call gets no reply.
 */

/** struct thrift_variant - What makes a Thrift server: the arg of a struct stream_protocol. */
struct thrift_variant {
	enum thrift_encoding encoding;
	bool framed; /* each message has its length in front, 4 bytes, big-endian */
};

/** thrift_conn_ops - The protocol; thrift_conn_main() serves it. */
extern const struct stream_ops thrift_conn_ops;

/**
 * thrift_conn_main() - The whole life of a Thrift server.
 * @spec: its service is stream_service.
 */
int thrift_conn_main(const struct srv_spec *spec, int argc, char **argv);

#endif
