#ifndef HARNESS_REPORT_GRID_H
#define HARNESS_REPORT_GRID_H

#include <stdbool.h>
#include <stdio.h>

/**
 * DOC: A table in Markdown with its columns aligned, to be read on a console as well. Columns come
 * first, then cells, row by row. What is absent is a dash with a footnote that says why.
 */

struct grid;

/** grid_new() - Without columns. Return: owned by the caller; NULL after a message. */
struct grid *grid_new(void);

/** grid_free() - Also of NULL. */
void grid_free(struct grid *grid);

/** grid_column() - Add a column. @right: its cells are aligned to the right. */
void grid_column(struct grid *grid, const char *title, bool right);

/** grid_text() - Add a cell with a text of the record. */
void grid_text(struct grid *grid, const char *text);

/** grid_absent() - Add a cell that says @reason in a footnote. */
void grid_absent(struct grid *grid, const char *reason);

/** grid_format - A number as a text, as units_count(). @out: UNITS_TEXT bytes. Return: @out. */
typedef const char *grid_format(double value, char *out);

/** grid_number() - Add a cell with @value, or, when @known is false, one that says @reason. */
void grid_number(
	struct grid *grid, bool known, double value, grid_format *format, const char *reason);

/** grid_rows() - How many rows are whole. */
size_t grid_rows(const struct grid *grid);

/** grid_print() - The table, then its footnotes. */
void grid_print(const struct grid *grid, FILE *out);

#endif
