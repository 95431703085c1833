#ifndef HARNESS_CONFIG_H
#define HARNESS_CONFIG_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * DOC: Files of settings, as JSON. Whatever is wrong in one is said once, as
 * "FILE:LINE: KEY: expected WHAT, got TEXT": unknown and duplicate keys, wrong types, bad values.
 */

#define CONFIG_BYTES_MAX (1 << 20) /* of a file; a manifest has some hundred bytes */

/** struct config - A file that was read. */
struct config {
	char *file;   /* as messages name it, owned */
	char *text;   /* its content, owned */
	json_t *root; /* owned; texts stored by config_fields() belong to it */
};

/** struct config_at - Where a value is: a chain up to the root, on its users' stacks. */
struct config_at {
	const struct config_at *parent; /* NULL: the root */
	const char *key;                /* of an object's member; NULL: an array's element */
	size_t index;
};

/** enum config_type - What a value is, and the C type it is stored as. */
enum config_type {
	CONFIG_TEXT,     /* const char *, not empty */
	CONFIG_TEXTS,    /* const char **, owned, ended by NULL; one text at least, maybe empty */
	CONFIG_PAIRS,    /* json_t *, an object whose values are all texts */
	CONFIG_OBJECT,   /* json_t *, not empty */
	CONFIG_ARRAY,    /* json_t *, not empty */
	CONFIG_INT,      /* int64_t within [min, max] */
	CONFIG_INTS,     /* struct config_ints, each within [min, max]; from a number or a list */
	CONFIG_NUMBER,   /* double above 0, at most max */
	CONFIG_DURATION, /* int64_t nanoseconds, from a text like "5s", at least min */
	CONFIG_CHOICE,   /* int, index of the text in @choices */
};

#define CONFIG_INTS_MAX 16

/** struct config_ints - Whole numbers, each once. */
struct config_ints {
	int64_t list[CONFIG_INTS_MAX];
	size_t count;
};

/** config_ints_add() - Return: true; false, with nothing added, when there are too many or it is
 * there. */
bool config_ints_add(struct config_ints *ints, int64_t number);

/** struct config_field - A key that an object may have. */
struct config_field {
	const char *key; /* NULL ends the table */
	enum config_type type;
	bool required;
	size_t offset; /* in the struct that config_fields() fills */
	int64_t min;
	int64_t max;
	const char *const *choices; /* CONFIG_CHOICE: texts, ended by NULL */
	/* CONFIG_TEXT, and each of CONFIG_TEXTS: what was expected, or NULL when it is good.
	 * Optional. */
	const char *(*check)(const char *text);
};

/**
 * config_open() - Read and parse @file. Duplicate keys are refused.
 *
 * Return: 0, to be closed by config_close(); -1 after a message.
 */
int config_open(struct config *config, const char *file);

/** config_close() - Let go of what it owns; also of a zeroed struct. */
void config_close(struct config *config);

/** config_line() - The line that the value at @at is on; of its key when it has one. */
size_t config_line(const struct config *config, const struct config_at *at);

/**
 * config_error() - Print "FILE:LINE: KEY: …" for the value at @at, NULL = the root.
 *
 * Return: -1.
 */
int config_error(const struct config *config, const struct config_at *at, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/**
 * config_expected() - As config_error(), saying "expected @what, got …" with @value's text.
 *
 * Return: -1.
 */
int config_expected(const struct config *config, const struct config_at *at, const char *what,
	const json_t *value);

/**
 * config_fields() - Check an object against a table and store its values.
 * @at: where @object is, NULL = it is the root.
 * @fields: each key it may have.
 * @into: struct with the defaults of keys that are not required already in place.
 *
 * Return: 0, or -1 after a message; what was stored is the caller's to free in both cases.
 */
int config_fields(const struct config *config, const struct config_at *at, json_t *object,
	const struct config_field *fields, void *into);

/** config_name() - A check for names: letters, digits, '.', '_' and '-', 64 at most. */
const char *config_name(const char *text);

#endif
