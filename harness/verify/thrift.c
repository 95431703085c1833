/*
 * verify_thrift: everything below runs in a sandbox
 *   check_all -> check_call for the call itself, and again for publish -> check_unknown
 *   check_call: session_open -> the generated client -> check_message -> diff with the expected
 */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <thrift/c_glib/protocol/thrift_binary_protocol.h>
#include <thrift/c_glib/protocol/thrift_compact_protocol.h>
#include <thrift/c_glib/thrift_application_exception.h>
#include <thrift/c_glib/transport/thrift_framed_transport.h>
#include <thrift/c_glib/transport/thrift_memory_buffer.h>

#include "harness/call.h"
#include "harness/manifest.h"
#include "harness/reason.h"
#include "harness/verify/diff.h"
#include "harness/verify/exchange.h"
#include "harness/verify/sandbox.h"
#include "harness/verify/verify.h"
#include "lib/buf.h"
#include "lib/clock.h"
#include "unpkg_unpkg_service.h"

#define EXCHANGES_MAX  3 /* the call, another publish, an unknown method */
#define UNKNOWN_METHOD "RpcbenchNoSuchMethod"

/* How a contestant speaks: from the query of the call's URL. */
struct variant {
	bool compact;
	bool framed;
};

/* The two calls of protos/unpkg.thrift. */
struct method {
	const char *call;
	const char *name;
	json_t *(*ask)(UnpkgUnpkgServiceIf *client, const json_t *request, GError **error);
};

/* A connection with the protocol on top. */
struct session {
	VerifyExchange *exchange;
	ThriftTransport *framed; /* or NULL */
	ThriftProtocol *protocol;
};

/* One "name=value" of a query. Return: false when it is unknown. */
static bool read_pair(const char *pair, size_t len, struct variant *variant)
{
	static const struct {
		const char *pair;
		bool compact;
		bool value;
	} known[] = {
		{"protocol=binary", true, false},
		{"protocol=compact", true, true},
		{"transport=buffered", false, false},
		{"transport=framed", false, true},
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (strlen(known[i].pair) != len || memcmp(known[i].pair, pair, len) != 0)
			continue;
		if (known[i].compact)
			variant->compact = known[i].value;
		else
			variant->framed = known[i].value;
		return true;
	}
	return false;
}

/* /Service.Method[?protocol=binary|compact&transport=buffered|framed] */
static int read_url(
	const char *url, const struct method *method, struct variant *variant, char *reason)
{
	size_t path = strcspn(url, "?");
	char want[64];
	const char *p = url + path;

	snprintf(want, sizeof(want), "/UnpkgService.%s", method->name);
	if (strlen(want) != path || memcmp(want, url, path) != 0)
		return reason_set(reason, "expected the url %s, got %.*s", want, (int)path, url);
	while (*p != '\0') {
		size_t len = strcspn(++p, "&");

		if (!read_pair(p, len, variant))
			return reason_set(reason,
				"expected protocol=binary or compact, transport=buffered or "
				"framed, got %.*s",
				(int)len, p);
		p += len;
	}
	return 0;
}

static ThriftProtocol *new_protocol(const struct variant *variant, ThriftTransport *transport)
{
	return g_object_new(
		variant->compact ? THRIFT_TYPE_COMPACT_PROTOCOL : THRIFT_TYPE_BINARY_PROTOCOL,
		"transport", transport, NULL);
}

static int session_open(struct session *s, const struct verify_params *params,
	const struct variant *variant, char *reason)
{
	ThriftTransport *transport;

	*s = (struct session){0};
	s->exchange = exchange_open(
		params->port, variant->framed, clock_ns() + params->timeout_ns, reason);
	if (s->exchange == NULL)
		return -1;
	transport = THRIFT_TRANSPORT(s->exchange);
	if (variant->framed) {
		s->framed =
			g_object_new(THRIFT_TYPE_FRAMED_TRANSPORT, "transport", transport, NULL);
		transport = s->framed;
	}
	s->protocol = new_protocol(variant, transport);
	return 0;
}

static void session_close(struct session *s)
{
	g_clear_object(&s->protocol);
	g_clear_object(&s->framed);
	g_clear_object(&s->exchange);
}

static void set_text(json_t *object, const char *key, gboolean is_set, const char *text)
{
	json_t *value;

	if (!is_set || text == NULL)
		return;
	value = json_string(text);
	json_object_set_new(object, key, value != NULL ? value : json_string("(not UTF-8)"));
}

static json_t *ask_find_one(UnpkgUnpkgServiceIf *client, const json_t *request, GError **error)
{
	UnpkgFindOneRequest *ask = g_object_new(UNPKG_TYPE_FIND_ONE_REQUEST, "name",
		json_string_value(json_object_get(request, "name")), NULL);
	UnpkgFindOneResponse *got = g_object_new(UNPKG_TYPE_FIND_ONE_RESPONSE, NULL);
	json_t *reply = NULL;

	if (unpkg_unpkg_service_if_find_one(client, &got, ask, error)) {
		reply = json_object();
		set_text(reply, "name", got->__isset_name, got->name);
		set_text(reply, "version", got->__isset_version, got->version);
		set_text(reply, "description", got->__isset_description, got->description);
		set_text(reply, "main", got->__isset_main, got->main);
		if (got->__isset_repository && got->repository != NULL) {
			json_t *repository = json_object();

			set_text(repository, "type", got->repository->__isset_type,
				got->repository->type);
			set_text(repository, "url", got->repository->__isset_url,
				got->repository->url);
			json_object_set_new(reply, "repository", repository);
		}
		set_text(reply, "author", got->__isset_author, got->author);
		set_text(reply, "license", got->__isset_license, got->license);
	}
	g_object_unref(ask);
	g_object_unref(got);
	return reply;
}

static json_t *ask_publish(UnpkgUnpkgServiceIf *client, const json_t *request, GError **error)
{
	UnpkgPublishRequest *ask = g_object_new(UNPKG_TYPE_PUBLISH_REQUEST, "name",
		json_string_value(json_object_get(request, "name")), "version",
		(gint)json_integer_value(json_object_get(request, "version")), NULL);
	UnpkgPublishResponse *got = g_object_new(UNPKG_TYPE_PUBLISH_RESPONSE, NULL);
	json_t *reply = NULL;

	if (unpkg_unpkg_service_if_publish(client, &got, ask, error)) {
		reply = json_object();
		json_object_set_new(reply, "code", json_integer(got->code));
		set_text(reply, "message", got->__isset_message, got->message);
	}
	g_object_unref(ask);
	g_object_unref(got);
	return reply;
}

static const struct method methods[] = {
	{"find_one", "FindOne", ask_find_one},
	{"publish", "Publish", ask_publish},
};

/*
 * The message that the client has read: is it the reply to this call, and nothing behind it?
 * The generated client looks at neither its sequence id nor the whole name.
 * @out: what follows the message's header is appended.
 */
static int check_message(const struct session *s, const struct variant *variant,
	const struct method *method, struct buf *out, char *reason)
{
	size_t skipped = s->framed != NULL ? EXCHANGE_FRAME_HEADER : 0;
	size_t len = s->exchange->taken - skipped;
	size_t behind = buf_len(&s->exchange->in) - s->exchange->taken;
	ThriftMemoryBuffer *memory =
		g_object_new(THRIFT_TYPE_MEMORY_BUFFER, "buf_size", VERIFY_BODY_MAX, NULL);
	ThriftProtocol *protocol = new_protocol(variant, THRIFT_TRANSPORT(memory));
	ThriftMessageType type = T_CALL;
	gchar *name = NULL;
	gint32 sequence = -1;
	int status = -1;

	if (s->framed != NULL)
		behind += THRIFT_FRAMED_TRANSPORT(s->framed)->r_buf->len;
	thrift_transport_write(
		THRIFT_TRANSPORT(memory), buf_head(&s->exchange->in) + skipped, (guint32)len, NULL);
	if (behind > 0)
		reason_set(reason, "%zu bytes come behind the reply", behind);
	else if (thrift_protocol_read_message_begin(protocol, &name, &type, &sequence, NULL) < 0)
		reason_set(reason, "the message's header cannot be read");
	else if (type != T_REPLY || name == NULL || strcmp(name, method->name) != 0)
		reason_set(reason, "expected a reply to %s, got type %d of '%s'", method->name,
			(int)type, name != NULL ? name : "");
	else if (sequence != 0)
		reason_set(reason, "expected sequence id 0, got %d", sequence);
	else if (buf_append(out, memory->buf->data, memory->buf->len) != 0)
		reason_set(reason, "out of memory");
	else
		status = 0;
	g_free(name);
	g_object_unref(protocol);
	g_object_unref(memory);
	return status;
}

/* The text of a library's error as ASCII: it may quote the peer. */
static int set_error(char *reason, const char *what, const GError *error)
{
	char text[256];

	snprintf(text, sizeof(text), "%s", error != NULL ? error->message : "unknown error");
	for (char *p = text; *p != '\0'; p++)
		if (*p < ' ' || *p > '~')
			*p = '?';
	return reason_set(reason, "%s%s", what, text);
}

/* One call: send @request, expect @reply. @out: the result struct's bytes are appended. */
static int check_call(const struct verify_params *params, const struct variant *variant,
	const struct method *method, const json_t *request, const json_t *reply, struct buf *out,
	char *reason)
{
	UnpkgUnpkgServiceClient *client;
	GError *error = NULL;
	struct session s;
	json_t *got;
	int status = session_open(&s, params, variant, reason);

	if (status != 0)
		return -1;
	client = g_object_new(UNPKG_TYPE_UNPKG_SERVICE_CLIENT, "input_protocol", s.protocol,
		"output_protocol", s.protocol, NULL);
	got = method->ask(UNPKG_UNPKG_SERVICE_IF(client), request, &error);
	if (got == NULL)
		status = set_error(reason, "reply: ", error);
	if (status == 0)
		status = check_message(&s, variant, method, out, reason);
	if (status == 0)
		status = diff_json(reply, got, "reply", reason);
	json_decref(got);
	g_clear_error(&error);
	g_object_unref(client);
	session_close(&s);
	return status;
}

/* The same call with another request; those bytes are no reference. */
static int check_reflection(const struct verify_params *params, const struct variant *variant,
	const struct method *method, char *reason)
{
	char why[REASON_MAX];
	struct buf ignored = {0};
	struct call varied;
	int status;

	if (!call_vary(params->expect, &varied))
		return 0;
	status = check_call(params, variant, method, varied.request, varied.reply, &ignored, why);
	if (status != 0)
		reason_set(reason, "reflects: %s", why);
	call_free(&varied);
	buf_free(&ignored);
	return status;
}

static bool send_unknown(ThriftProtocol *protocol, GError **error)
{
	return thrift_protocol_write_message_begin(protocol, UNKNOWN_METHOD, T_CALL, 0, error) >=
		       0 &&
	       thrift_protocol_write_struct_begin(protocol, "args", error) >= 0 &&
	       thrift_protocol_write_field_stop(protocol, error) >= 0 &&
	       thrift_protocol_write_struct_end(protocol, error) >= 0 &&
	       thrift_protocol_write_message_end(protocol, error) >= 0 &&
	       thrift_transport_flush(protocol->transport, error) &&
	       thrift_transport_write_end(protocol->transport, error);
}

static int check_unknown(
	const struct verify_params *params, const struct variant *variant, char *reason)
{
	static const char rule[] = "unknown_method: ";
	ThriftMessageType type = T_CALL;
	GError *error = NULL;
	struct session s;
	gchar *name = NULL;
	gint32 sequence;
	int status = session_open(&s, params, variant, reason);

	if (status != 0)
		return -1;
	if (!send_unknown(s.protocol, &error) ||
		thrift_protocol_read_message_begin(s.protocol, &name, &type, &sequence, &error) < 0)
		status = set_error(reason, rule, error);
	else if (type != T_EXCEPTION)
		status = reason_set(reason, "%sexpected an exception, got a message of type %d",
			rule, (int)type);
	g_clear_error(&error);
	g_free(name);
	session_close(&s);
	return status;
}

static int check_all(void *arg, struct buf *out, char *reason)
{
	const struct verify_params *params = arg;
	const struct method *method = NULL;
	struct variant variant = {0};

	for (size_t i = 0; i < sizeof(methods) / sizeof(methods[0]); i++)
		if (strcmp(methods[i].call, params->call->name) == 0)
			method = &methods[i];
	if (method == NULL)
		return reason_set(reason, "protos/unpkg.thrift has no such call");
	if (read_url(params->call->url, method, &variant, reason) != 0 ||
		check_call(params, &variant, method, params->expect->request, params->expect->reply,
			out, reason) != 0)
		return -1;
	if (check_reflection(params, &variant, method, reason) != 0)
		return -1;
	if (params->contestant->class != MANIFEST_BARE)
		return check_unknown(params, &variant, reason);
	return 0;
}

int verify_thrift(const struct verify_params *params, struct buf *reference, char *reason)
{
	return sandbox_run(
		check_all, (void *)params, EXCHANGES_MAX * params->timeout_ns, reference, reason);
}
