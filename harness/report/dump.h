#ifndef HARNESS_REPORT_DUMP_H
#define HARNESS_REPORT_DUMP_H

#include <jansson.h>
#include <stdio.h>

/**
 * dump_json() - Print @value as JSON, for people and for diff: an object or list of plain values
 *   takes one line, as does a list of such lists; anything else has a line for each of its parts.
 *
 * Fields keep their order, numbers have BUILD_DIGITS digits, so the same value gives the same
 * bytes.
 *
 * Return: 0, or -1 with errno.
 */
int dump_json(const json_t *value, FILE *out);

#endif
