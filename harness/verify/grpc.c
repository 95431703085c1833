/*
 * verify_grpc: everything below runs in a sandbox
 *   check_all -> check_call for the call itself, again for publish and echo -> check_unknown
 *   call_unary: one unary call by gRPC core, blocking on a completion queue with a deadline
 */
#include <grpc/byte_buffer_reader.h>
#include <grpc/grpc.h>
#include <grpc/grpc_security.h>
#include <grpc/support/time.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "harness/call.h"
#include "harness/manifest.h"
#include "harness/proto.h"
#include "harness/reason.h"
#include "harness/verify/diff.h"
#include "harness/verify/sandbox.h"
#include "harness/verify/verify.h"
#include "lib/buf.h"

#define EXCHANGES_MAX  4 /* the call, another publish, two of echo, an unknown method */
#define UNKNOWN_METHOD "/rpcbench.NoSuchService/NoSuchMethod"

/* A channel, and what its calls wait on. */
struct client {
	grpc_channel *channel;
	grpc_completion_queue *queue;
	gpr_timespec deadline;
};

static void client_open(struct client *c, const struct verify_params *params)
{
	grpc_channel_credentials *insecure = grpc_insecure_credentials_create();
	char target[64];

	snprintf(target, sizeof(target), "ipv4:%s:%u", MANIFEST_HOST, params->port);
	c->channel = grpc_channel_create(target, insecure, NULL);
	c->queue = grpc_completion_queue_create_for_next(NULL);
	c->deadline = gpr_time_add(gpr_now(GPR_CLOCK_MONOTONIC),
		gpr_time_from_nanos(params->timeout_ns, GPR_TIMESPAN));
	grpc_channel_credentials_release(insecure);
}

static void client_close(struct client *c)
{
	grpc_channel_destroy(c->channel);
	grpc_completion_queue_shutdown(c->queue);
	while (grpc_completion_queue_next(c->queue, gpr_inf_future(GPR_CLOCK_MONOTONIC), NULL)
			.type != GRPC_QUEUE_SHUTDOWN)
		continue;
	grpc_completion_queue_destroy(c->queue);
}

/* What a unary call gives back. */
struct answer {
	grpc_status_code code;
	char message[128]; /* of the status, as ASCII */
	struct buf bytes;  /* of the message */
	bool has_message;
};

static int keep_message(struct answer *a, grpc_byte_buffer *message)
{
	grpc_byte_buffer_reader reader;
	grpc_slice slice;
	int status;

	a->has_message = message != NULL;
	if (message == NULL)
		return 0;
	if (!grpc_byte_buffer_reader_init(&reader, message))
		return -1;
	slice = grpc_byte_buffer_reader_readall(&reader);
	status = buf_append(&a->bytes, GRPC_SLICE_START_PTR(slice), GRPC_SLICE_LENGTH(slice));
	grpc_slice_unref(slice);
	grpc_byte_buffer_reader_destroy(&reader);
	grpc_byte_buffer_destroy(message);
	return status;
}

static void keep_status(struct answer *a, grpc_slice details)
{
	size_t n = GRPC_SLICE_LENGTH(details);

	if (n > sizeof(a->message) - 1)
		n = sizeof(a->message) - 1;
	memcpy(a->message, GRPC_SLICE_START_PTR(details), n);
	a->message[n] = '\0';
	for (char *p = a->message; *p != '\0'; p++)
		if (*p < ' ' || *p > '~')
			*p = '?';
}

/* Sends one message and takes in the reply. Return: 0, or -1 when memory was short. */
static int call_unary(struct client *c, const char *path, struct slice request, struct answer *a)
{
	grpc_slice bytes = grpc_slice_from_copied_buffer(request.data, request.len);
	grpc_byte_buffer *message = grpc_raw_byte_buffer_create(&bytes, 1);
	grpc_byte_buffer *reply = NULL;
	grpc_slice details = grpc_empty_slice();
	grpc_metadata_array head;
	grpc_metadata_array tail;
	grpc_op ops[6];
	grpc_call *call = grpc_channel_create_call(c->channel, NULL, GRPC_PROPAGATE_DEFAULTS,
		c->queue, grpc_slice_from_copied_string(path), NULL, c->deadline, NULL);
	int status;

	memset(ops, 0, sizeof(ops));
	grpc_metadata_array_init(&head);
	grpc_metadata_array_init(&tail);
	ops[0].op = GRPC_OP_SEND_INITIAL_METADATA;
	ops[1].op = GRPC_OP_SEND_MESSAGE;
	ops[1].data.send_message.send_message = message;
	ops[2].op = GRPC_OP_SEND_CLOSE_FROM_CLIENT;
	ops[3].op = GRPC_OP_RECV_INITIAL_METADATA;
	ops[3].data.recv_initial_metadata.recv_initial_metadata = &head;
	ops[4].op = GRPC_OP_RECV_MESSAGE;
	ops[4].data.recv_message.recv_message = &reply;
	ops[5].op = GRPC_OP_RECV_STATUS_ON_CLIENT;
	ops[5].data.recv_status_on_client.trailing_metadata = &tail;
	ops[5].data.recv_status_on_client.status = &a->code;
	ops[5].data.recv_status_on_client.status_details = &details;
	grpc_call_start_batch(call, ops, 6, call, NULL);
	/* Ends by the call's own deadline at the latest. */
	grpc_completion_queue_next(c->queue, gpr_inf_future(GPR_CLOCK_MONOTONIC), NULL);

	keep_status(a, details);
	status = keep_message(a, reply);
	grpc_call_unref(call);
	grpc_metadata_array_destroy(&head);
	grpc_metadata_array_destroy(&tail);
	grpc_slice_unref(details);
	grpc_slice_unref(bytes);
	grpc_byte_buffer_destroy(message);
	return status;
}

/* One call: send @request, expect @reply. @out: the reply message's bytes are appended. */
static int check_call(struct client *c, const struct proto_call *call, json_t *request,
	const json_t *reply, struct buf *out, char *reason)
{
	struct answer a = {0};
	struct buf bytes = {0};
	json_t *got = NULL;
	int status = -1;

	if (proto_encode(call->request, request, &bytes) != 0 ||
		call_unary(c, call->path,
			(struct slice){.data = buf_head(&bytes), .len = buf_len(&bytes)},
			&a) != 0) {
		reason_set(reason, "the request cannot be sent");
		goto out;
	}
	if (a.code != GRPC_STATUS_OK) {
		reason_set(reason, "status: expected OK, got code %d (%s)", (int)a.code, a.message);
		goto out;
	}
	got = a.has_message ? proto_decode(call->reply, (struct slice){.data = buf_head(&a.bytes),
								.len = buf_len(&a.bytes)})
			    : NULL;
	if (got == NULL)
		reason_set(reason, "reply: expected one message of %s", call->path);
	else if (diff_json(reply, got, "reply", reason) == 0)
		status = buf_append(out, buf_head(&a.bytes), buf_len(&a.bytes));
out:
	json_decref(got);
	buf_free(&bytes);
	buf_free(&a.bytes);
	return status;
}

/* The same call with another request; those bytes are no reference. */
static int check_reflection(
	struct client *c, const struct proto_call *call, const struct call *expect, char *reason)
{
	char why[REASON_MAX];
	struct buf ignored = {0};
	struct call varied;
	int status;

	if (!call_vary(expect, &varied))
		return 0;
	status = check_call(c, call, varied.request, varied.reply, &ignored, why);
	if (status != 0)
		reason_set(reason, "reflects: %s", why);
	call_free(&varied);
	buf_free(&ignored);
	return status;
}

/* Two echoes of random bytes must differ. */
static int check_random(struct client *c, const struct proto_call *call, const struct call *expect,
	const struct buf *first, char *reason)
{
	struct buf second = {0};
	int status = check_call(c, call, expect->request, expect->reply, &second, reason);

	if (status == 0 && buf_len(first) == buf_len(&second) &&
		memcmp(buf_head(first), buf_head(&second), buf_len(first)) == 0)
		status = reason_set(reason, "random: two replies carry the same bytes");
	buf_free(&second);
	return status;
}

static int check_unknown(struct client *c, char *reason)
{
	struct answer a = {0};
	int status = call_unary(c, UNKNOWN_METHOD, (struct slice){.data = "", .len = 0}, &a);

	if (status == 0 && a.code != GRPC_STATUS_UNIMPLEMENTED)
		status = reason_set(reason,
			"unknown_method: expected code 12 (UNIMPLEMENTED), got %d (%s)",
			(int)a.code, a.message);
	buf_free(&a.bytes);
	return status;
}

static int check_with(struct client *c, const struct verify_params *params,
	const struct proto_call *call, struct buf *out, char *reason)
{
	const struct call *expect = params->expect;
	size_t before = buf_len(out);
	struct buf first = {0};

	if (check_call(c, call, expect->request, expect->reply, out, reason) != 0)
		return -1;
	first = (struct buf){.data = buf_head(out) + before, .end = buf_len(out) - before};
	if (check_reflection(c, call, expect, reason) != 0)
		return -1;
	if (strcmp(call->name, "echo") == 0 && check_random(c, call, expect, &first, reason) != 0)
		return -1;
	if (params->contestant->class != MANIFEST_BARE)
		return check_unknown(c, reason);
	return 0;
}

static int check_all(void *arg, struct buf *out, char *reason)
{
	const struct verify_params *params = arg;
	const struct proto_call *call = proto_call_find(params->call->name);
	struct client c;
	int status;

	if (call == NULL)
		return reason_set(reason, "the .proto files in protos have no such call");
	if (strcmp(params->call->url, call->path) != 0)
		return reason_set(
			reason, "expected the url %s, got %s", call->path, params->call->url);
	grpc_init();
	client_open(&c, params);
	status = check_with(&c, params, call, out, reason);
	client_close(&c);
	grpc_shutdown();
	return status;
}

int verify_grpc(const struct verify_params *params, struct buf *reference, char *reason)
{
	return sandbox_run(
		check_all, (void *)params, EXCHANGES_MAX * params->timeout_ns, reference, reason);
}
