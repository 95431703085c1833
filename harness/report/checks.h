#ifndef HARNESS_REPORT_CHECKS_H
#define HARNESS_REPORT_CHECKS_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

struct load_params;
struct load_result;

/**
 * checks_object() - What the numbers of a trial must agree on, whatever the server does:
 *   {littles_law, counts, server_counts, bytes, percentiles}, each with ok; ok is null, with a
 *   reason, where the check says nothing. METHOD.md "Self-checks" gives the formulas.
 *
 * Return: a new reference, or NULL without memory.
 */
json_t *checks_object(const struct load_params *params, const struct load_result *result);

/** checks_failed() - How many checks of a trial have failed. */
size_t checks_failed(const json_t *trial);

/**
 * checks_server_counts() - What a server says that it has answered during a run of load is not less
 *   than the whole replies that came, and not more than the requests that were sent.
 * @counted: NULL: it does not say, for this @reason.
 *
 * Return: a new reference, or NULL without memory.
 */
json_t *checks_server_counts(
	const struct load_result *result, const uint64_t *counted, const char *reason);

#endif
