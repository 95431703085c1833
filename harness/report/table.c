#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/report/pick.h"
#include "harness/report/table.h"
#include "harness/report/text.h"
#include "lib/fail.h"
#include "lib/units.h"

#define NAME_CHARACTERS 32 /* of a contestant's name; a longer one is cut */

const struct table_head table_heads[TABLE_COLUMNS] = {
	[COLUMN_NAME] = {"Contestant", "contestant", false},
	[COLUMN_CLASS] = {"Class", "class", false},
	[COLUMN_LOAD] = {"Connections × pipeline", NULL, true},
	[COLUMN_RPS] = {"Requests/s", "requests/s", true},
	[COLUMN_INTERVAL] = {"95 % interval", "95 % interval", true},
	[COLUMN_RPS_PER_CPU] = {"Requests per server CPU-second", "per CPU-s", true},
	[COLUMN_P50] = {"p50", "p50", true},
	[COLUMN_P99] = {"p99", "p99", true},
	[COLUMN_BYTES] = {"Bytes per reply", "B/reply", true},
	[COLUMN_ERRORS] = {"Errors", "errors", true},
	[COLUMN_LIMIT] = {"Limited by", "limit", false},
	[COLUMN_RELATIVE] = {"Relative", "relative", true},
};

/* Puts the number at @path into the cell by @format. */
static void fill_number(struct table_cell *cell, const json_t *summary, const char *path,
	const char *(*format)(double value, char *out))
{
	char text[UNITS_TEXT];
	double value;

	if (pick_number(summary, path, &value))
		snprintf(cell->text, TABLE_CELL, "%s", format(value, text));
}

static void fill_text(struct table_cell *cell, const char *text)
{
	if (text != NULL)
		text_cut(text, NAME_CHARACTERS, cell->text, TABLE_CELL);
}

static void fill_load(struct table_cell *cell, const json_t *contestant)
{
	struct rank_load load = rank_load_of(contestant);

	snprintf(cell->text, TABLE_CELL, "%.0f × %.0f", load.connections, load.pipeline);
}

static void fill_interval(struct table_cell *cell, const json_t *summary)
{
	char low_text[TEXT_COUNT];
	char high_text[TEXT_COUNT];
	double low;
	double high;

	if (pick_number(summary, "rps.ci95_low", &low) &&
		pick_number(summary, "rps.ci95_high", &high))
		snprintf(cell->text, TABLE_CELL, "%s–%s", text_count(low, low_text),
			text_count(high, high_text));
}

static void fill_errors(struct table_cell *cell, const json_t *summary)
{
	json_t *errors = json_object_get(summary, "errors");
	double sum = 0;
	const char *kind;
	json_t *count;

	json_object_foreach (errors, kind, count)
		sum += json_number_value(count);
	if (json_is_object(errors))
		text_count(sum, cell->text);
}

static void fill_relative(struct table_cell *cell, const json_t *summary)
{
	double ratio;
	double low;
	double high;

	if (!pick_number(summary, "relative.ratio", &ratio))
		return;
	if (pick_or(summary, "rank", 0) != 1 && pick_number(summary, "relative.ci95_low", &low) &&
		pick_number(summary, "relative.ci95_high", &high))
		snprintf(cell->text, TABLE_CELL, "%.2f ± %.2f", ratio, (high - low) / 2);
	else
		snprintf(cell->text, TABLE_CELL, "%.2f", ratio);
}

/* The field that each cell shows; its reason is the footnote of an absent one. */
static const char *const paths[TABLE_COLUMNS] = {
	[COLUMN_RPS] = "rps.median",
	[COLUMN_INTERVAL] = "rps.ci95_low",
	[COLUMN_RPS_PER_CPU] = "rps_per_server_cpu_s.median",
	[COLUMN_P50] = "latency_ns.p50",
	[COLUMN_P99] = "latency_ns.p99",
	[COLUMN_BYTES] = "bytes_per_reply",
	[COLUMN_ERRORS] = "errors",
	[COLUMN_LIMIT] = "limit",
	[COLUMN_RELATIVE] = "relative.ratio",
};

bool table_is_explained(const struct table_row *row)
{
	return row->failure != NULL || row->skipped != NULL;
}

static void fill_row(struct table_row *row)
{
	struct table_cell *cells = row->cells;

	fill_text(&cells[COLUMN_NAME], pick_text(row->contestant, "name"));
	fill_text(&cells[COLUMN_CLASS], pick_text(row->contestant, "class"));
	fill_load(&cells[COLUMN_LOAD], row->contestant);
	if (table_is_explained(row))
		return;
	fill_number(&cells[COLUMN_RPS], row->summary, paths[COLUMN_RPS], text_count);
	fill_interval(&cells[COLUMN_INTERVAL], row->summary);
	fill_number(
		&cells[COLUMN_RPS_PER_CPU], row->summary, paths[COLUMN_RPS_PER_CPU], text_count);
	fill_number(&cells[COLUMN_P50], row->summary, paths[COLUMN_P50], units_duration);
	fill_number(&cells[COLUMN_P99], row->summary, paths[COLUMN_P99], units_duration);
	fill_number(&cells[COLUMN_BYTES], row->summary, paths[COLUMN_BYTES], text_count);
	fill_errors(&cells[COLUMN_ERRORS], row->summary);
	fill_text(&cells[COLUMN_LIMIT], pick_text(row->summary, paths[COLUMN_LIMIT]));
	fill_relative(&cells[COLUMN_RELATIVE], row->summary);
}

static size_t footnote_of(struct table *table, const char *reason)
{
	for (size_t i = 0; i < table->reason_count; i++)
		if (strcmp(table->reasons[i], reason) == 0)
			return i + 1;
	if (table->reason_count < TABLE_REASONS)
		table->reasons[table->reason_count++] = reason;
	return table->reason_count;
}

/* Absent cells show a dash; those of a row that has a reason of its own need no footnote. */
static void mark_absent(struct table *table, struct table_row *row)
{
	for (size_t i = 0; i < TABLE_COLUMNS; i++) {
		struct table_cell *cell = &row->cells[i];

		if (cell->text[0] != '\0')
			continue;
		snprintf(cell->text, TABLE_CELL, "—");
		if (!table_is_explained(row) && paths[i] != NULL)
			cell->footnote = footnote_of(table, pick_reason(row->summary, paths[i]));
	}
}

/* Below all ranks: those without one, then the failed, then those left out. */
static double place(const struct table_row *row)
{
	double last = row->skipped != NULL ? 3e15 : row->failure != NULL ? 2e15 : 1e15;

	return pick_or(row->summary, "rank", last);
}

static int compare(const void *a, const void *b)
{
	const struct table_row *x = a;
	const struct table_row *y = b;

	if (place(x) != place(y))
		return place(x) < place(y) ? -1 : 1;
	return x->index < y->index ? -1 : 1;
}

static void add_row(struct table *table, const json_t *contestant, size_t index)
{
	const json_t *summary = pick(contestant, "summary");
	const char *ranked_by = pick_text(summary, "ranked_by");
	struct table_row *row = &table->rows[table->n++];

	*row = (struct table_row){
		.index = index,
		.contestant = contestant,
		.summary = summary,
		.skipped = pick_text(contestant, "skipped"),
		.failure = pick_text(summary, "failure"),
	};
	table->by_server_cpu = ranked_by != NULL && strcmp(ranked_by, "rps") != 0;
	fill_row(row);
}

struct table *table_new(const json_t *contestants, const json_t *first)
{
	struct table *table = calloc(1, sizeof(*table));
	const json_t *contestant;
	size_t i;

	if (table != NULL)
		table->rows = calloc(json_array_size(contestants), sizeof(*table->rows));
	if (table == NULL || table->rows == NULL) {
		table_free(table);
		fail_msg("no memory for the table of this round");
		return NULL;
	}
	table->load = rank_load_of(first);
	json_array_foreach (contestants, i, contestant)
		if (rank_same_load(contestant, first))
			add_row(table, contestant, i);
	qsort(table->rows, table->n, sizeof(*table->rows), compare);
	for (i = 0; i < table->n; i++)
		mark_absent(table, &table->rows[i]);
	return table;
}

void table_free(struct table *table)
{
	if (table == NULL)
		return;
	free(table->rows);
	free(table);
}

const char *table_footnote(size_t number, char *out)
{
	static const char *const digits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};

	out[0] = '\0';
	if (number >= 10)
		strcat(out, digits[number / 10]);
	if (number > 0)
		strcat(out, digits[number % 10]);
	return out;
}
