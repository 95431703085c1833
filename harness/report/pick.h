#ifndef HARNESS_REPORT_PICK_H
#define HARNESS_REPORT_PICK_H

#include <jansson.h>
#include <stdbool.h>

/**
 * DOC: Reading fields of a record by path: "latency_ns.p99" is the field p99 of the object
 * latency_ns. A field that is missing, null or of another type is absent.
 */

/** pick() - The value at @path, valid as long as @object; NULL when missing. */
const json_t *pick(const json_t *object, const char *path);

/** pick_number() - Return: true, with the number in @value, or false when it is absent. */
bool pick_number(const json_t *object, const char *path, double *value);

/** pick_bound() - As pick_number() of the field PATH_at_least: the lower bound of one that is
 * absent. */
bool pick_bound(const json_t *object, const char *path, double *value);

/** pick_or() - The number at @path, or @fallback. */
double pick_or(const json_t *object, const char *path, double fallback);

/** pick_text() - The text at @path, valid as long as @object; NULL when absent. */
const char *pick_text(const json_t *object, const char *path);

/** pick_true() - Whether there is a true at @path. */
bool pick_true(const json_t *object, const char *path);

/**
 * pick_reason() - Why the field at @path is absent: the NAME_reason beside the first null on
 * its way.
 *
 * Return: valid as long as @object; "not recorded" when there is none.
 */
const char *pick_reason(const json_t *object, const char *path);

#endif
