#include <stdio.h>
#include <string.h>

#include "harness/report/pick.h"

#define PICK_NAME_MAX                                                                              \
	64 /* bytes of a field's name with its NUL; schema rpcbench/1 has none longer */

/* Copies the first name of @path into @name. Return: what follows its dot; NULL at the end. */
static const char *next_name(const char *path, char *name)
{
	size_t len = strcspn(path, ".");

	snprintf(name, PICK_NAME_MAX, "%.*s", (int)len, path);
	return path[len] == '.' ? path + len + 1 : NULL;
}

const json_t *pick(const json_t *object, const char *path)
{
	char name[PICK_NAME_MAX];

	while (path != NULL && object != NULL) {
		path = next_name(path, name);
		object = json_object_get(object, name);
	}
	return object;
}

bool pick_number(const json_t *object, const char *path, double *value)
{
	const json_t *number = pick(object, path);

	if (!json_is_number(number))
		return false;
	*value = json_number_value(number);
	return true;
}

bool pick_bound(const json_t *object, const char *path, double *value)
{
	char bound[2 * PICK_NAME_MAX];

	snprintf(bound, sizeof(bound), "%s_at_least", path);
	return pick_number(object, bound, value);
}

double pick_or(const json_t *object, const char *path, double fallback)
{
	pick_number(object, path, &fallback);
	return fallback;
}

const char *pick_text(const json_t *object, const char *path)
{
	return json_string_value(pick(object, path));
}

bool pick_true(const json_t *object, const char *path)
{
	return json_is_true(pick(object, path));
}

const char *pick_reason(const json_t *object, const char *path)
{
	const char *reason = NULL;
	char name[PICK_NAME_MAX];
	char reason_name[PICK_NAME_MAX + sizeof("_reason")];

	while (path != NULL && json_is_object(object)) {
		path = next_name(path, name);
		snprintf(reason_name, sizeof(reason_name), "%s_reason", name);
		reason = pick_text(object, reason_name);
		object = json_object_get(object, name);
	}
	return reason != NULL ? reason : "not recorded";
}
