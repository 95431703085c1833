/*
 * The value at a chain of keys and indices is found twice: in the tree that jansson made, by the
 * caller, and in the text, by locate() and below, for its line. The text is known to be JSON.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/config.h"
#include "lib/buf.h"
#include "lib/fail.h"
#include "lib/units.h"

#define SHOWN_MAX 48 /* bytes of a value that a message shows */

static int read_text(struct config *config)
{
	FILE *in = fopen(config->file, "re");
	size_t len;

	if (in == NULL)
		return fail_errno("cannot read %s", config->file);
	config->text = calloc(1, CONFIG_BYTES_MAX + 1);
	if (config->text == NULL) {
		fclose(in);
		return fail_msg("out of memory");
	}
	len = fread(config->text, 1, CONFIG_BYTES_MAX + 1, in);
	if (ferror(in)) {
		fclose(in);
		return fail_errno("cannot read %s", config->file);
	}
	fclose(in);
	if (len > CONFIG_BYTES_MAX)
		return fail_msg("%s: larger than %d bytes", config->file, CONFIG_BYTES_MAX);
	config->text[len] = '\0';
	if (strlen(config->text) != len)
		return fail_msg("%s: expected JSON, got a NUL byte", config->file);
	return 0;
}

int config_open(struct config *config, const char *file)
{
	json_error_t error;

	*config = (struct config){.file = strdup(file)};
	if (config->file == NULL)
		return fail_msg("out of memory");
	if (read_text(config) != 0)
		goto err0;
	config->root = json_loads(config->text, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &error);
	if (config->root == NULL) {
		fail_msg("%s:%d: %s", file, error.line, error.text);
		goto err0;
	}
	return 0;

err0:
	config_close(config);
	return -1;
}

void config_close(struct config *config)
{
	json_decref(config->root);
	free(config->text);
	free(config->file);
	*config = (struct config){0};
}

static const char *skip_space(const char *p)
{
	return p + strspn(p, " \t\r\n");
}

/* @p is at the opening quote. Return: behind the closing one. */
static const char *skip_text(const char *p)
{
	for (p++; *p != '"'; p++)
		if (*p == '\\')
			p++;
	return p + 1;
}

/* Return: behind the value that starts at @p. */
static const char *skip_value(const char *p)
{
	int depth = 0;

	do {
		p = skip_space(p);
		if (*p == '"') {
			p = skip_text(p);
		} else if (*p == '{' || *p == '[') {
			depth++;
			p++;
		} else if (*p == '}' || *p == ']') {
			depth--;
			p++;
		} else if (*p == ',' || *p == ':') {
			p++;
		} else {
			p += strcspn(p, " \t\r\n,:{}[]\"");
		}
	} while (depth > 0 && *p != '\0');
	return p;
}

/* True when the quoted text at @p is @key; escapes are left to jansson. */
static bool is_key(const char *p, const char *key)
{
	json_t *text = json_loadb(p, (size_t)(skip_text(p) - p), JSON_DECODE_ANY, NULL);
	bool same = text != NULL && strcmp(json_string_value(text), key) == 0;

	json_decref(text);
	return same;
}

/* Where member or element @at of the object or array at @p starts; NULL when it has none. */
static const char *find_part(const char *p, const struct config_at *at)
{
	size_t index = 0;

	p = skip_space(p + 1);
	while (*p != '}' && *p != ']' && *p != '\0') {
		if (at->key != NULL ? is_key(p, at->key) : index == at->index)
			return p;
		if (at->key != NULL)
			p = skip_space(skip_text(p)) + 1;
		p = skip_space(skip_value(p));
		if (*p == ',')
			p = skip_space(p + 1);
		index++;
	}
	return NULL;
}

/* Where the value at @at is in the text; its key when it has one. NULL: not there. */
static const char *locate(const char *text, const struct config_at *at)
{
	const char *p;

	if (at == NULL)
		return skip_space(text);
	p = locate(text, at->parent);
	if (p == NULL)
		return NULL;
	if (at->parent != NULL && at->parent->key != NULL)
		p = skip_space(skip_space(skip_text(p)) + 1);
	return find_part(p, at);
}

size_t config_line(const struct config *config, const struct config_at *at)
{
	const char *end = locate(config->text, at);
	size_t line = 1;

	for (const char *p = config->text; end != NULL && p < end; p++)
		line += *p == '\n';
	return line;
}

static void append_at(struct buf *out, const struct config_at *at)
{
	if (at->parent != NULL)
		append_at(out, at->parent);
	if (at->key == NULL)
		buf_printf(out, "[%zu]", at->index);
	else
		buf_printf(out, "%s%s", at->parent != NULL ? "." : "", at->key);
}

int config_error(const struct config *config, const struct config_at *at, const char *format, ...)
{
	struct buf where = {0};
	char *text = NULL;
	va_list args;

	va_start(args, format);
	if (vasprintf(&text, format, args) < 0)
		text = NULL;
	va_end(args);
	if (at != NULL)
		append_at(&where, at);
	fail_msg("%s:%zu: %.*s%s%s", config->file, config_line(config, at), (int)buf_len(&where),
		at != NULL ? buf_head(&where) : "", at != NULL ? ": " : "",
		text != NULL ? text : format);
	buf_free(&where);
	free(text);
	return -1;
}

int config_expected(const struct config *config, const struct config_at *at, const char *what,
	const json_t *value)
{
	char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT);
	int shown = text != NULL ? (int)strlen(text) : 0;

	config_error(config, at, "expected %s, got %.*s%s", what,
		shown > SHOWN_MAX ? SHOWN_MAX : shown, text != NULL ? text : "",
		shown > SHOWN_MAX ? "…" : "");
	free(text);
	return -1;
}

/* "KEY, KEY, KEY" for messages. */
static void append_keys(struct buf *out, const struct config_field *fields)
{
	for (const struct config_field *f = fields; f->key != NULL; f++)
		buf_printf(out, "%s%s", f != fields ? ", " : "", f->key);
}

static const struct config_field *find_field(const struct config_field *fields, const char *key)
{
	while (fields->key != NULL && strcmp(fields->key, key) != 0)
		fields++;
	return fields->key != NULL ? fields : NULL;
}

static int check_keys(const struct config *config, const struct config_at *at, json_t *object,
	const struct config_field *fields)
{
	const char *key;
	json_t *value;

	json_object_foreach (object, key, value) {
		const struct config_at here = {.parent = at, .key = key};
		struct buf known = {0};

		if (find_field(fields, key) != NULL)
			continue;
		append_keys(&known, fields);
		config_error(config, &here, "unknown key, expected one of %.*s",
			(int)buf_len(&known), buf_head(&known));
		buf_free(&known);
		return -1;
	}
	for (const struct config_field *f = fields; f->key != NULL; f++)
		if (f->required && json_object_get(object, f->key) == NULL)
			return config_error(
				config, at, "expected the key %s, which is missing", f->key);
	return 0;
}

static int store_text(const struct config *config, const struct config_at *at,
	const struct config_field *field, json_t *value, const char **into)
{
	const char *text = json_string_value(value);
	const char *expected = NULL;

	if (text == NULL || (*text == '\0' && field->type == CONFIG_TEXT))
		return config_expected(config, at, "a text", value);
	if (field->check != NULL)
		expected = field->check(text);
	if (expected != NULL)
		return config_expected(config, at, expected, value);
	*into = text;
	return 0;
}

static int store_texts(const struct config *config, const struct config_at *at,
	const struct config_field *field, json_t *value, const char ***into)
{
	size_t n = json_array_size(value);

	if (n == 0)
		return config_expected(config, at, "a list of texts", value);
	*into = calloc(n + 1, sizeof(**into));
	if (*into == NULL)
		return fail_msg("out of memory");
	for (size_t i = 0; i < n; i++) {
		const struct config_at here = {.parent = at, .index = i};
		json_t *item = json_array_get(value, i);

		if (store_text(config, &here, field, item, &(*into)[i]) != 0)
			return -1;
	}
	return 0;
}

static int store_pairs(
	const struct config *config, const struct config_at *at, json_t *value, json_t **into)
{
	const char *key;
	json_t *item;

	if (!json_is_object(value))
		return config_expected(config, at, "an object of texts", value);
	json_object_foreach (value, key, item) {
		const struct config_at here = {.parent = at, .key = key};

		if (!json_is_string(item))
			return config_expected(config, &here, "a text", item);
	}
	*into = value;
	return 0;
}

static int store_int(const struct config *config, const struct config_at *at,
	const struct config_field *field, json_t *value, int64_t *into)
{
	char expected[80];
	json_int_t number = json_integer_value(value);

	snprintf(expected, sizeof(expected), "a whole number of %lld to %lld",
		(long long)field->min, (long long)field->max);
	if (!json_is_integer(value) || number < field->min || number > field->max)
		return config_expected(config, at, expected, value);
	*into = number;
	return 0;
}

bool config_ints_add(struct config_ints *ints, int64_t number)
{
	for (size_t i = 0; i < ints->count; i++)
		if (ints->list[i] == number)
			return false;
	if (ints->count == CONFIG_INTS_MAX)
		return false;
	ints->list[ints->count++] = number;
	return true;
}

static int store_ints(const struct config *config, const struct config_at *at,
	const struct config_field *field, json_t *value, struct config_ints *into)
{
	size_t n = json_array_size(value);

	into->count = 0;
	if (!json_is_array(value)) {
		into->count = 1;
		return store_int(config, at, field, value, &into->list[0]);
	}
	for (size_t i = 0; i < n; i++) {
		const struct config_at here = {.parent = at, .index = i};
		json_t *item = json_array_get(value, i);
		int64_t number;

		if (store_int(config, &here, field, item, &number) != 0)
			return -1;
		if (!config_ints_add(into, number))
			return config_expected(
				config, &here, "each number once, and 16 of them at most", item);
	}
	return n > 0 ? 0 : config_expected(config, at, "a number or a list of them", value);
}

static int store_number(const struct config *config, const struct config_at *at,
	const struct config_field *field, json_t *value, double *into)
{
	char expected[80];
	double number = json_number_value(value);

	snprintf(expected, sizeof(expected), "a number above 0, at most %lld",
		(long long)field->max);
	if (!json_is_number(value) || number <= 0 || number > (double)field->max)
		return config_expected(config, at, expected, value);
	*into = number;
	return 0;
}

static int store_choice(const struct config *config, const struct config_at *at,
	const struct config_field *field, json_t *value, int *into)
{
	const char *text = json_string_value(value);
	char expected[128] = "one of";

	for (int i = 0; field->choices[i] != NULL; i++) {
		size_t len = strlen(expected);

		if (text != NULL && strcmp(text, field->choices[i]) == 0) {
			*into = i;
			return 0;
		}
		snprintf(expected + len, sizeof(expected) - len, "%s \"%s\"", i > 0 ? "," : "",
			field->choices[i]);
	}
	return config_expected(config, at, expected, value);
}

static int store(const struct config *config, const struct config_at *at,
	const struct config_field *field, json_t *value, void *into)
{
	const char *text = json_string_value(value);

	switch (field->type) {
	case CONFIG_TEXT:
		return store_text(config, at, field, value, into);
	case CONFIG_TEXTS:
		return store_texts(config, at, field, value, into);
	case CONFIG_PAIRS:
		return store_pairs(config, at, value, into);
	case CONFIG_OBJECT:
		if (json_object_size(value) == 0)
			return config_expected(config, at, "an object with members", value);
		*(json_t **)into = value;
		return 0;
	case CONFIG_ARRAY:
		if (json_array_size(value) == 0)
			return config_expected(config, at, "a list with elements", value);
		*(json_t **)into = value;
		return 0;
	case CONFIG_INT:
		return store_int(config, at, field, value, into);
	case CONFIG_INTS:
		return store_ints(config, at, field, value, into);
	case CONFIG_NUMBER:
		return store_number(config, at, field, value, into);
	case CONFIG_DURATION:
		if (text == NULL || !units_parse_duration(text, into) ||
			*(int64_t *)into < field->min)
			return config_expected(config, at,
				field->min > 0 ? "a duration above zero like \"5s\" or \"250ms\""
					       : "a duration like \"5s\" or \"250ms\"",
				value);
		return 0;
	case CONFIG_CHOICE:
		return store_choice(config, at, field, value, into);
	}
	return -1;
}

int config_fields(const struct config *config, const struct config_at *at, json_t *object,
	const struct config_field *fields, void *into)
{
	const char *key;
	json_t *value;

	if (!json_is_object(object))
		return config_expected(config, at, "an object", object);
	if (check_keys(config, at, object, fields) != 0)
		return -1;
	json_object_foreach (object, key, value) {
		const struct config_at here = {.parent = at, .key = key};
		const struct config_field *field = find_field(fields, key);

		if (store(config, &here, field, value, (char *)into + field->offset) != 0)
			return -1;
	}
	return 0;
}

const char *config_name(const char *text)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz"
				      "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
	size_t len = strlen(text);

	if (len > 0 && len <= 64 && strspn(text, letters) == len && text[0] != '.' &&
		text[0] != '-')
		return NULL;
	return "a name of letters, digits, '.', '_' and '-', at most 64";
}
