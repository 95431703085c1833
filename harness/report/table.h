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

/** enum table_column - In this order. */
enum table_column {
	COLUMN_NAME,
	COLUMN_CLASS,
	COLUMN_LOAD,
	COLUMN_RPS,
	COLUMN_INTERVAL,
	COLUMN_RPS_PER_CPU,
	COLUMN_P50,
	COLUMN_P99,
	COLUMN_BYTES,
	COLUMN_ERRORS,
	COLUMN_LIMIT,
	COLUMN_RELATIVE,
	TABLE_COLUMNS
};

/** struct table_head - The title of a column. */
struct table_head {
	const char *title;
	const char *brief; /* for the console; NULL: not shown there */
	bool right;        /* aligned to the right */
};

/** table_heads - One for each column. */
extern const struct table_head table_heads[TABLE_COLUMNS];

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
	bool by_server_cpu; /* ranked by requests per server CPU-second */
	struct table_row *rows;
	size_t n;
	const char *reasons[TABLE_REASONS]; /* of footnote 1, 2, … */
	size_t reason_count;
};

/**
 * table_new() - The table of those @contestants that are under the same load as @first.
 *
 * Return: owned by the caller, valid as long as the record; NULL after a message.
 */
struct table *table_new(const json_t *contestants, const json_t *first);

/** table_free() - Also of NULL. */
void table_free(struct table *table);

/** table_is_explained() - True when a row has a reason to show instead of numbers. */
bool table_is_explained(const struct table_row *row);

/** table_footnote() - The mark of a footnote: "¹". @out: TABLE_CELL bytes. Return: @out. */
const char *table_footnote(size_t number, char *out);

#endif
