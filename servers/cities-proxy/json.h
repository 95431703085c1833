#ifndef SERVERS_CITIES_PROXY_JSON_H
#define SERVERS_CITIES_PROXY_JSON_H

#include <stdbool.h>

#include "lib/slice.h"

/**
 * DOC: JSON read from front to back, in place and without memory of its own: the caller asks for
 * what it expects next. The whole grammar of RFC 8259 and nothing else, with two limits that its
 * section 9 allows: JSON_DEPTH_MAX, and no \u0000, so that a text is a C string.
 *
 * Each function first skips white space. Those that return bool return false for anything but what
 * they read, and what was read is broken then.
 */

#define JSON_DEPTH_MAX 64 /* arrays and objects within each other */

/** struct json - A place in a text that ends with a NUL. */
struct json {
	char *at;
	unsigned depth;
};

/** json_take() - Go past @mark if it comes next. Return: whether it did. */
bool json_take(struct json *json, char mark);

/**
 * json_each() - Read an array or an object: @item() for each element or member.
 * @brackets: "[]" or "{}". Members begin with a json_key().
 */
bool json_each(struct json *json, const char *brackets, bool (*item)(struct json *json, void *arg),
	void *arg);

/** json_text() - Read a string. @text: UTF-8 in the place where it was, with a NUL behind. */
bool json_text(struct json *json, struct slice *text);

/** json_key() - Read the name of a member and its colon; @key as in json_text(). */
bool json_key(struct json *json, struct slice *key);

/** json_number() - Read a number: the nearest double, which is infinite for very large ones. */
bool json_number(struct json *json, double *value);

/** json_skip() - Read any value. */
bool json_skip(struct json *json);

#endif
