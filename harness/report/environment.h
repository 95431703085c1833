#ifndef HARNESS_REPORT_ENVIRONMENT_H
#define HARNESS_REPORT_ENVIRONMENT_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

/**
 * environment_value() - A value of the environment block as text: lists with commas, null as
 *   "unknown" with its reason, bytes with a unit.
 * @environment, @name: the block, and the name of the value in it.
 *
 * Return: owned by the caller, or NULL without memory.
 */
char *environment_value(const json_t *environment, const char *name);

/** environment_is_reason() - True for a NAME_reason, which environment_value() of NAME tells. */
bool environment_is_reason(const char *name);

/** environment_label() - @name for people: "memory" for memory_bytes. @out: @size bytes. */
const char *environment_label(const char *name, char *out, size_t size);

#endif
