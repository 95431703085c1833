#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "harness/report/environment.h"
#include "harness/report/peers.h"
#include "harness/report/text.h"
#include "lib/units.h"

#define CELL 48 /* bytes of a cell */

enum column {
	NAME,
	OURS,
	PEER,
	LOAD,
	METRIC,
	OUR_MEDIAN,
	PEER_MEDIAN,
	RATIO,
	BAR,
	RESULT,
	COLUMNS
};

static const char *const titles[COLUMNS] = {"comparison", "ours", "peer", "load", "metric",
	"ours, median", "peer, median", "ratio [95 %]", "bar", "result"};

struct row {
	char cells[COLUMNS][CELL];
};

static const char *text(const json_t *object, const char *key)
{
	const char *value = json_string_value(json_object_get(object, key));

	return value != NULL ? value : "";
}

static long long whole(const json_t *object, const char *key)
{
	return json_integer_value(json_object_get(object, key));
}

static double number(const json_t *object, const char *key)
{
	return json_number_value(json_object_get(object, key));
}

/* A value of @metric for people. */
static void put_value(char *cell, const char *metric, double value)
{
	char units[UNITS_TEXT];

	if (strcmp(metric, "cpu_us_per_request") == 0)
		snprintf(cell, CELL, "%s", units_duration(value * 1e3, units));
	else if (strcmp(metric, "max_rss_bytes") == 0)
		snprintf(cell, CELL, "%s", units_size(value, units));
	else if (strcmp(metric, "rss_growth") == 0)
		snprintf(cell, CELL, "%.2f", value);
	else
		snprintf(cell, CELL, "%s", units_count(value, units));
}

static void fill_row(struct row *row, const json_t *c)
{
	const json_t *summary = json_object_get(c, "summary");
	const json_t *ratio = json_object_get(summary, "ratio");
	const json_t *reached = json_object_get(c, "reached");
	const json_t *bar = json_object_get(c, "bar");
	const char *metric = text(c, "metric");

	*row = (struct row){0};
	snprintf(row->cells[NAME], CELL, "%s", text(c, "name"));
	snprintf(row->cells[OURS], CELL, "%s", text(c, "ours"));
	snprintf(row->cells[PEER], CELL, "%s", text(c, "peer"));
	snprintf(row->cells[LOAD], CELL, "%lld x %lld", whole(c, "connections"),
		whole(c, "pipeline"));
	snprintf(row->cells[METRIC], CELL, "%s %s", text(c, "measured"), metric);
	snprintf(row->cells[BAR], CELL, "%s %s", text(bar, "of"), text(bar, "text"));
	if (!json_is_boolean(reached)) {
		snprintf(row->cells[RESULT], CELL, "left out");
		return;
	}
	put_value(
		row->cells[OUR_MEDIAN], metric, number(json_object_get(summary, "ours"), "median"));
	put_value(row->cells[PEER_MEDIAN], metric,
		number(json_object_get(summary, "peer"), "median"));
	snprintf(row->cells[RATIO], CELL, "%.2f [%.2f, %.2f]", number(ratio, "median"),
		number(ratio, "ci95_low"), number(ratio, "ci95_high"));
	snprintf(row->cells[RESULT], CELL, "%s",
		json_is_true(reached) ? "reached" : "**not reached**");
}

static void print_row(FILE *out, const struct row *row, const size_t *widths)
{
	for (size_t i = 0; i < COLUMNS; i++)
		fprintf(out, "%s%-*s", i == 0 ? "| " : " | ", (int)widths[i], row->cells[i]);
	fprintf(out, " |\n");
}

static void print_table(FILE *out, const struct row *rows, size_t n)
{
	size_t widths[COLUMNS] = {0};
	struct row rule = {0};

	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < COLUMNS; j++) {
			size_t len = strlen(rows[i].cells[j]);

			widths[j] = len > widths[j] ? len : widths[j];
		}
	for (size_t j = 0; j < COLUMNS; j++)
		memset(rule.cells[j], '-', widths[j]);
	for (size_t i = 0; i < n; i++) {
		print_row(out, &rows[i], widths);
		if (i == 0)
			print_row(out, &rule, widths);
	}
}

/* What a table has no room for: why something was left out, and the plan's notes. */
static void print_notes(FILE *out, const json_t *comparisons)
{
	bool first = true;
	const json_t *c;
	size_t i;

	json_array_foreach (comparisons, i, c) {
		bool left_out = !json_is_boolean(json_object_get(c, "reached"));

		if (!left_out && text(c, "note")[0] == '\0')
			continue;
		fprintf(out, "%s- %s: %s", first ? "\n" : "", text(c, "name"),
			left_out ? "left out, " : "");
		text_markdown(text(c, left_out ? "reached_reason" : "note"), out);
		fputc('\n', out);
		first = false;
	}
}

/* A value of the environment. */
static void print_environment(FILE *out, const json_t *record, const char *name)
{
	char *value = environment_value(json_object_get(record, "environment"), name);

	text_markdown(value != NULL ? value : "", out);
	free(value);
}

static void print_heading(FILE *out, const json_t *record)
{
	fprintf(out, "# ");
	text_markdown(text(record, "title"), out);
	fprintf(out, "\n\n");
	print_environment(out, record, "cpu_model");
	fprintf(out, ", ");
	print_environment(out, record, "cores");
	fprintf(out, " cores, ");
	print_environment(out, record, "kernel");
	fprintf(out, "; %s, load average ", text(record, "started_at"));
	print_environment(out, record, "load_avg");
	fprintf(out,
		".\n\nMedians of %lld pairs of trials of %.3g s, run in turn (A B, B A, ...), each "
		"server a fresh process%s. The ratio is ours : peer within a pair; load is "
		"connections x pipeline depth.\n\n",
		whole(record, "pairs"), number(record, "duration_s"),
		json_is_object(json_object_get(json_object_get(record, "environment"), "pinning"))
			? ", server and client on cores of their own"
			: ", server and client on any core");
}

json_t *peers_read(const char *path)
{
	json_t *record = json_load_file(path, 0, NULL);

	if (record != NULL && strcmp(text(record, "schema"), PEERS_SCHEMA) == 0)
		return record;
	json_decref(record);
	return NULL;
}

void peers_print(const json_t *record, FILE *out)
{
	const json_t *comparisons = json_object_get(record, "comparisons");
	size_t n = json_array_size(comparisons) + 1;
	struct row *rows = calloc(n, sizeof(*rows));

	if (rows == NULL)
		return;
	for (size_t j = 0; j < COLUMNS; j++)
		snprintf(rows[0].cells[j], CELL, "%s", titles[j]);
	for (size_t i = 1; i < n; i++)
		fill_row(&rows[i], json_array_get(comparisons, i - 1));
	print_heading(out, record);
	print_table(out, rows, n);
	print_notes(out, comparisons);
	free(rows);
}
