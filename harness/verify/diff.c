#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/reason.h"
#include "harness/verify/diff.h"

#define SHOWN_MAX 80 /* bytes of a value in a reason */
#define PATH_SIZE 128

/* @value as a short text; owned by the caller. */
static char *show(const json_t *value)
{
	char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT | JSON_ENSURE_ASCII);

	if (text != NULL && strlen(text) > SHOWN_MAX)
		memcpy(text + SHOWN_MAX - 3, "...", 4);
	return text;
}

/* One of the values may be NULL: it is missing. */
static int report(const json_t *expected, const json_t *got, const char *path, char *reason)
{
	char *want = expected != NULL ? show(expected) : NULL;
	char *have = got != NULL ? show(got) : NULL;

	if (got == NULL)
		reason_set(reason, "%s: expected %s, which is missing", path, want);
	else if (expected == NULL)
		reason_set(reason, "%s: expected nothing, got %s", path, have);
	else
		reason_set(reason, "%s: expected %s, got %s", path, want, have);
	free(want);
	free(have);
	return -1;
}

static int diff_objects(json_t *expected, json_t *got, const char *path, char *reason)
{
	char part[PATH_SIZE];
	const char *key;
	json_t *value;

	json_object_foreach (expected, key, value) {
		json_t *other = json_object_get(got, key);

		snprintf(part, sizeof(part), "%s.%s", path, key);
		if (other == NULL)
			return report(value, NULL, part, reason);
		if (diff_json(value, other, part, reason) != 0)
			return -1;
	}
	json_object_foreach (got, key, value) {
		if (json_object_get(expected, key) != NULL)
			continue;
		snprintf(part, sizeof(part), "%s.%s", path, key);
		return report(NULL, value, part, reason);
	}
	return 0;
}

static int diff_arrays(const json_t *expected, const json_t *got, const char *path, char *reason)
{
	size_t n = json_array_size(expected);
	char part[PATH_SIZE];

	for (size_t i = 0; i < n || i < json_array_size(got); i++) {
		const json_t *want = json_array_get(expected, i);
		const json_t *have = json_array_get(got, i);

		snprintf(part, sizeof(part), "%s[%zu]", path, i);
		if (want == NULL || have == NULL)
			return report(want, have, part, reason);
		if (diff_json(want, have, part, reason) != 0)
			return -1;
	}
	return 0;
}

/* -5 and -5.0 are one number. */
static bool same_number(const json_t *a, const json_t *b)
{
	return json_is_number(a) && json_is_number(b) &&
	       json_number_value(a) == json_number_value(b);
}

int diff_json(const json_t *expected, const json_t *got, const char *path, char *reason)
{
	if (json_is_object(expected) && json_is_object(got))
		return diff_objects((json_t *)expected, (json_t *)got, path, reason);
	if (json_is_array(expected) && json_is_array(got))
		return diff_arrays(expected, got, path, reason);
	if (json_equal(expected, got) || same_number(expected, got))
		return 0;
	return report(expected, got, path, reason);
}
