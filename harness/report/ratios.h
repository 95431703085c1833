#ifndef HARNESS_REPORT_RATIOS_H
#define HARNESS_REPORT_RATIOS_H

#include <jansson.h>
#include <stdint.h>

/**
 * ratios_fill() - Work out record.ratios, which the round states as [{of, to}].
 *
 * Each gets "loads", with one entry for each load that both contestants were under:
 * {connections, pipeline, requests_planned, rate, arrival, rps, rps_per_server_cpu_s}, the last two
 * as {ratio, ci95_low, ci95_high} of the medians of @of and @to, or null with a reason.
 * @seed: of the intervals.
 *
 * Return: 0, or -1 without memory.
 */
int ratios_fill(json_t *record, uint64_t seed);

#endif
