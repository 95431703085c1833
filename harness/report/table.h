#ifndef HARNESS_REPORT_TABLE_H
#define HARNESS_REPORT_TABLE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "harness/report/rank.h"

/**
 * DOC: The table of all contestants under one load, as texts that the console and the page lay
 * out: those with a rank in its order, then those without, then those that have failed or were
 * left out. All texts are as in the record: text.h says how they may be printed.
 */

#define TABLE_CELL    128 /* bytes of a cell's text, with its NUL */
#define TABLE_REASONS 32  /* different footnotes of a table; further ones share the last */

/** enum table_column - All that there are, in the order in which they are shown. */
enum table_column {
	COLUMN_RANK,
	COLUMN_NAME,
	COLUMN_CLASS,
	COLUMN_LOAD,
	COLUMN_TIME,
	COLUMN_RPS,
	COLUMN_BEST,
	COLUMN_INTERVAL,
	COLUMN_RPS_PER_CPU,
	COLUMN_CPU,
	COLUMN_MEMORY,
	COLUMN_MEAN,
	COLUMN_STDEV,
	COLUMN_P50,
	COLUMN_P75,
	COLUMN_P90,
	COLUMN_P95,
	COLUMN_P99,
	COLUMN_P100,
	COLUMN_BYTES,
	COLUMN_ERRORS,
	COLUMN_LIMIT,
	COLUMN_CEILING,
	COLUMN_RELATIVE,
	TABLE_COLUMNS
};

/** struct table_head - What a column is called. */
struct table_head {
	const char *name;  /* in rounds and records */
	const char *title; /* on the page */
	const char *brief; /* for the console; NULL: not shown there */
	bool right;        /* aligned to the right */
	bool common;       /* in the table of a round that does not choose its columns */
};

/** table_heads - One for each column. */
extern const struct table_head table_heads[TABLE_COLUMNS];

/** table_column() - The column that is called @name. Return: TABLE_COLUMNS when none is. */
enum table_column table_column(const char *name);

/** struct table_cell - A field of the record as text; "—" when it is absent. */
struct table_cell {
	char text[TABLE_CELL];
	size_t footnote; /* why it is absent: a number from 1 in reasons; 0 = none */
};

/** struct table_row - A contestant. Its values belong to the record. */
struct table_row {
	size_t index; /* in the record */
	const json_t *contestant;
	const json_t *summary;
	const char *skipped; /* why it was left out, or NULL */
	const char *failure; /* why it has failed, or NULL */
	struct table_cell cells[TABLE_COLUMNS];
};

/** struct table - All under one load. */
struct table {
	struct rank_load load;
	enum table_column shown[TABLE_COLUMNS]; /* those of the round, the first @shown_count */
	size_t shown_count;
	const json_t *ceiling; /* of the record's calibration, at this load; or NULL */
	const json_t *floor;   /* of the record's noise_floor, at this load; or NULL */
	bool names_threads;    /* its title does, since others have another number of them */
	bool by_server_cpu;    /* ranked by requests per server CPU-second */
	struct table_row *rows;
	size_t n;
	const char *reasons[TABLE_REASONS]; /* of footnote 1, 2, … */
	size_t reason_count;
};

/**
 * table_new() - The table of those contestants of @record that are under the same load as @first,
 *   with the columns that record.columns names; without it, the common ones.
 *
 * Return: owned by the caller, valid as long as the record; NULL after a message.
 */
struct table *table_new(const json_t *record, const json_t *first);

/** table_free() - Also of NULL. */
void table_free(struct table *table);

/** table_shows() - True when @column is one of those shown. */
bool table_shows(const struct table *table, enum table_column column);

/** table_is_explained() - True when a row has a reason to show instead of numbers. */
bool table_is_explained(const struct table_row *row);

/** table_field() - The field of a summary that @column shows, as a path, or NULL. */
const char *table_field(enum table_column column);

/** table_footnote() - The mark of a footnote: "¹". @out: TABLE_CELL bytes. Return: @out. */
const char *table_footnote(size_t number, char *out);

#endif
