#ifndef HARNESS_REPORT_PEERS_H
#define HARNESS_REPORT_PEERS_H

#include <jansson.h>
#include <stdio.h>

#define PEERS_SCHEMA "rpcbench-peers/1"

/**
 * DOC: The record of rpcbench bench, results/peers.json:
 *
 *   schema, plan (name), title, started_at, environment {…}, pairs, duration_s, warmup_s, seed,
 *   comparisons [
 *     { name, measured ("server" or "client"), ours, peer, server, call, connections, pipeline,
 *       metric, bar {text, of ("ratio" or "ours"), value}, note,
 *       trials [ { pair, order, name, requests, failed, window_s, cpu_s, requests_per_cpu_s,
 *         cpu_us_per_request, rps, max_rss_bytes, rss_growth } ]
 *       summary { ours, peer, ratio: each {median, ci95_low, ci95_high, n} }
 *       reached, or null and reached_reason where it was left out } ]
 *
 * The ratio is ours : peer within each pair. rss_growth is the peak of a client's memory at its
 * end : at half of its time.
 */

/** peers_print() - The record as Markdown, which reads well on a console too. */
void peers_print(const json_t *record, FILE *out);

/** peers_read() - Return: the record in @path, a new reference; NULL when it is none. */
json_t *peers_read(const char *path);

#endif
