#include <jansson.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "lib/buf.h"
#include "servers/common/http_json.h"

#define GUESS 512 /* bytes of room before the length is known; longer bodies are dumped twice */

static void set(json_t *object, const char *key, json_t *value)
{
	/* A failure leaves the key out; dump() finds it by counting. */
	json_object_set_new_nocheck(object, key, value);
}

static void set_text(json_t *object, const char *key, const char *text)
{
	set(object, key, json_string_nocheck(text));
}

/* Appends @object, which has @keys keys unless memory ran out, and lets go of it. */
static int dump(json_t *object, size_t keys, struct buf *out)
{
	size_t room = GUESS;
	size_t len;
	int error = -1;

	if (json_object_size(object) != keys || buf_reserve(out, room) != 0)
		goto out;
	len = json_dumpb(object, buf_tail(out), room, JSON_COMPACT);
	if (len > room) {
		if (buf_reserve(out, len) != 0)
			goto out;
		len = json_dumpb(object, buf_tail(out), len, JSON_COMPACT);
	}
	out->end += len;
	error = len > 0 ? 0 : -1;
out:
	json_decref(object);
	return error;
}

int http_json_message(const struct app_message *message, struct buf *out)
{
	json_t *object = json_object();

	set_text(object, "message", message->message);
	return dump(object, 1, out);
}

int http_json_package(const struct app_package *package, struct buf *out)
{
	json_t *object = json_object();
	json_t *repository = json_object();

	set_text(repository, "type", package->repository.type);
	set_text(repository, "url", package->repository.url);
	set_text(object, "name", package->name);
	set_text(object, "version", package->version);
	set_text(object, "description", package->description);
	set_text(object, "main", package->main);
	set(object, "repository", repository);
	set_text(object, "author", package->author);
	set_text(object, "license", package->license);
	return dump(object, 7, out);
}

int http_json_publish_reply(const struct app_publish_reply *reply, struct buf *out)
{
	json_t *object = json_object();

	set(object, "code", json_integer(reply->code));
	set_text(object, "message", reply->message);
	return dump(object, 2, out);
}

const char *http_json_text(struct slice query, const char *key, char *text, const char *fallback)
{
	static const char unreserved[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
					 "0123456789-._~";
	size_t skipped = strlen(key) + 1;
	size_t len;

	if (query.len <= skipped || query.len - skipped >= HTTP_JSON_TEXT ||
		memcmp(query.data, key, skipped - 1) != 0 || query.data[skipped - 1] != '=')
		return fallback;
	len = query.len - skipped;
	memcpy(text, query.data + skipped, len);
	text[len] = '\0';
	return strspn(text, unreserved) == len ? text : fallback;
}

static int refuse(struct app_publish_reply *reply, int status, const char *expected)
{
	reply->code = 1;
	snprintf(reply->message, sizeof(reply->message), "expected %s", expected);
	return status;
}

int http_json_publish(struct slice body, struct app_publish_reply *reply)
{
	json_t *object;
	const char *name;
	const json_t *version;
	json_int_t number;
	int status = 200;

	if (body.len > HTTP_JSON_PUBLISH_MAX)
		return refuse(reply, 413, "at most 64 KiB");
	object = json_loadb(body.data, body.len, 0, NULL);
	name = json_string_value(json_object_get(object, "name"));
	version = json_object_get(object, "version");
	number = json_integer_value(version);
	if (name == NULL || !json_is_integer(version) || number < INT32_MIN || number > INT32_MAX)
		status = refuse(
			reply, 400, "an object with a string name and a 32-bit integer version");
	else
		app_publish(name, (int32_t)number, reply);
	json_decref(object);
	return status;
}
