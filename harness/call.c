#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/call.h"
#include "harness/paths.h"
#include "lib/buf.h"
#include "lib/clock.h"
#include "lib/fail.h"

#define CALLS "protos/expect"

bool call_is_known(const struct paths *paths, const char *name, struct buf *known)
{
	char **names = paths_list(paths, CALLS);
	bool found = false;

	for (char **n = names; n != NULL && *n != NULL; n++)
		found = found || strcmp(*n, name) == 0;
	for (char **n = names; !found && known != NULL && n != NULL && *n != NULL; n++)
		buf_printf(known, " %s", *n);
	paths_list_free(names);
	return found;
}

int call_load(struct call *call, const struct paths *paths, const char *name)
{
	char file[PATH_MAX];
	json_error_t error;

	*call = (struct call){0};
	snprintf(file, sizeof(file), "%s/" CALLS "/%s.json", paths->root, name);
	call->root = json_load_file(file, JSON_REJECT_DUPLICATES, &error);
	if (call->root == NULL)
		return fail_msg("%s:%d: %s", file, error.line, error.text);
	call->name = json_string_value(json_object_get(call->root, "call"));
	call->request = json_object_get(call->root, "request");
	call->reply = json_object_get(call->root, "reply");
	if (call->name == NULL || strcmp(call->name, name) != 0 || !json_is_object(call->request) ||
		(!json_is_object(call->reply) && !json_is_string(call->reply))) {
		call_free(call);
		return fail_msg("%s: expected {\"call\": \"%s\", \"request\": {…}, "
				"\"reply\": an object or a text}",
			file, name);
	}
	return 0;
}

void call_free(struct call *call)
{
	json_decref(call->root);
	*call = (struct call){0};
}

char *call_thrift_arguments(const struct call *call)
{
	json_t *name = json_object_get(call->request, "name");
	json_t *version = json_object_get(call->request, "version");
	json_t *arguments = NULL;
	char *text = NULL;

	if (strcmp(call->name, "find_one") == 0)
		arguments = json_pack("{s:{s:{s:{s:O}}}}", "1", "rec", "1", "str", name);
	else if (strcmp(call->name, "publish") == 0)
		arguments = json_pack("{s:{s:{s:{s:O}, s:{s:O}}}}", "1", "rec", "1", "str", name,
			"2", "i32", version);
	if (arguments != NULL)
		text = json_dumps(arguments, JSON_COMPACT);
	json_decref(arguments);
	return text;
}

char *call_json_body(const struct call *call)
{
	return json_dumps(call->request, JSON_COMPACT);
}

bool call_varies(const struct call *call)
{
	return strcmp(call->name, "publish") == 0 || strcmp(call->name, "echo") == 0;
}

bool call_vary(const struct call *call, struct call *varied)
{
	int number = (int)(clock_ns() % 1000000) + 3;
	char name[64];
	char message[96];

	if (!call_varies(call))
		return false;
	if (strcmp(call->name, "publish") == 0) {
		snprintf(name, sizeof(name), "verify-%d", getpid());
		snprintf(message, sizeof(message), "%s@%d", name, number);
		varied->root = json_pack("{s:{s:s, s:i}, s:{s:i, s:s}}", "request", "name", name,
			"version", number, "reply", "code", 0, "message", message);
	} else {
		snprintf(name, sizeof(name), "verify-%d-%d", getpid(), number);
		snprintf(message, sizeof(message), "Hello %s", name);
		varied->root = json_pack("{s:{s:s}, s:{s:s, s:i}}", "request", "name", name,
			"reply", "msg", message, "payload_bytes", 0);
	}
	varied->name = call->name;
	varied->request = json_object_get(varied->root, "request");
	varied->reply = json_object_get(varied->root, "reply");
	return varied->root != NULL;
}

bool call_vary_text(const struct call *call, struct call *varied)
{
	static const struct {
		const char *call;
		const char *field;
	} texts[] = {{"message", "message"}, {"find_one", "name"}};
	int number = (int)(clock_ns() % 1000000);
	char text[64];

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		if (strcmp(call->name, texts[i].call) != 0)
			continue;
		snprintf(text, sizeof(text), "verify-%d-%d", getpid(), number);
		varied->root = json_pack("{s:{s:s}, s:o}", "request", "text", text, "reply",
			json_deep_copy(call->reply));
		varied->name = call->name;
		varied->request = json_object_get(varied->root, "request");
		varied->reply = json_object_get(varied->root, "reply");
		return json_object_set_new(varied->reply, texts[i].field, json_string(text)) == 0;
	}
	return false;
}
