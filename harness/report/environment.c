#include <stdlib.h>
#include <string.h>

#include "harness/report/environment.h"
#include "harness/report/pick.h"
#include "harness/report/text.h"
#include "lib/units.h"

static bool ends_with(const char *text, const char *end)
{
	size_t len = strlen(text);
	size_t end_len = strlen(end);

	return len > end_len && strcmp(text + len - end_len, end) == 0;
}

bool environment_is_reason(const char *name)
{
	return ends_with(name, "_reason");
}

const char *environment_label(const char *name, char *out, size_t size)
{
	size_t len = strlen(name) - (ends_with(name, "_bytes") ? strlen("_bytes") : 0);

	text_format(out, size, "%.*s", (int)len, name);
	for (char *c = out; *c != '\0'; c++)
		if (*c == '_')
			*c = ' ';
	return out;
}

static void print_plain(const json_t *value, FILE *out)
{
	switch (json_typeof(value)) {
	case JSON_STRING:
		fputs(json_string_value(value), out);
		break;
	case JSON_INTEGER:
	case JSON_REAL:
		fprintf(out, "%.9g", json_number_value(value));
		break;
	case JSON_TRUE:
		fputs("yes", out);
		break;
	case JSON_FALSE:
		fputs("no", out);
		break;
	case JSON_NULL:
		fputs("unknown", out);
		break;
	case JSON_ARRAY:
	case JSON_OBJECT:
		json_dumpf(value, out, JSON_COMPACT);
		break;
	}
}

/* "NAME VALUE, NAME VALUE"; of a null its reason alone. */
static void print_members(json_t *object, FILE *out)
{
	const char *key;
	json_t *item;
	size_t i = 0;

	json_object_foreach (object, key, item) {
		char size[UNITS_TEXT];

		if (environment_is_reason(key))
			continue;
		fprintf(out, "%s%s ", i++ > 0 ? ", " : "", key);
		if (json_is_null(item))
			fputs(pick_reason(object, key), out);
		else if (json_is_number(item) && ends_with(key, "_bytes"))
			fputs(units_size(json_number_value(item), size), out);
		else
			print_plain(item, out);
	}
}

static void print_value(const json_t *environment, const char *name, FILE *out)
{
	json_t *value = json_object_get(environment, name);
	char size[UNITS_TEXT];
	json_t *item;
	size_t i;

	if (json_is_null(value)) {
		fprintf(out, "unknown (%s)", pick_reason(environment, name));
	} else if (json_is_number(value) && ends_with(name, "_bytes")) {
		fputs(units_size(json_number_value(value), size), out);
	} else if (json_is_array(value)) {
		json_array_foreach (value, i, item) {
			fputs(i > 0 ? ", " : "", out);
			print_plain(item, out);
		}
	} else if (json_is_object(value)) {
		print_members(value, out);
	} else if (value != NULL) {
		print_plain(value, out);
	}
}

char *environment_value(const json_t *environment, const char *name)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	if (out == NULL)
		return NULL;
	print_value(environment, name, out);
	if (fclose(out) == 0)
		return text;
	free(text);
	return NULL;
}
