#ifndef HARNESS_REPORT_SCALING_H
#define HARNESS_REPORT_SCALING_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/**
 * DOC: What more threads of a server bring, of a round with several numbers of threads:
 *
 *   scaling [{name, connections, pipeline, requests_planned, rate, arrival, server_threads
 *     rps, rps_per_server_cpu_s   medians; null, with a reason, where unknown
 *     speedup      {ratio, ci95_low, ci95_high} of its median rps and that with the first number of
 *                  threads; null, with a reason, for one that has no number of threads, or failed}]
 *
 * with one item for each entry of contestants; fixed_threads as there. Other rounds have none.
 */

/** scaling_is_asked() - Whether entries of @contestants differ in their server's threads. */
bool scaling_is_asked(const json_t *contestants);

/** scaling_fill() - Make record.scaling; its contestants are ranked. @seed: of the intervals.
 * Return: 0, or -1 without memory. */
int scaling_fill(json_t *record, uint64_t seed);

/** scaling_print() - It as a table in Markdown, with a heading; nothing when there is none. */
void scaling_print(const json_t *record, FILE *out);

#endif
