#ifndef HARNESS_REPORT_CURVE_H
#define HARNESS_REPORT_CURVE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

/**
 * DOC: Latency against load: the record of a search by find_max(), shown as a table of what was
 * measured at shares of the highest rate, and as a chart.
 */

#define CURVE_SCHEMA "rpcbench-find-max/1" /* see find_max() */

/** curve_read() - Return: the record in @path, a new reference; NULL when it is none. */
json_t *curve_read(const char *path);

/** curve_console() - A search for the console: its result, and the table. */
void curve_console(const json_t *record, FILE *out);

/** curve_markdown() - The same as a page. @chart: CHART.svg is shown on it; NULL: none. */
void curve_markdown(const json_t *record, const char *chart, FILE *out);

/**
 * curve_script() - Print the script for gnuplot that draws percentiles against the rate.
 *
 * Return: true; false when there are fewer than two points, with nothing printed.
 */
bool curve_script(const json_t *record, const char *title, FILE *out);

/**
 * curve_publish() - Write the page of a search, STEM.md, and its chart, STEM.svg, if it can be
 *   drawn.
 *
 * Return: 0, or -1 after a message.
 */
int curve_publish(const json_t *record, const char *stem);

#endif
