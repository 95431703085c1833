#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "harness/report/result.h"
#include "harness/report/schema.h"
#include "harness/report/schema_fields.h"
#include "lib/fail.h"

#define SCHEMA_NUMBER_MAX 9007199254740992.0 /* 2^53: whole numbers up to it are exact in JSON */
#define SCHEMA_PATH       256

/** struct place - Where in the record the check is. */
struct place {
	const char *file;
	char path[SCHEMA_PATH];
};

static const char *found(const json_t *value)
{
	static const char *const names[] = {
		[JSON_OBJECT] = "an object",
		[JSON_ARRAY] = "a list",
		[JSON_STRING] = "a text",
		[JSON_INTEGER] = "a number",
		[JSON_REAL] = "a number",
		[JSON_TRUE] = "true",
		[JSON_FALSE] = "false",
		[JSON_NULL] = "null",
	};

	return value != NULL ? names[json_typeof(value)] : "nothing";
}

static int wrong(const struct place *place, const char *expected, const json_t *value)
{
	return fail_msg(
		"%s: %s: expected %s, found %s", place->file, place->path, expected, found(value));
}

static int check_number(const json_t *value, bool is_signed, const struct place *place)
{
	double number = json_number_value(value);

	if (!json_is_number(value))
		return wrong(place, "a number", value);
	if (number < (is_signed ? -SCHEMA_NUMBER_MAX : 0) || number > SCHEMA_NUMBER_MAX)
		return fail_msg("%s: %s: expected a number from %s to 2^53, found %.17g",
			place->file, place->path, is_signed ? "-2^53" : "0", number);
	return 0;
}

static int check_counts(const json_t *object, struct place *place)
{
	size_t len = strlen(place->path);
	const char *name;
	json_t *value;

	if (!json_is_object(object))
		return wrong(place, "an object of numbers", object);
	json_object_foreach ((json_t *)object, name, value) {
		snprintf(place->path + len, SCHEMA_PATH - len, ".%s", name);
		if (check_number(value, false, place) != 0)
			return -1;
	}
	place->path[len] = '\0';
	return 0;
}

static int check_pairs(const json_t *list, struct place *place)
{
	size_t len = strlen(place->path);
	const json_t *pair;
	size_t i;

	if (!json_is_array(list))
		return wrong(place, "a list", list);
	json_array_foreach (list, i, pair) {
		snprintf(place->path + len, SCHEMA_PATH - len, "[%zu]", i);
		if (json_array_size(pair) != 2 || !json_is_integer(json_array_get(pair, 0)) ||
			!json_is_integer(json_array_get(pair, 1)))
			return wrong(place, "a list of two whole numbers", pair);
		if (check_number(json_array_get(pair, 0), false, place) != 0 ||
			check_number(json_array_get(pair, 1), false, place) != 0)
			return -1;
	}
	place->path[len] = '\0';
	return 0;
}

static int check_texts(const json_t *list, struct place *place)
{
	size_t len = strlen(place->path);
	const json_t *item;
	size_t i;

	if (!json_is_array(list))
		return wrong(place, "a list", list);
	json_array_foreach (list, i, item) {
		snprintf(place->path + len, SCHEMA_PATH - len, "[%zu]", i);
		if (!json_is_string(item))
			return wrong(place, "a text", item);
	}
	place->path[len] = '\0';
	return 0;
}

static int check_object(const json_t *object, const struct field *fields, struct place *place);

static int check_list(const json_t *list, const struct field *fields, struct place *place)
{
	size_t len = strlen(place->path);
	const json_t *item;
	size_t i;

	if (!json_is_array(list))
		return wrong(place, "a list", list);
	json_array_foreach (list, i, item) {
		snprintf(place->path + len, SCHEMA_PATH - len, "[%zu]", i);
		if (check_object(item, fields, place) != 0)
			return -1;
	}
	place->path[len] = '\0';
	return 0;
}

static int check_value(const json_t *value, const struct field *field, struct place *place)
{
	switch (field->kind) {
	case TEXT:
		return json_is_string(value) ? 0 : wrong(place, "a text", value);
	case NUMBER:
	case SIGNED:
		return check_number(value, field->kind == SIGNED, place);
	case BOOL:
		return json_is_boolean(value) ? 0 : wrong(place, "true or false", value);
	case OBJECT:
		return check_object(value, field->fields, place);
	case LIST:
		return check_list(value, field->fields, place);
	case COUNTS:
		return check_counts(value, place);
	case PAIRS:
		return check_pairs(value, place);
	case TEXTS:
		return check_texts(value, place);
	}
	return -1;
}

static int check_object(const json_t *object, const struct field *fields, struct place *place)
{
	size_t len = strlen(place->path);

	if (!json_is_object(object))
		return wrong(place, "an object", object);
	for (const struct field *field = fields; field != NULL && field->name != NULL; field++) {
		const json_t *value = json_object_get(object, field->name);

		if (!field->required && (value == NULL || json_is_null(value)))
			continue;
		snprintf(place->path + len, SCHEMA_PATH - len, "%s%s", len > 0 ? "." : "",
			field->name);
		if (check_value(value, field, place) != 0)
			return -1;
	}
	place->path[len] = '\0';
	return 0;
}

static bool lists(const struct field *fields, const char *name, size_t len)
{
	for (; fields->name != NULL; fields++)
		if (strlen(fields->name) == len && memcmp(fields->name, name, len) == 0)
			return true;
	return false;
}

bool schema_trial_has(const char *path)
{
	size_t len = strcspn(path, ".");

	return lists(schema_trial_fields, path, len) || lists(schema_summary_fields, path, len);
}

int schema_check(const json_t *record, const char *file)
{
	struct place place = {.file = file};
	const json_t *schema = json_object_get(record, "schema");

	if (!json_is_object(record))
		return fail_msg("%s: expected a record, an object, found %s", file, found(record));
	if (!json_is_string(schema) || strcmp(json_string_value(schema), RESULT_SCHEMA) != 0)
		return fail_msg("%s: schema: expected \"" RESULT_SCHEMA "\", found %s", file,
			json_is_string(schema) ? "another" : found(schema));
	return check_object(record, schema_record_fields, &place);
}
