#ifndef HARNESS_REPORT_VIEW_PARTS_H
#define HARNESS_REPORT_VIEW_PARTS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "harness/report/grid.h"
#include "harness/report/merged.h"

struct table;
struct table_row;

/** DOC: What views have in common. */

/** view_latency() - A cell with the duration at latency_ns.@name of a row's summary. */
void view_latency(struct grid *grid, const struct table_row *row, const char *name);

/** view_merged() - The latencies of all trials that count; end with merged_free(). */
struct merged view_merged(const struct table_row *row);

/** struct view_seconds - A number of each whole second of all trials that count, ascending. */
struct view_seconds {
	double *list; /* owned */
	size_t n;
	double mean;
	double stddev; /* of at least two */
};

/** view_seconds() - Take @name from the series; end with view_seconds_free(). */
struct view_seconds view_seconds(const struct table_row *row, const char *name);

void view_seconds_free(struct view_seconds *seconds);

/** view_quantile() - The ⌈@share · n⌉-th smallest of at least one. */
double view_quantile(const struct view_seconds *seconds, double share);

/** view_sum() - The number at @path of all trials that count, added up. */
double view_sum(const struct table_row *row, const char *path);

/** view_read_bytes() - Bytes of whole replies in all trials that count. */
double view_read_bytes(const struct table_row *row);

/** view_trials() - How many trials count. */
size_t view_trials(const struct table_row *row);

/** view_heading() - "### NAME: LOAD", and why it has no numbers, if so. Return: it has some. */
bool view_heading(const struct table *table, const struct table_row *row, FILE *out);

/** The tables of a view, for one load each, and what follows them all. */
void view_autocannon(const json_t *record, const struct table *table, FILE *out);
void view_wrk(const json_t *record, const struct table *table, FILE *out);
void view_levels(const json_t *record, FILE *out);
void view_loadtest(const json_t *record, const struct table *table, FILE *out);
void view_gobench(const json_t *record, const struct table *table, FILE *out);

#endif
