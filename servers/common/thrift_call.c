#include <stdlib.h>
#include <thrift/c_glib/protocol/thrift_protocol.h>
#include <thrift/c_glib/thrift_application_exception.h>

#include "lib/buf.h"
#include "servers/common/thrift_binary.h"
#include "servers/common/thrift_bytes.h"
#include "servers/common/thrift_call.h"
#include "servers/common/thrift_compact.h"
#include "servers/common/thrift_handler.h"

struct thrift_call {
	ThriftBytes *bytes;
	ThriftProtocol *protocol;
	ThriftProcessor *processor;
};

struct thrift_call *thrift_call_new(enum thrift_encoding encoding)
{
	GType protocol =
		encoding == THRIFT_COMPACT ? thrift_compact_get_type() : thrift_binary_get_type();
	struct thrift_call *call = malloc(sizeof(*call));

	if (call == NULL)
		return NULL;
	call->bytes = g_object_new(thrift_bytes_get_type(), NULL);
	call->protocol = g_object_new(protocol, "transport", call->bytes, NULL);
	call->processor = thrift_handler_processor();
	return call;
}

void thrift_call_free(struct thrift_call *call)
{
	if (call == NULL)
		return;
	g_object_unref(call->processor);
	g_object_unref(call->protocol);
	g_object_unref(call->bytes);
	free(call);
}

/* The message's structure holds, so what the generated code missed is a required field. */
static int refuse(struct thrift_call *call, const struct thrift_head *head, const char *why)
{
	ThriftApplicationException *exception;
	gboolean written;

	exception = g_object_new(THRIFT_TYPE_APPLICATION_EXCEPTION, "type",
		THRIFT_APPLICATION_EXCEPTION_ERROR_PROTOCOL_ERROR, "message", why, NULL);
	written = thrift_protocol_write_message_begin(
			  call->protocol, head->name, T_EXCEPTION, head->seqid, NULL) >= 0 &&
		  thrift_struct_write(THRIFT_STRUCT(exception), call->protocol, NULL) >= 0 &&
		  thrift_protocol_write_message_end(call->protocol, NULL) >= 0;
	g_object_unref(exception);
	return written ? 0 : -1;
}

int thrift_call_answer(struct thrift_call *call, const struct thrift_head *head, const char *data,
	size_t len, struct buf *out)
{
	size_t before = buf_len(out);
	GError *error = NULL;
	int result = 0;

	thrift_bytes_set(call->bytes, data, len, out);
	if (!thrift_processor_process(call->processor, call->protocol, call->protocol, &error)) {
		out->end = out->start + before;
		result = refuse(call, head, error != NULL ? error->message : "bad request");
		g_clear_error(&error);
	}
	if (head->type == THRIFT_ONEWAY)
		out->end = out->start + before;
	return result;
}
