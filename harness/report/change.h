#ifndef HARNESS_REPORT_CHANGE_H
#define HARNESS_REPORT_CHANGE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/**
 * DOC: What changed between two records of a round, schema rpcbench-compare/1:
 *
 *   schema, old and new {started_at, commit}, seed,
 *   differences [texts]   what the two do not have in common, though it changes numbers
 *   rows [{name, connections, pipeline, requests_planned, rate, arrival, server_threads, metric,
 * old, new (medians), ratio (new over old), ci95_low, ci95_high, p (corrected for the number of
 * rows), noise_floor (the larger of both records', see floor.h; absent when neither has one),
 * verdict}]
 *
 * verdict is "faster", "slower", "smaller", "larger", "no difference shown", or "failed" for a
 * contestant that did not fail before; null, with verdict_reason, when there is nothing to compare.
 */

#define CHANGE_SCHEMA "rpcbench-compare/1"

/** change_differences() - What the records do not have in common that makes them incomparable:
 *   round, parameters, machine, build and sizes of replies.
 *
 * Return: a new list of texts "WHAT: OLD in the old record, NEW in the new", empty when they may be
 *   compared; NULL without memory.
 */
json_t *change_differences(const json_t *old, const json_t *new);

/**
 * change_record() - Compare two summarised records, row by row.
 * @seed: of the intervals.
 *
 * Return: a new reference to the comparison, or NULL after a message.
 */
json_t *change_record(const json_t *old, const json_t *new, uint64_t seed);

/** change_is_worse() - True for a row whose verdict is slower, larger or failed. */
bool change_is_worse(const json_t *row);

/** change_is_difference() - True for a row whose trials show one. */
bool change_is_difference(const json_t *row);

/** change_has_metric() - True when rows have a metric called @name. */
bool change_has_metric(const char *name);

/** change_print() - The comparison as a Markdown table. */
void change_print(const json_t *comparison, FILE *out);

#endif
