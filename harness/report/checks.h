#ifndef HARNESS_REPORT_CHECKS_H
#define HARNESS_REPORT_CHECKS_H

#include <jansson.h>

struct load_params;
struct load_result;

/**
 * checks_object() - What the numbers of a trial must agree on, whatever the server does:
 *   {littles_law, counts, bytes}, each with ok; ok is null, with a reason, where the check says
 *   nothing. METHOD.md "Self-checks" gives the formulas.
 *
 * Return: a new reference, or NULL without memory.
 */
json_t *checks_object(const struct load_params *params, const struct load_result *result);

#endif
