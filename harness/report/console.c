#include <stdlib.h>
#include <string.h>

#include "harness/report/environment.h"
#include "harness/report/notes.h"
#include "harness/report/pick.h"
#include "harness/report/result.h"
#include "harness/report/scaling.h"
#include "harness/report/table.h"
#include "harness/report/text.h"

#define GAP         "  "              /* between columns */
#define NOTE_WIDTH  100               /* columns of a line of text, at most */
#define NOTE_SIZE   512               /* bytes of a note */
#define MARKED_CELL (TABLE_CELL + 16) /* bytes of a cell with its footnote */

/** enum style - ANSI SGR parameters; STYLE_NONE prints as it is. */
enum style { STYLE_NONE = 0, STYLE_BOLD = 1, STYLE_RED = 31, STYLE_GREEN = 32, STYLE_YELLOW = 33 };

/** struct screen - Where the text goes. */
struct screen {
	FILE *out;
	size_t width; /* columns; 0: as many as it takes */
	bool color;
};

/** struct layout - The columns that a table shows on a screen, and how wide each is. */
struct layout {
	size_t widths[TABLE_COLUMNS];
	bool shown[TABLE_COLUMNS];
};

static void print_styled(const struct screen *screen, enum style style, const char *text)
{
	bool styled = screen->color && style != STYLE_NONE;

	if (styled)
		fprintf(screen->out, "\033[%dm", style);
	text_plain(text, screen->out);
	if (styled)
		fputs("\033[0m", screen->out);
}

/* Pads before (@right) or after the text to @width columns. */
static void print_cell(
	const struct screen *screen, enum style style, const char *text, size_t width, bool right)
{
	size_t own = text_width(text);
	int pad = own < width ? (int)(width - own) : 0;

	fprintf(screen->out, "%*s", right ? pad : 0, "");
	print_styled(screen, style, text);
	fprintf(screen->out, "%*s", right ? 0 : pad, "");
}

/* A cell with the mark of its footnote. */
static const char *cell_text(const struct table_cell *cell, char *out)
{
	char mark[TABLE_CELL];

	snprintf(out, MARKED_CELL, "%s%s", cell->text, table_footnote(cell->footnote, mark));
	return out;
}

static void measure(const struct table *table, struct layout *layout)
{
	char text[MARKED_CELL];

	for (size_t c = 0; c < TABLE_COLUMNS; c++) {
		const char *brief = table_heads[c].brief;

		layout->widths[c] = brief != NULL ? text_width(brief) : 0;
		layout->shown[c] = brief != NULL && table_shows(table, c);
	}
	for (size_t r = 0; r < table->n; r++)
		for (size_t c = 0; c < TABLE_COLUMNS; c++) {
			size_t width = text_width(cell_text(&table->rows[r].cells[c], text));

			if (width > layout->widths[c])
				layout->widths[c] = width;
		}
}

static size_t width_of(const struct layout *layout)
{
	size_t width = 0;

	for (size_t c = 0; c < TABLE_COLUMNS; c++)
		if (layout->shown[c])
			width += layout->widths[c] + (width > 0 ? strlen(GAP) : 0);
	return width;
}

/* Leaves out what says least until the rest fits. */
static void fit(const struct screen *screen, struct layout *layout)
{
	static const enum table_column dispensable[] = {COLUMN_STDEV, COLUMN_P75, COLUMN_P95,
		COLUMN_CEILING, COLUMN_BYTES, COLUMN_MEAN, COLUMN_CLASS, COLUMN_P90, COLUMN_LIMIT,
		COLUMN_BEST, COLUMN_P100, COLUMN_TIME, COLUMN_RELATIVE, COLUMN_RANK,
		COLUMN_INTERVAL, COLUMN_LOAD, COLUMN_P50};
	size_t n = sizeof(dispensable) / sizeof(dispensable[0]);

	for (size_t i = 0; i < n && screen->width > 0 && width_of(layout) > screen->width; i++)
		layout->shown[dispensable[i]] = false;
}

static enum style style_of(const struct table_row *row, size_t column)
{
	const char *limit = pick_text(row->summary, "limit");

	if (column == COLUMN_LIMIT && limit != NULL && strcmp(limit, "client") == 0)
		return STYLE_YELLOW;
	if (column == COLUMN_ERRORS && strcmp(row->cells[column].text, "0") != 0)
		return STYLE_RED;
	return pick_or(row->summary, "rank", 0) == 1 ? STYLE_GREEN : STYLE_NONE;
}

static void print_head(
	const struct screen *screen, const struct table *table, const struct layout *layout)
{
	const char *gap = "";

	for (size_t i = 0; i < table->shown_count; i++) {
		enum table_column c = table->shown[i];

		if (!layout->shown[c])
			continue;
		fputs(gap, screen->out);
		gap = GAP;
		print_cell(screen, STYLE_BOLD, table_heads[c].brief, layout->widths[c],
			table_heads[c].right);
	}
	fputc('\n', screen->out);
}

static void print_row(const struct screen *screen, const struct table *table,
	const struct table_row *row, const struct layout *layout)
{
	char text[MARKED_CELL];
	const char *gap = "";

	for (size_t i = 0; i < table->shown_count; i++) {
		enum table_column c = table->shown[i];

		if (!layout->shown[c])
			continue;
		fputs(gap, screen->out);
		gap = GAP;
		if (c == COLUMN_RPS && table_is_explained(row)) {
			print_styled(screen, row->failure != NULL ? STYLE_RED : STYLE_NONE,
				row->failure != NULL ? "FAIL: " : "left out: ");
			text_plain(row->failure != NULL ? row->failure : row->skipped, screen->out);
			break;
		}
		print_cell(screen, style_of(row, c), cell_text(&row->cells[c], text),
			layout->widths[c], table_heads[c].right);
	}
	fputc('\n', screen->out);
}

/** struct paragraph - Notes on their way to the screen. */
struct paragraph {
	const struct screen *screen;
	enum style style;
};

/* Prints one note, broken between words. */
static void print_note(void *ctx, const char *note)
{
	const struct paragraph *paragraph = ctx;
	const struct screen *screen = paragraph->screen;
	bool narrow = screen->width > 0 && screen->width < NOTE_WIDTH;
	size_t limit = narrow ? screen->width : NOTE_WIDTH;
	char word[NOTE_SIZE];
	size_t column = 0;

	while (*note != '\0') {
		size_t len = strcspn(note, " ");
		size_t width;

		text_format(word, sizeof(word), "%.*s", (int)len, note);
		width = text_width(word);
		if (column > 0 && column + 1 + width > limit) {
			fputs("\n  ", screen->out);
			column = 2;
		} else if (column > 0) {
			fputc(' ', screen->out);
			column++;
		}
		print_styled(screen, paragraph->style, word);
		column += width;
		note += len;
		note += strspn(note, " ");
	}
	fputc('\n', screen->out);
}

static void print_left_out(
	const struct table *table, const struct layout *layout, struct paragraph *paragraph)
{
	char line[NOTE_SIZE] = "";

	for (size_t i = 0; i < table->shown_count; i++) {
		enum table_column c = table->shown[i];
		size_t len = strlen(line);

		if (table_heads[c].brief != NULL && !layout->shown[c])
			text_format(line + len, sizeof(line) - len, "%s%s",
				len > 0 ? ", " : "Too narrow for: ", table_heads[c].brief);
	}
	if (line[0] != '\0')
		print_note(paragraph, line);
}

static void print_table(
	const struct screen *screen, const struct table *table, const json_t *ratios)
{
	struct paragraph paragraph = {screen, STYLE_NONE};
	struct layout layout;
	char load[TABLE_CELL];

	measure(table, &layout);
	fit(screen, &layout);
	fputc('\n', screen->out);
	notes_load(table, load);
	print_note(&paragraph, load);
	print_head(screen, table, &layout);
	for (size_t i = 0; i < table->n; i++)
		print_row(screen, table, &table->rows[i], &layout);
	fputc('\n', screen->out);
	print_left_out(table, &layout, &paragraph);
	notes_of_table(table, print_note, &paragraph);
	notes_of_ratios(ratios, &table->load, print_note, &paragraph);
}

/* The values that tell machines apart, on one line. */
static void print_environment(const struct screen *screen, const json_t *environment)
{
	static const char *const names[] = {"cpu_model", "cores", "kernel", "governor", "commit"};
	struct paragraph paragraph = {screen, STYLE_NONE};
	char line[NOTE_SIZE] = "";

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		char *value = environment_value(environment, names[i]);
		char label[TABLE_CELL];
		size_t len = strlen(line);

		if (value != NULL && value[0] != '\0')
			text_format(line + len, sizeof(line) - len, "%s%s %s", len > 0 ? ", " : "",
				environment_label(names[i], label, sizeof(label)), value);
		free(value);
	}
	if (line[0] != '\0')
		print_note(&paragraph, line);
}

void report_console(const json_t *record, FILE *out, size_t width, bool color)
{
	const struct screen screen = {out, width, color};
	struct paragraph bold = {&screen, STYLE_BOLD};
	struct paragraph warning = {&screen, STYLE_YELLOW};
	struct paragraph plain = {&screen, STYLE_NONE};
	const json_t *contestants = pick(record, "contestants");
	const char *title = pick_text(record, "title");

	print_note(&bold, title != NULL ? title : pick_text(record, "round"));
	notes_of_record(record, print_note, &warning);
	for (size_t i = 0; i < json_array_size(contestants); i++) {
		struct table *table = NULL;

		if (rank_opens_load(contestants, i))
			table = table_new(record, json_array_get(contestants, i));
		if (table != NULL)
			print_table(&screen, table, pick(record, "ratios"));
		table_free(table);
	}
	scaling_print(record, out);
	fputc('\n', out);
	print_environment(&screen, pick(record, "environment"));
	notes_origin(record, print_note, &plain);
}
