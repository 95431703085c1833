/*
 * verify_http
 *   check_reply: the call itself -> status, content type, date, body
 *   check_reflection, check_unknown_path, check_head
 * exchange: one request on a connection of its own
 *   llhttp -> on_field, on_value, on_value_done -> on_headers -> on_body -> on_message
 */
#include <llhttp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include <unistd.h>

#include "harness/call.h"
#include "harness/manifest.h"
#include "harness/reason.h"
#include "harness/verify/diff.h"
#include "harness/verify/sock.h"
#include "harness/verify/verify.h"
#include "lib/buf.h"
#include "lib/clock.h"

#define HEADER_MAX   (64 << 10)        /* bytes of names and values in a reply */
#define QUIET_NS     (200 * NS_PER_MS) /* without a byte: nothing comes behind a reply to HEAD */
#define UNKNOWN_PATH "/rpcbench-no-such-path"
#define DATE_FORMAT  "%a, %d %b %Y %H:%M:%S GMT"

/* What is asked. */
struct ask {
	const char *method;
	const char *path;
	const struct call *call; /* whose request is the body of a POST */
};

/* A reply as llhttp reads it. */
struct reply {
	bool head; /* to a HEAD request: no body follows */
	bool complete;
	unsigned status;
	size_t header_bytes;
	struct buf field; /* of the header line being read */
	struct buf value;
	unsigned dates;
	unsigned types;
	char date[64];
	char type[128];
	struct buf body;
	time_t asked; /* when it was asked for and complete */
	time_t answered;
};

static void reply_free(struct reply *reply)
{
	buf_free(&reply->field);
	buf_free(&reply->value);
	buf_free(&reply->body);
}

static int append_header(struct reply *reply, struct buf *to, const char *at, size_t len)
{
	reply->header_bytes += len;
	return reply->header_bytes <= HEADER_MAX && buf_append(to, at, len) == 0 ? 0 : HPE_USER;
}

static int on_field(llhttp_t *parser, const char *at, size_t len)
{
	struct reply *reply = parser->data;

	return append_header(reply, &reply->field, at, len);
}

static int on_value(llhttp_t *parser, const char *at, size_t len)
{
	struct reply *reply = parser->data;

	return append_header(reply, &reply->value, at, len);
}

static bool is_field(const struct buf *field, const char *name)
{
	return buf_len(field) == strlen(name) &&
	       strncasecmp(buf_head(field), name, strlen(name)) == 0;
}

static int on_value_done(llhttp_t *parser)
{
	struct reply *reply = parser->data;
	int len = (int)buf_len(&reply->value);
	const char *value = len > 0 ? buf_head(&reply->value) : "";

	if (is_field(&reply->field, "date")) {
		reply->dates++;
		snprintf(reply->date, sizeof(reply->date), "%.*s", len, value);
	} else if (is_field(&reply->field, "content-type")) {
		reply->types++;
		snprintf(reply->type, sizeof(reply->type), "%.*s", len, value);
	}
	buf_clear(&reply->field);
	buf_clear(&reply->value);
	return 0;
}

/* Return: 1 tells llhttp that no body follows. */
static int on_headers(llhttp_t *parser)
{
	struct reply *reply = parser->data;

	reply->status = parser->status_code;
	return reply->head ? 1 : 0;
}

static int on_body(llhttp_t *parser, const char *at, size_t len)
{
	struct reply *reply = parser->data;

	if (buf_len(&reply->body) + len > VERIFY_BODY_MAX)
		return HPE_USER;
	return buf_append(&reply->body, at, len) == 0 ? 0 : HPE_USER;
}

static int on_message(llhttp_t *parser)
{
	struct reply *reply = parser->data;

	/* 100 Continue and its like come before the reply. */
	if (reply->status / 100 == 1)
		return 0;
	reply->complete = true;
	return HPE_PAUSED;
}

/* Return: 0, or -1 with @reason. @len 0 is the end of the connection. */
static int feed(llhttp_t *parser, const char *data, size_t len, char *reason)
{
	struct reply *reply = parser->data;
	enum llhttp_errno error =
		len > 0 ? llhttp_execute(parser, data, len) : llhttp_finish(parser);
	size_t extra;

	if (!reply->complete && error == HPE_USER)
		return reason_set(reason,
			"the reply is larger than %d bytes of header or %d of body", HEADER_MAX,
			VERIFY_BODY_MAX);
	if (len == 0 && !reply->complete)
		return reason_set(reason, "the connection was closed before a whole reply");
	if (!reply->complete && error != HPE_OK)
		return reason_set(reason, "not HTTP/1.1: %s", llhttp_get_error_reason(parser));
	if (!reply->complete || len == 0)
		return 0;
	extra = (size_t)(data + len - llhttp_get_error_pos(parser));
	if (extra > 0)
		return reason_set(reason, "%zu bytes come behind the reply", extra);
	return 0;
}

/* Every method but GET and HEAD carries the call's request as JSON. */
static void append_body(struct buf *request, const struct ask *ask, bool has_type)
{
	char *body = call_json_body(ask->call);

	if (body != NULL)
		buf_printf(request, "%sContent-Length: %zu\r\n\r\n%s",
			has_type ? "" : "Content-Type: application/json\r\n", strlen(body), body);
	free(body);
}

static int send_request(int fd, const struct verify_params *params, const struct ask *ask,
	int64_t deadline_ns, char *reason)
{
	struct buf request = {0};
	bool has_type = false;
	json_t *value;
	const char *name;
	int status;

	buf_printf(&request, "%s %s HTTP/1.1\r\nHost: %s:%u\r\n", ask->method, ask->path,
		MANIFEST_HOST, params->port);
	json_object_foreach (params->call->headers, name, value) {
		buf_printf(&request, "%s: %s\r\n", name, json_string_value(value));
		has_type = has_type || strcasecmp(name, "content-type") == 0;
	}
	if (strcmp(ask->method, "HEAD") == 0)
		buf_printf(&request, "Connection: close\r\n\r\n");
	else if (strcmp(ask->method, "GET") == 0)
		buf_printf(&request, "\r\n");
	else
		append_body(&request, ask, has_type);
	status = sock_send(fd, buf_head(&request), buf_len(&request), deadline_ns, reason);
	buf_free(&request);
	return status;
}

/* After the reply to HEAD: whatever comes before the end of the connection is a body. */
static int check_quiet(int fd, char *reason)
{
	char data[4096];
	char ignored[REASON_MAX];
	ssize_t n = sock_receive(fd, data, sizeof(data), clock_ns() + QUIET_NS, ignored);

	return n > 0 ? reason_set(reason, "%zd bytes come behind the reply", n) : 0;
}

static int receive_reply(int fd, struct reply *reply, const llhttp_settings_t *settings,
	int64_t deadline_ns, char *reason)
{
	llhttp_t parser;

	llhttp_init(&parser, HTTP_RESPONSE, settings);
	parser.data = reply;
	while (!reply->complete) {
		char data[16384];
		ssize_t n = sock_receive(fd, data, sizeof(data), deadline_ns, reason);

		if (n < 0 || feed(&parser, data, (size_t)n, reason) != 0)
			return -1;
	}
	return reply->head ? check_quiet(fd, reason) : 0;
}

/* Return: 0 with a whole reply, to be freed in both cases; or -1 with @reason. */
static int exchange(const struct verify_params *params, const struct ask *ask, struct reply *reply,
	char *reason)
{
	const llhttp_settings_t settings = {
		.on_header_field = on_field,
		.on_header_value = on_value,
		.on_header_value_complete = on_value_done,
		.on_headers_complete = on_headers,
		.on_body = on_body,
		.on_message_complete = on_message,
	};
	int64_t deadline_ns = clock_ns() + params->timeout_ns;
	int status;
	int fd;

	*reply = (struct reply){.head = strcmp(ask->method, "HEAD") == 0, .asked = time(NULL)};
	fd = sock_connect(params->port, deadline_ns, reason);
	if (fd < 0)
		return -1;
	status = send_request(fd, params, ask, deadline_ns, reason);
	if (status == 0)
		status = receive_reply(fd, reply, &settings, deadline_ns, reason);
	reply->answered = time(NULL);
	close(fd);
	return status;
}

static bool is_bare(const struct verify_params *params)
{
	return params->contestant->class == MANIFEST_BARE;
}

static int check_type(const struct verify_params *params, const struct reply *reply, char *reason)
{
	const char *want =
		json_is_string(params->expect->reply) ? "text/plain" : "application/json";
	size_t len = strcspn(reply->type, "; \t");
	char quoted[REASON_QUOTE];

	if (reply->types == 0 && is_bare(params))
		return 0;
	if (reply->types == 0)
		return reason_set(reason, "content_type: expected %s, which is missing", want);
	if (reply->types > 1)
		return reason_set(reason, "content_type: expected one, got %u", reply->types);
	if (len != strlen(want) || strncasecmp(reply->type, want, len) != 0)
		return reason_set(reason, "content_type: expected %s, got %s", want,
			reason_quote(reply->type, strlen(reply->type), quoted));
	return 0;
}

/* A Date that was made once. Each of the same second is the same, so that only time tells. */
static int check_frozen(struct verify_seen *seen, const char *date, char *reason)
{
	int64_t now_ns = clock_ns();

	if (seen == NULL)
		return 0;
	if (strcmp(seen->date, date) == 0 && now_ns - seen->date_ns > VERIFY_FROZEN_NS)
		return reason_set(reason, "frozen-date: it was '%s' %.1f s ago, and still is", date,
			(double)(now_ns - seen->date_ns) / NS_PER_S);
	if (strcmp(seen->date, date) == 0)
		return 0;
	snprintf(seen->date, sizeof(seen->date), "%s", date);
	seen->date_ns = now_ns;
	return 0;
}

static int check_date(const struct verify_params *params, const struct reply *reply, char *reason)
{
	struct tm parts = {0};
	char again[64] = "";
	char quoted[REASON_QUOTE];
	const char *end;
	time_t date;

	if (is_bare(params))
		return 0;
	if (reply->dates != 1)
		return reason_set(reason, "date: expected one, got %u", reply->dates);
	reason_quote(reply->date, strlen(reply->date), quoted);
	end = strptime(reply->date, DATE_FORMAT, &parts);
	date = timegm(&parts);
	/* Written again it must be the same: that checks the weekday, and each blank and zero. */
	if (end != NULL)
		strftime(again, sizeof(again), DATE_FORMAT, &parts);
	if (end == NULL || strcmp(again, reply->date) != 0)
		return reason_set(reason,
			"date: expected the form 'Sun, 06 Nov 1994 08:49:37 GMT', got %s", quoted);
	if (check_frozen(params->seen, reply->date, reason) != 0)
		return -1;
	if (date < reply->asked - VERIFY_DATE_S || date > reply->answered + VERIFY_DATE_S)
		return reason_set(reason, "date: expected one within %d s of now, got %s",
			VERIFY_DATE_S, quoted);
	return 0;
}

static int check_body(const struct call *expect, const struct reply *reply, char *reason)
{
	const char *text = json_string_value(expect->reply);
	size_t len = buf_len(&reply->body);
	const char *body = len > 0 ? buf_head(&reply->body) : "";
	json_error_t error;
	json_t *got;
	int status;

	if (text != NULL) {
		char quoted[REASON_QUOTE];

		if (len == strlen(text) && memcmp(body, text, len) == 0)
			return 0;
		return reason_set(reason, "reply: expected \"%s\" (%zu bytes), got %s (%zu bytes)",
			text, strlen(text), reason_quote(body, len, quoted), len);
	}
	got = json_loadb(body, len, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &error);
	if (got == NULL) {
		char quoted[REASON_QUOTE];

		return reason_set(
			reason, "reply: expected JSON, got %s", reason_quote(body, len, quoted));
	}
	status = diff_json(expect->reply, got, "reply", reason);
	json_decref(got);
	return status;
}

static int check_reply(const struct verify_params *params, const struct call *expect,
	const struct reply *reply, char *reason)
{
	if (reply->status != 200)
		return reason_set(reason, "status: expected 200, got %u", reply->status);
	if (check_body(expect, reply, reason) != 0 || check_type(params, reply, reason) != 0)
		return -1;
	return check_date(params, reply, reason);
}

/* The same call with another request. */
static int check_varied(const struct verify_params *params, const char *path,
	const struct call *varied, char *reason)
{
	const struct ask ask = {params->call->method, path, varied};
	struct reply reply;
	char why[REASON_MAX];
	int status = exchange(params, &ask, &reply, why);

	if (status == 0)
		status = check_reply(params, varied, &reply, why);
	if (status != 0)
		reason_set(reason, "json-per-request: %s", why);
	reply_free(&reply);
	return status;
}

/* By its body; or, of a call that has one reply, by the path that the contestant names. */
static int check_reflection(const struct verify_params *params, char *reason)
{
	const char *path = params->call->varied;
	const char *at = path != NULL ? strstr(path, MANIFEST_TEXT) : NULL;
	struct call varied = {0};
	struct buf with_text = {0};
	int status = 0;

	if (call_vary(params->expect, &varied)) {
		status = check_varied(params, params->call->url, &varied, reason);
	} else if (at != NULL && call_vary_text(params->expect, &varied)) {
		buf_printf(&with_text, "%.*s%s%s", (int)(at - path), path,
			json_string_value(json_object_get(varied.request, "text")),
			at + strlen(MANIFEST_TEXT));
		status = buf_append(&with_text, "", 1) == 0
				 ? check_varied(params, buf_head(&with_text), &varied, reason)
				 : reason_set(reason, "out of memory");
	}
	buf_free(&with_text);
	call_free(&varied);
	return status;
}

static int check_unknown_path(
	const struct verify_params *params, const struct buf *body, char *reason)
{
	const struct ask ask = {params->call->method, UNKNOWN_PATH, params->expect};
	struct reply reply;
	char why[REASON_MAX];
	int status = exchange(params, &ask, &reply, why);

	if (status != 0)
		reason_set(reason, "unknown_path: %s", why);
	else if (reply.status == 200 && buf_len(&reply.body) == buf_len(body) &&
		 memcmp(buf_head(&reply.body), buf_head(body), buf_len(body)) == 0)
		status = reason_set(reason,
			"unknown_path: %s gets the same reply as %s, expected 404", UNKNOWN_PATH,
			params->call->url);
	reply_free(&reply);
	return status;
}

static int check_head(const struct verify_params *params, char *reason)
{
	const struct ask ask = {"HEAD", params->call->url, params->expect};
	struct reply reply;
	char why[REASON_MAX];
	int status = exchange(params, &ask, &reply, why);

	if (status != 0)
		reason_set(reason, "head: %s", why);
	reply_free(&reply);
	return status;
}

int verify_http(const struct verify_params *params, struct buf *reference, char *reason)
{
	const struct ask ask = {params->call->method, params->call->url, params->expect};
	struct reply reply;
	int status = exchange(params, &ask, &reply, reason);

	if (status == 0)
		status = check_reply(params, params->expect, &reply, reason);
	if (status == 0)
		status = check_reflection(params, reason);
	if (status == 0 && !is_bare(params))
		status = check_unknown_path(params, &reply.body, reason);
	if (status == 0 && !is_bare(params) && strcmp(ask.method, "GET") == 0)
		status = check_head(params, reason);
	if (status == 0 && buf_append(reference, buf_head(&reply.body), buf_len(&reply.body)) != 0)
		status = reason_set(reason, "out of memory");
	reply_free(&reply);
	return status;
}
