#include <stdlib.h>
#include <string.h>

#include "harness/report/grid.h"
#include "harness/report/table.h"
#include "harness/report/text.h"
#include "lib/fail.h"
#include "lib/units.h"

#define GRID_COLUMNS 64
#define GRID_REASONS TABLE_REASONS

struct grid {
	size_t columns;
	size_t n;     /* cells, the titles first */
	char **cells; /* Markdown, owned */
	bool right[GRID_COLUMNS];
	char *reasons[GRID_REASONS]; /* of footnote 1, 2, …; owned */
	size_t reason_count;
};

struct grid *grid_new(void)
{
	struct grid *grid = calloc(1, sizeof(*grid));

	if (grid == NULL)
		fail_msg("no memory for a table");
	return grid;
}

void grid_free(struct grid *grid)
{
	if (grid == NULL)
		return;
	for (size_t i = 0; i < grid->n; i++)
		free(grid->cells[i]);
	for (size_t i = 0; i < grid->reason_count; i++)
		free(grid->reasons[i]);
	free(grid->cells);
	free(grid);
}

/* Takes @cell, which is NULL without memory: then its place shows nothing. */
static void add(struct grid *grid, char *cell)
{
	char **cells = reallocarray(grid->cells, grid->n + 1, sizeof(*cells));

	if (cells == NULL) {
		free(cell);
		return;
	}
	grid->cells = cells;
	grid->cells[grid->n++] = cell;
}

static char *escaped(const char *text)
{
	char *cell = NULL;
	size_t len;
	FILE *out = open_memstream(&cell, &len);

	if (out == NULL)
		return NULL;
	text_markdown(text, out);
	fclose(out);
	return cell;
}

void grid_column(struct grid *grid, const char *title, bool right)
{
	if (grid->columns == GRID_COLUMNS)
		return;
	grid->right[grid->columns++] = right;
	add(grid, escaped(title));
}

void grid_text(struct grid *grid, const char *text)
{
	add(grid, escaped(text));
}

/* The number of a footnote. Further ones share the last. */
static size_t footnote(struct grid *grid, const char *reason)
{
	for (size_t i = 0; i < grid->reason_count; i++)
		if (grid->reasons[i] != NULL && strcmp(grid->reasons[i], reason) == 0)
			return i + 1;
	if (grid->reason_count < GRID_REASONS)
		grid->reasons[grid->reason_count++] = strdup(reason);
	return grid->reason_count;
}

void grid_absent(struct grid *grid, const char *reason)
{
	char mark[TABLE_CELL];
	char *cell = NULL;

	if (asprintf(&cell, "—%s", table_footnote(footnote(grid, reason), mark)) < 0)
		cell = NULL;
	add(grid, cell);
}

void grid_number(
	struct grid *grid, bool known, double value, grid_format *format, const char *reason)
{
	char text[UNITS_TEXT];

	if (known)
		grid_text(grid, format(value, text));
	else
		grid_absent(grid, reason);
}

size_t grid_rows(const struct grid *grid)
{
	return grid->columns > 0 ? grid->n / grid->columns - 1 : 0;
}

static const char *cell_of(const struct grid *grid, size_t row, size_t column)
{
	const char *cell = grid->cells[row * grid->columns + column];

	return cell != NULL ? cell : "";
}

static size_t width_of(const struct grid *grid, size_t column)
{
	size_t width = 3;

	for (size_t row = 0; row <= grid_rows(grid); row++) {
		size_t one = text_width(cell_of(grid, row, column));

		width = one > width ? one : width;
	}
	return width;
}

static void print_cell(const struct grid *grid, size_t row, size_t column, FILE *out)
{
	const char *cell = cell_of(grid, row, column);
	int gap = (int)(width_of(grid, column) - text_width(cell));

	if (grid->right[column])
		fprintf(out, "| %*s%s ", gap, "", cell);
	else
		fprintf(out, "| %s%*s ", cell, gap, "");
}

static void print_rule(const struct grid *grid, FILE *out)
{
	for (size_t column = 0; column < grid->columns; column++) {
		fputs(grid->right[column] ? "| " : "| :", out);
		for (size_t i = 1; i < width_of(grid, column); i++)
			fputc('-', out);
		fputs(grid->right[column] ? ": " : " ", out);
	}
	fputs("|\n", out);
}

void grid_print(const struct grid *grid, FILE *out)
{
	char mark[TABLE_CELL];

	for (size_t row = 0; row <= grid_rows(grid); row++) {
		for (size_t column = 0; column < grid->columns; column++)
			print_cell(grid, row, column, out);
		fputs("|\n", out);
		if (row == 0)
			print_rule(grid, out);
	}
	if (grid->reason_count > 0)
		fputc('\n', out);
	for (size_t i = 0; i < grid->reason_count; i++) {
		fprintf(out, "- %s ", table_footnote(i + 1, mark));
		text_markdown(grid->reasons[i] != NULL ? grid->reasons[i] : "", out);
		fputs(".\n", out);
	}
}
