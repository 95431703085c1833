#ifndef HARNESS_VERIFY_DIFF_H
#define HARNESS_VERIFY_DIFF_H

#include <jansson.h>

/**
 * diff_json() - The first difference between two values, by meaning: the order of keys is free,
 *   and -5 is the number -5.0.
 * @path: what to call the values, e.g. "reply"; parts are appended, e.g. "reply.name".
 * @reason: REASON_MAX bytes, e.g. 'reply.version: expected "1.0.0", got "1.0"'.
 *
 * Return: 0 when they are the same, or -1 with @reason.
 */
int diff_json(const json_t *expected, const json_t *got, const char *path, char *reason);

#endif
