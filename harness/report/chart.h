#ifndef HARNESS_REPORT_CHART_H
#define HARNESS_REPORT_CHART_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "harness/report/rank.h"

/**
 * DOC: Charts of a round, drawn by gnuplot from the record: for each load the requests per second
 * and per server CPU-second, latencies by percentile, and requests per second over time. A load
 * other than the first has charts when there are two contestants to compare.
 */

enum chart_kind { CHART_RPS, CHART_CPU, CHART_LATENCY, CHART_TIME, CHART_KINDS };

#define CHART_TITLE 160

/** struct chart - A drawing. */
struct chart {
	enum chart_kind kind;
	struct rank_load load;
	char name[96]; /* after the record's name: "-rps", "-rps-100x1", "-rps-100x1-n1000-r500" */
	char title[CHART_TITLE];
	char *svg; /* the file's text, owned */
};

/** struct charts - Those of a record, in order; a zeroed struct has none. */
struct charts {
	struct chart *list;
	size_t n;
};

/**
 * charts_draw() - Draw all of a summarised record. Without gnuplot there are none, and a message
 *   says so.
 *
 * Return: 0, to be freed by charts_free(); -1 after a message, with none.
 */
int charts_draw(struct charts *charts, const json_t *record);

/** charts_free() - Let go of what it owns. */
void charts_free(struct charts *charts);

/** charts_save() - Write each to @stem + name + ".svg". Return: 0, or -1 after a message. */
int charts_save(const struct charts *charts, const char *stem);

/**
 * chart_svg() - The SVG of a script for gnuplot.
 * @missing: set to whether there is no gnuplot, which gives no message.
 *
 * Return: owned by the caller; NULL when it is missing, or after a message.
 */
char *chart_svg(const char *script, size_t len, const char *title, bool *missing);

struct table;

/**
 * chart_script() - Print the script for gnuplot that draws a chart.
 *
 * Return: true; false when the record has nothing to draw, with nothing printed.
 */
bool chart_script(const struct table *table, enum chart_kind kind, const char *title, FILE *out);

#endif
