/*
 * The life of a call, between two events of its completion queue:
 *   call_post   -> gRPC core waits for a request of this method
 *   on_request  -> another call is posted in its place; this one's message is answered, and
 *                  headers, reply and status go out as one batch
 *   on_answered -> everything was sent, or the call was cancelled, or its deadline is over
 * A call is posted anew at once, not after its answer, so that peers that do not read their
 * replies hold nobody up but themselves.
 */
#include <grpc/byte_buffer.h>
#include <grpc/byte_buffer_reader.h>
#include <grpc/slice.h>
#include <grpc/support/time.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "lib/fail.h"
#include "lib/slice.h"
#include "servers/common/count.h"
#include "servers/grpc-core/call.h"

/* Calls of each method that wait on each queue. Measured with 1000 in flight: the server's CPU per
 * request is the same from 1 to 64, and a tenth more with 512. */
#define CALLS_POSTED 64

struct call {
	const struct call_method *method;
	grpc_call *call; /* NULL as long as it waits for a request */
	grpc_metadata_array headers;
	grpc_call_details details; /* of an unknown method */
	gpr_timespec deadline;     /* gRPC core keeps it itself */
	grpc_byte_buffer *request;
	grpc_byte_buffer *reply;
	bool answered; /* its next event is the last */
	int cancelled;
	struct call *next; /* among the idle */
};

static struct call *call_new(struct call_worker *worker)
{
	struct call *call = worker->idle;

	if (call != NULL) {
		worker->idle = call->next;
		return call;
	}
	call = calloc(1, sizeof(*call));
	if (call != NULL)
		grpc_metadata_array_init(&call->headers);
	return call;
}

/* The one end of all calls. The array of headers is kept, for the next use. */
static void call_end(struct call_worker *worker, struct call *call)
{
	grpc_byte_buffer_destroy(call->request);
	grpc_byte_buffer_destroy(call->reply);
	if (call->call != NULL && call->method->rpc == NULL)
		grpc_call_details_destroy(&call->details);
	if (call->call != NULL)
		grpc_call_unref(call->call);
	*call = (struct call){.headers = call->headers, .next = worker->idle};
	call->headers.count = 0;
	worker->idle = call;
}

static int call_post(struct call_worker *worker, const struct call_method *method)
{
	struct call *call = call_new(worker);
	grpc_call_error error;

	if (call == NULL)
		return -1;
	call->method = method;
	if (method->rpc != NULL) {
		error = grpc_server_request_registered_call(worker->server, method->handle,
			&call->call, &call->deadline, &call->headers, &call->request, worker->queue,
			worker->queue, call);
	} else {
		grpc_call_details_init(&call->details);
		error = grpc_server_request_call(worker->server, &call->call, &call->details,
			&call->headers, worker->queue, worker->queue, call);
	}
	if (error == GRPC_CALL_OK)
		return 0;
	call_end(worker, call);
	return -1;
}

/* Sends it all at once. A batch that is refused ends the call. */
static void call_send(
	struct call_worker *worker, struct call *call, enum rpc_code code, const char *message)
{
	grpc_slice details = grpc_slice_from_copied_string(code != RPC_OK ? message : "");
	grpc_op ops[4] = {
		{.op = GRPC_OP_RECV_CLOSE_ON_SERVER},
		{.op = GRPC_OP_SEND_INITIAL_METADATA},
		{.op = GRPC_OP_SEND_STATUS_FROM_SERVER},
		{.op = GRPC_OP_SEND_MESSAGE},
	};

	call->answered = true;
	ops[0].data.recv_close_on_server.cancelled = &call->cancelled;
	ops[2].data.send_status_from_server.status = (grpc_status_code)code;
	ops[2].data.send_status_from_server.status_details = code != RPC_OK ? &details : NULL;
	ops[3].data.send_message.send_message = call->reply;
	if (grpc_call_start_batch(call->call, ops, code == RPC_OK ? 4 : 3, call, NULL) !=
		GRPC_CALL_OK)
		call_end(worker, call);
	grpc_slice_unref(details);
}

/* Runs the method on a request, which is one slice unless it came in several frames. */
static enum rpc_code call_method(struct call_worker *worker, struct call *call, char *message)
{
	grpc_byte_buffer_reader reader;
	enum rpc_code code;
	grpc_slice bytes;

	grpc_byte_buffer_reader_init(&reader, call->request);
	bytes = grpc_byte_buffer_reader_readall(&reader);
	buf_clear(&worker->reply);
	code = call->method->rpc->call(worker->data,
		(struct slice){(const char *)GRPC_SLICE_START_PTR(bytes), GRPC_SLICE_LENGTH(bytes)},
		&worker->reply, message);
	grpc_slice_unref(bytes);
	grpc_byte_buffer_reader_destroy(&reader);
	if (code != RPC_OK)
		return code;
	bytes = grpc_slice_from_copied_buffer(buf_head(&worker->reply), buf_len(&worker->reply));
	call->reply = grpc_raw_byte_buffer_create(&bytes, 1);
	grpc_slice_unref(bytes);
	return RPC_OK;
}

static void on_request(struct call_worker *worker, struct call *call)
{
	char message[RPC_MESSAGE_MAX] = "";
	enum rpc_code code;

	count_request();
	/* Out of memory: one call less is posted from now on. */
	call_post(worker, call->method);
	if (call->method->rpc == NULL) {
		code = RPC_UNIMPLEMENTED;
		strcpy(message, "no such method");
	} else if (call->request == NULL) {
		/* It was cancelled or is refused already, by gRPC core. */
		code = RPC_INVALID_ARGUMENT;
		strcpy(message, "the request has no message");
	} else {
		code = call_method(worker, call, message);
	}
	call_send(worker, call, code, message);
}

int call_worker_start(struct call_worker *worker)
{
	const struct call_method *method = worker->methods;

	do {
		for (int i = 0; i < CALLS_POSTED; i++)
			if (call_post(worker, method) != 0)
				return fail_msg("cannot set up a completion queue");
	} while (method++->rpc != NULL);
	return 0;
}

void call_worker_run(struct call_worker *worker)
{
	const gpr_timespec forever = gpr_inf_future(GPR_CLOCK_MONOTONIC);

	for (;;) {
		grpc_event event = grpc_completion_queue_next(worker->queue, forever, NULL);
		struct call *call = event.tag;

		if (event.type == GRPC_QUEUE_SHUTDOWN)
			return;
		if (event.success && !call->answered)
			on_request(worker, call);
		else
			call_end(worker, call);
	}
}

void call_worker_free(struct call_worker *worker)
{
	while (worker->idle != NULL) {
		struct call *call = worker->idle;

		worker->idle = call->next;
		grpc_metadata_array_destroy(&call->headers);
		free(call);
	}
	buf_free(&worker->reply);
}
