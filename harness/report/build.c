#include <stdio.h>
#include <stdlib.h>

#include "harness/report/build.h"

struct build build_begin(void)
{
	return (struct build){.object = json_object()};
}

void build_put(struct build *b, const char *name, json_t *value)
{
	if (json_object_set_new(b->object, name, value) != 0)
		b->failed = true;
}

void build_count(struct build *b, const char *name, uint64_t count)
{
	build_put(b, name, count <= INT64_MAX ? json_integer((json_int_t)count) : NULL);
}

json_t *build_real(double number)
{
	char text[32];

	/* Rounded now, so that a record in memory equals the one read back from its file. */
	snprintf(text, sizeof(text), "%.*g", BUILD_DIGITS, number);
	return json_real(strtod(text, NULL));
}

void build_number(struct build *b, const char *name, double number)
{
	build_put(b, name, build_real(number));
}

void build_text(struct build *b, const char *name, const char *text)
{
	build_put(b, name, text != NULL ? json_string(text) : json_null());
}

void build_absent(struct build *b, const char *name, const char *reason)
{
	char reason_name[64];

	snprintf(reason_name, sizeof(reason_name), "%s_reason", name);
	build_put(b, name, json_null());
	build_put(b, reason_name, json_string(reason));
}

void build_ratio(struct build *b, const char *name, double top, double bottom, const char *reason)
{
	if (bottom > 0)
		build_number(b, name, top / bottom);
	else
		build_absent(b, name, reason);
}

json_t *build_end(struct build *b)
{
	if (!b->failed && b->object != NULL)
		return b->object;
	json_decref(b->object);
	return NULL;
}
