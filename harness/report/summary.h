#ifndef HARNESS_REPORT_SUMMARY_H
#define HARNESS_REPORT_SUMMARY_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

/**
 * DOC: The summary of a contestant. Numbers come from its trials without a failure; requests,
 * errors and checks_failed from all.
 *
 *   trials         how many the numbers come from
 *   rps, rps_per_server_cpu_s, server_cpu_us_per_request   {median, ci95_low, ci95_high, best,
 *                  min, max, mean, stddev, n}
 *   latency_ns, failed_latency_ns   {count, min, mean, stddev, p2_5 … p99_9, max} of all trials'
 *                  requests together; see merged_object()
 *   bytes_per_reply, requests {sent, ok, failed}, errors {KIND: count}
 *   connections    {requested, established, served: the least of any trial, reconnects: the sum}
 *   max_rss_bytes  the largest of any trial
 *   server_cpu_share   of the CPUs it could use, 0 to 1
 *   server_cpu_percent of one CPU
 *   client_limited, limit   what limited it: "client", "server" or "neither"
 *   checks_failed  {NAME: in how many trials}
 *   failure, ranked_by, rank, relative   see rank.h
 */

/**
 * summary_object() - The summary of one contestant, but for what rank.h adds.
 * @seed: of the intervals.
 *
 * Return: a new reference, or NULL without memory.
 */
json_t *summary_object(const json_t *contestant, uint64_t seed);

/** summary_is_whole() - True when each contestant of @record has a summary. */
bool summary_is_whole(const json_t *record);

#endif
