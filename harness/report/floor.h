#ifndef HARNESS_REPORT_FLOOR_H
#define HARNESS_REPORT_FLOOR_H

#include <jansson.h>
#include <stdint.h>

struct rank_load;

/**
 * DOC: The noise floor: by how much a contestant differs from itself. A round that names a
 * contestant "again" measures it twice under each load, as if it were two; its second entries are
 * in record.again, not in record.contestants. Of both result_summarise() makes
 *
 *   noise_floor [{connections, pipeline, requests_planned, rate, arrival, server_threads,
 * contestant, rps, rps_per_server_cpu_s, latency_p50, latency_p99}]   one for each load, each of
 * the last four as {ratio, ci95_low, ci95_high   of the medians, first : again p of the
 * Mann-Whitney test of the two floor                        max(ratio, 1 / ratio) - 1} or null,
 * with a reason
 *
 * noise_floor is null, with a reason, where the contestant was not measured twice; a record whose
 * round names none has neither it nor again.
 */

/** floor_fill() - Make record.noise_floor; all contestants and again have a summary but for what
 * rank.h adds. @seed: of the intervals. Return: 0, or -1 without memory. */
int floor_fill(json_t *record, uint64_t seed);

/** floor_find() - The item of @floors, record.noise_floor, at @load; NULL when there is none. */
const json_t *floor_find(const json_t *floors, const struct rank_load *load);

/**
 * floor_of() - The floor at @load.
 * @metric: as in an item, "rps".
 *
 * Return: at least 0; -1 when it is not known.
 */
double floor_of(const json_t *floors, const struct rank_load *load, const char *metric);

/** floor_distance() - How far a ratio above 0 is from 1, either way: max(r, 1 / r) - 1. */
double floor_distance(double ratio);

#endif
