#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/report/floor.h"
#include "harness/report/pick.h"
#include "harness/report/result.h"
#include "harness/report/scaling.h"
#include "harness/report/table.h"
#include "harness/report/text.h"
#include "lib/clock.h"
#include "lib/fail.h"
#include "lib/units.h"

#define NAME_CHARACTERS 32     /* of a contestant's name; a longer one is cut */
#define INCONSISTENT    " (!)" /* behind the name: a self-check has failed; the notes say which */

const struct table_head table_heads[TABLE_COLUMNS] = {
	[COLUMN_RANK] = {"rank", "#", "#", true, true},
	[COLUMN_NAME] = {"name", "Contestant", "contestant", false, true},
	[COLUMN_CLASS] = {"class", "Class", "class", false, true},
	[COLUMN_LOAD] = {"load", "Connections × pipeline", NULL, true, true},
	[COLUMN_TIME] = {"total_time", "Total time", "time", true, false},
	[COLUMN_RPS] = {"rps", "Requests/s", "requests/s", true, true},
	[COLUMN_BEST] = {"best", "Best trial", "best", true, false},
	[COLUMN_INTERVAL] = {"interval", "95 % interval", "95 % interval", true, true},
	[COLUMN_RPS_PER_CPU] = {"rps_per_cpu", "Requests per server CPU-second", "per CPU-s", true,
		true},
	[COLUMN_CPU] = {"cpu", "Server CPU", "CPU", true, false},
	[COLUMN_MEMORY] = {"memory", "Server memory", "memory", true, false},
	[COLUMN_MEAN] = {"mean", "Mean", "mean", true, false},
	[COLUMN_STDEV] = {"stdev", "Stdev", "stdev", true, false},
	[COLUMN_P50] = {"p50", "p50", "p50", true, true},
	[COLUMN_P75] = {"p75", "p75", "p75", true, false},
	[COLUMN_P90] = {"p90", "p90", "p90", true, false},
	[COLUMN_P95] = {"p95", "p95", "p95", true, false},
	[COLUMN_P99] = {"p99", "p99", "p99", true, true},
	[COLUMN_P100] = {"p100", "p100", "p100", true, false},
	[COLUMN_BYTES] = {"bytes", "Bytes per reply", "B/reply", true, true},
	[COLUMN_ERRORS] = {"errors", "Errors", "errors", true, true},
	[COLUMN_LIMIT] = {"limit", "Limited by", "limit", false, true},
	[COLUMN_CEILING] = {"ceiling", "Of the client's ceiling", "of ceil.", true, true},
	[COLUMN_RELATIVE] = {"relative", "Relative", "relative", true, true},
};

enum table_column table_column(const char *name)
{
	enum table_column column = 0;

	while (column < TABLE_COLUMNS && strcmp(table_heads[column].name, name) != 0)
		column++;
	return column;
}

/* A duration that the record has in seconds. */
static const char *format_seconds(double seconds, char *out)
{
	return units_duration(seconds * NS_PER_S, out);
}

static const char *format_share(double share, char *out)
{
	/* A row can outdo the short runs that the ceiling is from. */
	if (share > 1)
		snprintf(out, UNITS_TEXT, "≥ 100 %%");
	else
		snprintf(out, UNITS_TEXT, "%.0f %%", 100 * share);
	return out;
}

static const char *format_percent(double percent, char *out)
{
	return format_share(percent / 100, out);
}

/** struct source - The field that a cell shows; its reason is the footnote of an absent one. */
struct source {
	const char *path;
	const char *(*format)(double value, char *out); /* of a cell that is this number alone */
};

static const struct source sources[TABLE_COLUMNS] = {
	[COLUMN_RANK] = {"rank", NULL},
	[COLUMN_TIME] = {"duration_s.median", format_seconds},
	[COLUMN_RPS] = {"rps.median", text_count},
	[COLUMN_BEST] = {"rps.best", text_count},
	[COLUMN_INTERVAL] = {"rps.ci95_low", NULL},
	[COLUMN_RPS_PER_CPU] = {"rps_per_server_cpu_s.median", text_count},
	[COLUMN_CPU] = {"server_cpu_percent", format_percent},
	[COLUMN_MEMORY] = {"max_rss_bytes", units_size},
	[COLUMN_MEAN] = {"latency_ns.mean", units_duration},
	[COLUMN_STDEV] = {"latency_ns.stddev", units_duration},
	[COLUMN_P75] = {"latency_ns.p75", units_duration},
	[COLUMN_P50] = {"latency_ns.p50", units_duration},
	[COLUMN_P90] = {"latency_ns.p90", units_duration},
	[COLUMN_P95] = {"latency_ns.p95", units_duration},
	[COLUMN_P99] = {"latency_ns.p99", units_duration},
	[COLUMN_P100] = {"latency_ns.max", units_duration},
	[COLUMN_BYTES] = {"bytes_per_reply", text_count},
	[COLUMN_ERRORS] = {"errors", NULL},
	[COLUMN_LIMIT] = {"limit", NULL},
	[COLUMN_CEILING] = {"ceiling_share", format_share},
	[COLUMN_RELATIVE] = {"relative.ratio", NULL},
};

const char *table_field(enum table_column column)
{
	return sources[column].path;
}

static void fill_number(struct table_cell *cell, const json_t *summary, const struct source *source)
{
	char text[UNITS_TEXT];
	double value;

	if (pick_number(summary, source->path, &value))
		snprintf(cell->text, TABLE_CELL, "%s", source->format(value, text));
	else if (pick_bound(summary, source->path, &value))
		snprintf(cell->text, TABLE_CELL, "≥ %s", source->format(value, text));
}

/* "2", or "2=" for all that share the rank. */
static void fill_rank(struct table_cell *cell, const json_t *summary, bool shared)
{
	double rank;

	if (pick_number(summary, "rank", &rank))
		snprintf(cell->text, TABLE_CELL, "%.0f%s", rank, shared ? "=" : "");
}

static void fill_text(struct table_cell *cell, const char *text)
{
	if (text != NULL)
		text_cut(text, NAME_CHARACTERS, cell->text, TABLE_CELL);
}

static void fill_load(struct table_cell *cell, const json_t *contestant)
{
	struct rank_load load = rank_load_of(contestant);

	rank_load_text(&load, cell->text);
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
	if (ratio != 1 && pick_number(summary, "relative.ci95_low", &low) &&
		pick_number(summary, "relative.ci95_high", &high))
		snprintf(cell->text, TABLE_CELL, "%.2f ± %.2f", ratio, (high - low) / 2);
	else
		snprintf(cell->text, TABLE_CELL, "%.2f", ratio);
}

bool table_shows(const struct table *table, enum table_column column)
{
	for (size_t i = 0; i < table->shown_count; i++)
		if (table->shown[i] == column)
			return true;
	return false;
}

bool table_is_explained(const struct table_row *row)
{
	return row->failure != NULL || row->skipped != NULL;
}

static void fill_row(struct table_row *row)
{
	struct table_cell *cells = row->cells;

	fill_text(&cells[COLUMN_NAME], pick_text(row->contestant, "name"));
	if (json_object_size(pick(row->summary, "checks_failed")) > 0)
		strcat(cells[COLUMN_NAME].text, INCONSISTENT);
	fill_text(&cells[COLUMN_CLASS], pick_text(row->contestant, "class"));
	fill_load(&cells[COLUMN_LOAD], row->contestant);
	if (table_is_explained(row))
		return;
	for (size_t c = 0; c < TABLE_COLUMNS; c++)
		if (sources[c].format != NULL)
			fill_number(&cells[c], row->summary, &sources[c]);
	fill_interval(&cells[COLUMN_INTERVAL], row->summary);
	fill_errors(&cells[COLUMN_ERRORS], row->summary);
	fill_text(&cells[COLUMN_LIMIT], pick_text(row->summary, sources[COLUMN_LIMIT].path));
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
	for (size_t i = 0; i < table->shown_count; i++) {
		const char *path = sources[table->shown[i]].path;
		struct table_cell *cell = &row->cells[table->shown[i]];

		if (cell->text[0] != '\0')
			continue;
		snprintf(cell->text, TABLE_CELL, "—");
		if (!table_is_explained(row) && path != NULL)
			cell->footnote = footnote_of(table, pick_reason(row->summary, path));
	}
}

/* Below all ranks: those without one, then the failed, then those left out. */
static double place(const struct table_row *row)
{
	double last = row->skipped != NULL ? 3e15 : row->failure != NULL ? 2e15 : 1e15;

	return pick_or(row->summary, "rank", last);
}

/* Those that share a rank stay in the order of their medians. */
static double behind(const struct table_row *row)
{
	return pick_or(row->summary, "relative.ratio", 0);
}

static int compare(const void *a, const void *b)
{
	const struct table_row *x = a;
	const struct table_row *y = b;

	if (place(x) != place(y))
		return place(x) < place(y) ? -1 : 1;
	if (behind(x) != behind(y))
		return behind(x) < behind(y) ? -1 : 1;
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

/* Whether a round that names its columns names this one. */
static bool is_named(const json_t *names, enum table_column column)
{
	const json_t *name;
	size_t i;

	json_array_foreach (names, i, name)
		if (strcmp(json_string_value(name), table_heads[column].name) == 0)
			return true;
	return false;
}

/* Records without a calibration know of no ceiling. */
static bool is_shown(const json_t *record, enum table_column column)
{
	const json_t *names = pick(record, "columns");

	if (column == COLUMN_CEILING && json_array_size(pick(record, "calibration")) == 0)
		return false;
	return column == COLUMN_NAME || column == COLUMN_RPS ||
	       (names != NULL ? is_named(names, column) : table_heads[column].common);
}

static void choose_columns(struct table *table, const json_t *record)
{
	for (enum table_column c = 0; c < TABLE_COLUMNS; c++)
		if (is_shown(record, c))
			table->shown[table->shown_count++] = c;
}

struct table *table_new(const json_t *record, const json_t *first)
{
	const json_t *contestants = pick(record, "contestants");
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
	table->ceiling = result_ceiling(record, first);
	table->floor = floor_find(pick(record, "noise_floor"), &table->load);
	table->names_threads = table->load.threads > 1 || scaling_is_asked(contestants);
	choose_columns(table, record);
	json_array_foreach (contestants, i, contestant)
		if (rank_same_load(contestant, first))
			add_row(table, contestant, i);
	qsort(table->rows, table->n, sizeof(*table->rows), compare);
	for (i = 0; i < table->n; i++) {
		bool shared =
			(i > 0 && place(&table->rows[i - 1]) == place(&table->rows[i])) ||
			(i + 1 < table->n && place(&table->rows[i + 1]) == place(&table->rows[i]));

		fill_rank(&table->rows[i].cells[COLUMN_RANK], table->rows[i].summary, shared);
		mark_absent(table, &table->rows[i]);
	}
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
