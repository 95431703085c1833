#include <math.h>
#include <string.h>

#include "harness/report/curve.h"
#include "harness/report/pick.h"
#include "harness/report/text.h"
#include "lib/units.h"

#define CELLS 9
#define CELL  24 /* bytes of a cell's text, with its NUL */

static const char *const heads[CELLS] = {
	"Load", "Target/s", "Achieved/s", "p50", "p90", "p99", "p99.9", "Max", "Srv. p99"};

/* What the cells from the fourth on show. */
static const char *const durations[] = {"latency_ns.p50", "latency_ns.p90", "latency_ns.p99",
	"latency_ns.p99_9", "latency_ns.max", "service_time_ns.p99"};

/** struct curve_row - A line of the table: a share of the highest rate. */
struct curve_row {
	char cells[CELLS][CELL];
	bool saturated;
	const char *reason; /* why nothing was measured; NULL: it was */
};

json_t *curve_read(const char *path)
{
	json_t *record = json_load_file(path, 0, NULL);
	const char *schema = pick_text(record, "schema");

	if (schema != NULL && strcmp(schema, CURVE_SCHEMA) == 0)
		return record;
	json_decref(record);
	return NULL;
}

/* ------------------------------------------------------------------ the table */

static void put_rate(double rate, char *out)
{
	snprintf(out, CELL, "%.*f", rate < 100 && rate != floor(rate) ? 2 : 0, rate);
}

static struct curve_row row_of(double share, const json_t *point)
{
	const json_t *trial = pick(point, "trial");
	struct curve_row row = {.saturated = pick_true(trial, "saturated")};

	snprintf(row.cells[0], CELL, "%.0f %%", 100 * share);
	if (!json_is_object(trial)) {
		row.reason = pick_reason(point, "trial");
		return row;
	}
	put_rate(pick_or(trial, "rate.target", 0), row.cells[1]);
	put_rate(pick_or(trial, "rate.achieved", 0), row.cells[2]);
	for (size_t i = 0; i < sizeof(durations) / sizeof(durations[0]); i++) {
		char text[UNITS_TEXT];
		double ns;
		bool known = pick_number(trial, durations[i], &ns);

		snprintf(row.cells[3 + i], CELL, "%s", known ? units_duration(ns, text) : "n/a");
	}
	return row;
}

/** print_row - Prints a line of the table. */
typedef void print_row(const struct curve_row *row, FILE *out);

/* The shares, then the peak itself. */
static void print_rows(const json_t *record, print_row *print, FILE *out)
{
	const json_t *point;
	struct curve_row row;
	size_t i;

	json_array_foreach (pick(record, "curve"), i, point) {
		row = row_of(pick_or(point, "share", 0), point);
		print(&row, out);
	}
	row = row_of(1, record);
	print(&row, out);
}

static void print_console_row(const struct curve_row *row, FILE *out)
{
	fprintf(out, "  %5s", row->cells[0]);
	if (row->reason != NULL) {
		fputs("  ", out);
		text_plain(row->reason, out);
		fputc('\n', out);
		return;
	}
	for (size_t i = 1; i < CELLS; i++)
		fprintf(out, " %*s", i < 3 ? 11 : 9, row->cells[i]);
	fputs(row->saturated ? "  saturated\n" : "\n", out);
}

static void print_markdown_row(const struct curve_row *row, FILE *out)
{
	fprintf(out, "| %s ", row->cells[0]);
	for (size_t i = 1; i < CELLS; i++)
		fprintf(out, "| %s ", row->reason == NULL ? row->cells[i] : "");
	if (row->reason != NULL)
		text_markdown(row->reason, out);
	fputs(row->saturated ? "saturated |\n" : "|\n", out);
}

/** print_text - Prints a text that may hold any characters. */
typedef void print_text(const char *text, FILE *out);

static void print_what(const json_t *record, print_text *print, FILE *out)
{
	const json_t *conditions = pick(record, "conditions");
	const json_t *text;
	size_t i;

	fputs("Highest rate that keeps ", out);
	json_array_foreach (conditions, i, text) {
		fputs(i > 0 ? " and " : "", out);
		print(json_is_string(text) ? json_string_value(text) : "?", out);
	}
	fputs(" @ ", out);
	print(pick_text(record, "target") != NULL ? pick_text(record, "target") : "?", out);
}

static void print_load(const json_t *record, FILE *out)
{
	double threads = pick_or(record, "threads", 0);
	double connections = pick_or(record, "connections", 0);
	const char *arrival = pick_text(record, "arrival");

	fprintf(out, "%.0f thread%s and %.0f connection%s × pipeline %.0f, %s arrivals", threads,
		threads == 1 ? "" : "s", connections, connections == 1 ? "" : "s",
		pick_or(record, "pipeline", 0),
		arrival != NULL && strcmp(arrival, "poisson") == 0 ? "poisson" : "constant");
}

/* Return: false when there is none, with the reason said. */
static bool print_peak(const json_t *record, print_text *print, FILE *out)
{
	double rate;
	bool known = pick_number(record, "max_rate", &rate);

	if (known) {
		fprintf(out, "Requests/sec: %10.*f\n", rate < 1000 ? 2 : 0, rate);
		return true;
	}
	fputs("Requests/sec: n/a (", out);
	print(pick_reason(record, "max_rate"), out);
	fputs(")\n", out);
	return false;
}

static void print_next(const json_t *record, print_text *print, FILE *out)
{
	const char *next = pick_text(record, "next_limit");

	if (next == NULL)
		return;
	fputs("Above it: ", out);
	print(next, out);
	fputc('\n', out);
}

void curve_console(const json_t *record, FILE *out)
{
	print_what(record, text_plain, out);
	fputs("\n  ", out);
	print_load(record, out);
	fputc('\n', out);
	if (json_is_number(pick(record, "max_rate"))) {
		fprintf(out, "  %5s", heads[0]);
		for (size_t i = 1; i < CELLS; i++)
			fprintf(out, " %*s", i < 3 ? 11 : 9, heads[i]);
		fputc('\n', out);
		print_rows(record, print_console_row, out);
	}
	if (print_peak(record, text_plain, out))
		print_next(record, text_plain, out);
}

void curve_markdown(const json_t *record, const char *chart, FILE *out)
{
	fputs("# Latency against load\n\n", out);
	print_what(record, text_markdown, out);
	fputs(",  \n", out);
	print_load(record, out);
	fprintf(out, ", steps of %g s\n\n", pick_or(record, "step_s", 0));
	if (print_peak(record, text_markdown, out)) {
		fputc('\n', out);
		print_next(record, text_markdown, out);
		for (size_t i = 0; i < CELLS; i++)
			fprintf(out, "%s| %s ", i == 0 ? "\n" : "", heads[i]);
		fputs("|\n|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n", out);
		print_rows(record, print_markdown_row, out);
	}
	if (chart != NULL) {
		fputs("\n![Latency by percentile at these rates](", out);
		text_link(chart, out);
		fputs(".svg)\n", out);
	}
	if (pick_text(record, "command") != NULL) {
		fputs("\n- Command: ", out);
		text_markdown(pick_text(record, "command"), out);
		fputc('\n', out);
	}
	fputs("- Open loop: latency counts from the instant at which a request was due. METHOD.md "
	      "\"Highest rate\" says how it is found. This page is rendered from the record beside "
	      "it, and overwritten.\n",
		out);
}
