#ifndef SERVERS_GRPC_CORE_CALL_H
#define SERVERS_GRPC_CORE_CALL_H

#include <grpc/grpc.h>
#include <stddef.h>

#include "lib/buf.h"
#include "servers/common/rpc.h"

/** struct call_method - A method that the server has registered with gRPC core. */
struct call_method {
	const struct rpc_method *rpc; /* NULL: any other path, answered with UNIMPLEMENTED */
	void *handle; /* of grpc_server_register_method(); NULL for any other path */
};

/**
 * struct call_worker - One thread's completion queue and the calls on it. Nothing of it is
 * shared, so nothing is locked.
 */
struct call_worker {
	grpc_server *server;
	grpc_completion_queue *queue;
	const struct rpc_data *data;
	const struct call_method *methods; /* the last one has no rpc */
	struct call *idle;                 /* calls to use again */
	struct buf reply;                  /* the message being encoded */
};

/** call_worker_start() - Post the calls that wait for requests. Return: 0, or -1 after a message.
 */
int call_worker_start(struct call_worker *worker);

/** call_worker_run() - Answer calls until the queue is shut down and empty. */
void call_worker_run(struct call_worker *worker);

/** call_worker_free() - Let go of the calls that idle and the buffer; not of queue and server. */
void call_worker_free(struct call_worker *worker);

#endif
