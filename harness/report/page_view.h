#ifndef HARNESS_REPORT_PAGE_VIEW_H
#define HARNESS_REPORT_PAGE_VIEW_H

#include <jansson.h>
#include <stddef.h>

#include "harness/report/table.h"

/**
 * DOC: What the page shows: a group of rows for each load of each round. All groups have the
 * same columns, whatever their rounds chose.
 */

#define PAGE_PROTOCOL TABLE_COLUMNS /* a column that no other table has */

/** page_columns - The columns from left to right, page_column_count of them. */
extern const enum table_column page_columns[];
extern const size_t page_column_count;

/** struct page_group - The contestants of one round under one load. */
struct page_group {
	const char *file;     /* of the record: its name without folders */
	const json_t *record; /* of the round */
	json_t *view;         /* what the table was made of; owned */
	struct table *table;  /* owned */
};

/** struct page_view - All groups, those of a round one after another. */
struct page_view {
	struct page_group *groups;
	size_t n;
};

/**
 * page_view_open() - Group the rows of @records, which must outlive the view.
 * @records: see page_add().
 *
 * Return: 0, to be freed by page_view_close(); -1 without memory.
 */
int page_view_open(struct page_view *view, const json_t *records);

/** page_view_close() - Let go of what it owns. */
void page_view_close(struct page_view *view);

/** page_title() - What @column is called. */
const char *page_title(enum table_column column);

/** page_cell() - The text of @column in @row, as in the record; never NULL. */
const char *page_cell(const struct table_row *row, enum table_column column);

/** page_load() - The load of @group in short. @out: TABLE_CELL bytes. Return: @out. */
const char *page_load(const struct page_group *group, char *out);

#endif
