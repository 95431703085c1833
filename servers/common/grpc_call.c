#include <arpa/inet.h>
#include <string.h>

#include "lib/buf.h"
#include "lib/clock.h"
#include "servers/common/grpc_call.h"
#include "servers/common/grpc_text.h"
#include "servers/common/rpc.h"

#define PREFIX_LEN  5  /* of a message: the flag "compressed", then the length */
#define FIELD_EXTRA 32 /* bytes that a field counts for beyond its own, RFC 9113 section 6.5.2 */
#define TIMEOUT_MAX (INT64_C(366) * 86400 * NS_PER_S) /* a longer one is none */
#define CONSTANT    (NGHTTP2_NV_FLAG_NO_COPY_NAME | NGHTTP2_NV_FLAG_NO_COPY_VALUE)

/* A field of a constant name and value. */
#define FIELD(n, v)                                                                                \
	{                                                                                          \
		.name = (uint8_t *)(n), .value = (uint8_t *)(v), .namelen = sizeof(n) - 1,         \
		.valuelen = sizeof(v) - 1, .flags = CONSTANT                                       \
	}

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

/* What is noted of a call. */
struct call {
	const struct rpc_method *method;
	int64_t timeout_ns;  /* valid if has_timeout and not bad_timeout */
	int64_t deadline_ns; /* 0 = none */
	size_t fields_len;
	bool posts;
	bool grpc;
	bool has_timeout;
	bool bad_timeout;
	/* Why it is refused: by HTTP when there are fields, else by gRPC when there is a code. */
	struct http2_fields http;
	enum rpc_code code;
	const char *message;
};

static const nghttp2_nv head_ok[] = {
	FIELD(":status", "200"),
	FIELD("content-type", "application/grpc"),
};
static const nghttp2_nv trailers_ok[] = {FIELD("grpc-status", "0")};
static const nghttp2_nv not_post[] = {FIELD(":status", "405"), FIELD("allow", "POST")};
static const nghttp2_nv not_grpc[] = {FIELD(":status", "415")};

/* Trailers-only. */
static void fail(struct http2_stream *stream, enum rpc_code code, const char *message)
{
	char encoded[3 * RPC_MESSAGE_MAX];
	char digits[2] = {(char)('0' + code / 10), (char)('0' + code % 10)};
	size_t skip = digits[0] == '0';
	nghttp2_nv list[] = {
		head_ok[0],
		head_ok[1],
		FIELD("grpc-status", ""),
		FIELD("grpc-message", ""),
		FIELD("grpc-accept-encoding", "identity"),
	};
	size_t len = strnlen(message, RPC_MESSAGE_MAX);

	list[2].value = (uint8_t *)digits + skip;
	list[2].valuelen = sizeof(digits) - skip;
	list[2].flags = NGHTTP2_NV_FLAG_NO_COPY_NAME;
	list[3].value = (uint8_t *)encoded;
	list[3].valuelen = grpc_message_encode((struct slice){message, len}, encoded);
	list[3].flags = NGHTTP2_NV_FLAG_NO_COPY_NAME;
	http2_answer(stream, (struct http2_fields){list, code == RPC_UNIMPLEMENTED ? 5 : 4},
		(struct http2_fields){0});
}

static void call_field(void *state, struct slice name, struct slice value)
{
	struct call *call = state;

	call->fields_len += name.len + value.len + FIELD_EXTRA;
	switch (name.len) {
	case 5:
		if (memcmp(name.data, ":path", 5) == 0)
			call->method = rpc_find(value);
		break;
	case 7:
		if (memcmp(name.data, ":method", 7) == 0)
			call->posts = slice_eq(value, slice_of("POST"));
		break;
	case 12:
		if (memcmp(name.data, "content-type", 12) == 0) {
			call->grpc = grpc_is_type(value);
		} else if (memcmp(name.data, "grpc-timeout", 12) == 0) {
			call->has_timeout = true;
			call->bad_timeout = !grpc_timeout_parse(value, &call->timeout_ns);
		}
		break;
	}
}

static void refuse(
	struct http2_stream *stream, struct call *call, enum rpc_code code, const char *message)
{
	call->code = code;
	call->message = message;
	http2_refuse(stream);
}

static void refuse_http(struct http2_stream *stream, struct call *call, struct http2_fields fields)
{
	call->http = fields;
	http2_refuse(stream);
}

static void call_head(struct http2_stream *stream, void *state)
{
	struct call *call = state;

	if (call->has_timeout && !call->bad_timeout && call->timeout_ns < TIMEOUT_MAX) {
		call->deadline_ns = clock_ns() + call->timeout_ns;
		http2_set_deadline(stream, call->deadline_ns);
	}
	if (call->fields_len > http2_options(stream)->header_limit)
		refuse(stream, call, RPC_RESOURCE_EXHAUSTED, "header fields over --header-limit");
	else if (!call->posts)
		refuse_http(stream, call, (struct http2_fields){not_post, COUNT(not_post)});
	else if (!call->grpc)
		refuse_http(stream, call, (struct http2_fields){not_grpc, COUNT(not_grpc)});
	else if (call->method == NULL)
		refuse(stream, call, RPC_UNIMPLEMENTED, "unknown method");
	else if (call->bad_timeout)
		refuse(stream, call, RPC_INTERNAL, "malformed grpc-timeout");
}

/* The length of the message that @body starts with; it has a whole prefix. */
static size_t message_len(struct slice body)
{
	uint32_t len;

	memcpy(&len, body.data + 1, sizeof(len));
	return ntohl(len);
}

static void call_body(struct http2_stream *stream, void *state)
{
	struct slice body = http2_body(stream);
	struct call *call = state;

	if (body.len < PREFIX_LEN)
		return;
	if (body.data[0] == 1)
		refuse(stream, call, RPC_UNIMPLEMENTED, "compressed messages are not supported");
	else if (body.data[0] != 0)
		refuse(stream, call, RPC_INTERNAL, "broken message framing");
	else if (message_len(body) > http2_options(stream)->body_limit)
		refuse(stream, call, RPC_RESOURCE_EXHAUSTED, "message over --body-limit");
	else if (body.len - PREFIX_LEN > message_len(body))
		refuse(stream, call, RPC_INTERNAL, "more than one message");
}

/* Answers with the method's reply. */
static void answer(struct http2_stream *stream, const struct call *call, struct slice request)
{
	struct buf *reply = http2_reply(stream);
	char message[RPC_MESSAGE_MAX];
	enum rpc_code code;
	uint32_t len;

	if (buf_append(reply, "\0\0\0\0\0", PREFIX_LEN) != 0) {
		fail(stream, RPC_RESOURCE_EXHAUSTED, "out of memory");
		return;
	}
	code = call->method->call(http2_arg(stream), request, reply, message);
	if (code != RPC_OK) {
		buf_clear(reply);
		fail(stream, code, message);
		return;
	}
	len = htonl((uint32_t)(buf_len(reply) - PREFIX_LEN));
	memcpy(buf_head(reply) + 1, &len, sizeof(len));
	http2_answer(stream, (struct http2_fields){head_ok, COUNT(head_ok)},
		(struct http2_fields){trailers_ok, COUNT(trailers_ok)});
}

static void call_late(struct http2_stream *stream, void *state)
{
	(void)state;
	fail(stream, RPC_DEADLINE_EXCEEDED, "deadline exceeded");
}

static void call_end(struct http2_stream *stream, void *state)
{
	const struct call *call = state;
	struct slice body = http2_body(stream);

	if (call->http.n > 0) {
		http2_answer(stream, call->http, (struct http2_fields){0});
	} else if (call->code != RPC_OK) {
		fail(stream, call->code, call->message);
	} else if (call->deadline_ns != 0 && clock_ns() >= call->deadline_ns) {
		call_late(stream, state);
	} else if (body.len < PREFIX_LEN || body.len - PREFIX_LEN < message_len(body)) {
		fail(stream, RPC_INTERNAL, body.len == 0 ? "no message" : "message cut short");
	} else {
		body.data += PREFIX_LEN;
		body.len -= PREFIX_LEN;
		answer(stream, call, body);
	}
}

const struct http2_handler grpc_handler = {
	.state_size = sizeof(struct call),
	.field = call_field,
	.head = call_head,
	.body = call_body,
	.end = call_end,
	.late = call_late,
};
