#ifndef HARNESS_REPORT_RESULT_H
#define HARNESS_REPORT_RESULT_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

struct charts;
struct load_params;
struct load_result;
struct usage;

/**
 * DOC: The result record, schema rpcbench/1: a jansson object with units in its field names.
 * What was not measured is null, with a sibling field NAME_reason that says why. Everything that
 * is shown to people is rendered from it and from nothing else; rendering twice gives the same
 * bytes. METHOD.md defines each field.
 */

#define RESULT_SCHEMA "rpcbench/1"

/**
 * DOC: A round's record is made by the round:
 *
 *   schema, rpcbench (version), round (name), title, started_at (UTC, "2025-01-31T12:00:00Z"),
 *   command (as typed), seed, quick (bool), interrupted (bool), parameters {…, any names},
 *   environment {…, any names},
 *   columns [names of table columns] and ratios [{of, to}, names of contestants]: both optional,
 *   contestants [
 *     { name, description, protocol, class, command, url,
 *       server_cpus  how many CPUs it can use: the lesser of its threads and those it may run on
 *       server_threads   that it was told to have; a load of its own
 *       fixed_threads    true where its command takes no number of them; else absent
 *       connections, pipeline   the load asked for; one entry is one contestant at one load
 *       requests_planned        absent when the load lasted for a time instead
 *       rate, arrival           requests a second of an open loop; absent for a closed one
 *       skipped      why it was left out (a tool that is missing): no failure
 *       failure      why it has no trials (did not start, answers wrongly)
 *       repeated [ { started_s, rps, disturbance } ]   trials that were not counted; absent: none
 *       trials [ { order, disturbance, …result_trial() } or { order, failure } ] }
 *   ]
 *
 *   calibration [ {connections, pipeline, server_threads, threads, rps, requests_per_client_cpu_s}
 * ], see calibrate.h
 *
 *   again [ entries like those of contestants ]   the contestant that is measured twice, its second
 *     entries; null, with a reason, where it was not; absent where the round names none
 *   scaling       what result_summarise() makes of several numbers of threads, see scaling.h
 *   noise_floor   what result_summarise() makes of them, see floor.h
 *
 * skipped and failure are absent or null where all is well. A trial that broke off (the server
 * crashed) has its numbers and a failure. result_summarise() adds "summary" to each contestant
 * "trend" (see trend.h), and "loads" to each of the ratios.
 */

/**
 * result_trial() - One run of load as a trial object.
 * @before, @after: the server's usage at both ends of the window; NULL when unknown.
 * @unknown_reason: why they are NULL, else NULL.
 *
 * Return: a new reference, or NULL after a message (no memory).
 */
json_t *result_trial(const struct load_params *params, const struct load_result *result,
	const struct usage *before, const struct usage *after, const char *unknown_reason);

/**
 * result_summarise() - Fill the "summary" of each contestant of a round from its trials.
 *
 * Deterministic: intervals are drawn from record.seed. A record of an interrupted round, also
 * one without any trial, is summarised as far as it goes.
 *
 * Return: 0, or -1 after a message.
 */
int result_summarise(json_t *record);

/**
 * result_ceiling() - What the load generator could do by itself at the load of @contestant: an item
 *   of the record's calibration, see calibrate.h.
 *
 * Return: valid as long as the record; NULL when it has none.
 */
const json_t *result_ceiling(const json_t *record, const json_t *contestant);

/**
 * result_save() - Write the record to @path through a temporary file beside it, so that a
 *   reader sees the old or the new text, and a full disk leaves the old one.
 *
 * Return: 0, or -1 after a message.
 */
int result_save(const json_t *record, const char *path);

/**
 * result_print() - Print a record or a trial as JSON, as result_save() does.
 *
 * Return: 0, or -1 with errno.
 */
int result_print(const json_t *record, FILE *out);

/** result_read() - Read and check a record. Return: a new reference, or NULL after a message
 *   that names the file and line or field. */
json_t *result_read(const char *path);

/** result_is_of_tools() - True when @path has a record of make compare-tools, which tests/tools
 *   renders. */
bool result_is_of_tools(const char *path);

/** report_trial() - A trial for the console, in the layout users of wrk know. */
void report_trial(const json_t *trial, FILE *out);

/**
 * report_hdr() - The latencies of a trial as HdrHistogram's percentile file, in milliseconds. What
 *   timed out is counted with what it waited; a last line says how many these are.
 *
 * Return: 0, or -1 with ENOMEM.
 */
int report_hdr(const json_t *trial, FILE *out);

/**
 * report_console() - A round's table for the console.
 * @width: columns of the console: what does not fit is left out, and named; 0: nothing is.
 * @color: with ANSI colours.
 */
void report_console(const json_t *record, FILE *out, size_t width, bool color);

/**
 * report_markdown() - A round as a Markdown page.
 * @charts: that it shows; NULL: none.
 * @name: of the files beside it: charts are NAME-rps.svg and so on; NULL without charts.
 */
void report_markdown(
	const json_t *record, const struct charts *charts, const char *name, FILE *out);

#endif
