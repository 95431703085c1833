#ifndef HARNESS_REPORT_CHART_PLOTS_H
#define HARNESS_REPORT_CHART_PLOTS_H

#include <stdbool.h>
#include <stdio.h>

struct table;
struct table_row;

/**
 * DOC: Scripts for gnuplot, of the rows of a table. Each function prints the script of one chart
 * with @title. Return: true; false when the record has nothing to draw, with nothing printed.
 */

/**
 * chart_bars() - A bar for each contestant, the longest first, with its 95 % interval; those
 *   that have failed say so at the end. What was left out is not there.
 * @path: of {median, ci95_low, ci95_high} in the summary.
 */
bool chart_bars(const struct table *table, const char *title, const char *path, FILE *out);

/** chart_percentiles() - Latencies from the median to p99.9, a line for each contestant. */
bool chart_percentiles(const struct table *table, const char *title, FILE *out);

/** chart_seconds() - Verified replies of each whole second of all trials, in time of the round. */
bool chart_seconds(const struct table *table, const char *title, FILE *out);

#define CHART_NAME 160 /* bytes of a contestant's name in a chart, with its NUL */

/** chart_name() - A contestant's name, cut to what fits. @out: CHART_NAME bytes. Return: @out. */
const char *chart_name(const struct table_row *row, char *out);

/** chart_is_client_limited() - Whether the client was the limit: a lower bound of the server. */
bool chart_is_client_limited(const struct table_row *row);

#endif
