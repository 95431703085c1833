#ifndef HARNESS_REPORT_SCHEMA_H
#define HARNESS_REPORT_SCHEMA_H

#include <jansson.h>
#include <stdbool.h>

/**
 * schema_check() - Check the record of a round against schema rpcbench/1.
 * @file: its name, for messages.
 *
 * Fields that the schema does not know are let through; those that it knows must be of their
 * type or null, the required ones must be there, and no number is above 2^53, or below 0 where
 * that means nothing.
 *
 * Return: 0, or -1 after a message that names the file and the field, as in
 *   "results/round1.json: contestants[2].trials[0].rps: expected a number, found a text".
 */
int schema_check(const json_t *record, const char *file);

/**
 * schema_trial_has() - Whether @path leads into a field of a trial or of a summary: its first name
 *   is one of the schema.
 */
bool schema_trial_has(const char *path);

#endif
