#include <errno.h>
#include <stdbool.h>

#include "harness/report/build.h"
#include "harness/report/dump.h"

#define DUMP_FLAGS (JSON_ENCODE_ANY | JSON_COMPACT | JSON_REAL_PRECISION(BUILD_DIGITS))

static int dump_value(const json_t *value, int depth, FILE *out);

/* True when @value holds others no deeper than @levels. */
static bool is_shallow(const json_t *value, int levels)
{
	const char *name;
	json_t *item;
	size_t i;

	if (!json_is_object(value) && !json_is_array(value))
		return true;
	if (levels == 0)
		return false;
	json_object_foreach ((json_t *)value, name, item)
		if (!is_shallow(item, levels - 1))
			return false;
	json_array_foreach (value, i, item)
		if (!is_shallow(item, levels - 1))
			return false;
	return true;
}

/* A list of numbers or of pairs of them is data. */
static bool fits_a_line(const json_t *value)
{
	const json_t *first = json_array_get(value, 0);

	return is_shallow(value, 1) || (json_is_array(first) && is_shallow(value, 2));
}

static int dump_on_one_line(const json_t *value, FILE *out)
{
	if (json_dumpf(value, out, DUMP_FLAGS) == 0)
		return 0;
	/* jansson tells no more than that it failed. */
	if (!ferror(out))
		errno = ENOMEM;
	return -1;
}

static void next_line(size_t i, int depth, FILE *out)
{
	fprintf(out, "%s\n%*s", i > 0 ? "," : "", depth, "");
}

static int dump_array(const json_t *array, int depth, FILE *out)
{
	const json_t *item;
	size_t i;

	fputc('[', out);
	json_array_foreach (array, i, item) {
		next_line(i, depth + 1, out);
		if (dump_value(item, depth + 1, out) != 0)
			return -1;
	}
	next_line(0, depth, out);
	fputc(']', out);
	return 0;
}

static int dump_object(const json_t *object, int depth, FILE *out)
{
	const char *name;
	json_t *item;
	size_t i = 0;

	fputc('{', out);
	json_object_foreach ((json_t *)object, name, item) {
		json_t *text = json_string(name);
		int status;

		next_line(i++, depth + 1, out);
		status = dump_on_one_line(text, out);
		json_decref(text);
		fputs(": ", out);
		if (status != 0 || dump_value(item, depth + 1, out) != 0)
			return -1;
	}
	next_line(0, depth, out);
	fputc('}', out);
	return 0;
}

static int dump_value(const json_t *value, int depth, FILE *out)
{
	if (fits_a_line(value))
		return dump_on_one_line(value, out);
	return json_is_array(value) ? dump_array(value, depth, out)
				    : dump_object(value, depth, out);
}

int dump_json(const json_t *value, FILE *out)
{
	if (dump_value(value, 0, out) != 0)
		return -1;
	fputc('\n', out);
	return ferror(out) ? -1 : 0;
}
