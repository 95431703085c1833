#include <stdlib.h>
#include <string.h>

#include "harness/report/environment.h"
#include "harness/report/notes.h"
#include "harness/report/pick.h"
#include "harness/report/result.h"
#include "harness/report/table.h"
#include "harness/report/text.h"

#define GAP         "  "              /* between columns */
#define NOTE_WIDTH  100               /* columns of a line of text */
#define NOTE_SIZE   512               /* bytes of a note */
#define MARKED_CELL (TABLE_CELL + 16) /* bytes of a cell with its footnote */

/** enum style - ANSI SGR parameters; STYLE_NONE prints as it is. */
enum style { STYLE_NONE = 0, STYLE_BOLD = 1, STYLE_RED = 31, STYLE_GREEN = 32, STYLE_YELLOW = 33 };

/** struct screen - Where the text goes. */
struct screen {
	FILE *out;
	bool color;
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

static void measure(const struct table *table, size_t widths[TABLE_COLUMNS])
{
	char text[MARKED_CELL];

	for (size_t c = 0; c < TABLE_COLUMNS; c++)
		widths[c] = table_heads[c].brief != NULL ? text_width(table_heads[c].brief) : 0;
	for (size_t r = 0; r < table->n; r++)
		for (size_t c = 0; c < TABLE_COLUMNS; c++) {
			size_t width = text_width(cell_text(&table->rows[r].cells[c], text));

			if (width > widths[c])
				widths[c] = width;
		}
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

static void print_head(const struct screen *screen, const struct table *table, const size_t *widths)
{
	for (size_t i = 0; i < table->shown_count; i++) {
		enum table_column c = table->shown[i];

		if (table_heads[c].brief == NULL)
			continue;
		fputs(i > 0 ? GAP : "", screen->out);
		print_cell(
			screen, STYLE_BOLD, table_heads[c].brief, widths[c], table_heads[c].right);
	}
	fputc('\n', screen->out);
}

static void print_row(const struct screen *screen, const struct table *table,
	const struct table_row *row, const size_t *widths)
{
	char text[MARKED_CELL];

	for (size_t i = 0; i < table->shown_count; i++) {
		enum table_column c = table->shown[i];

		if (table_heads[c].brief == NULL)
			continue;
		fputs(i > 0 ? GAP : "", screen->out);
		if (c == COLUMN_RPS && table_is_explained(row)) {
			print_styled(screen, row->failure != NULL ? STYLE_RED : STYLE_NONE,
				row->failure != NULL ? "FAIL: " : "left out: ");
			text_plain(row->failure != NULL ? row->failure : row->skipped, screen->out);
			break;
		}
		print_cell(screen, style_of(row, c), cell_text(&row->cells[c], text), widths[c],
			table_heads[c].right);
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
	char word[NOTE_SIZE];
	size_t column = 0;

	while (*note != '\0') {
		size_t len = strcspn(note, " ");
		size_t width;

		text_format(word, sizeof(word), "%.*s", (int)len, note);
		width = text_width(word);
		if (column > 0 && column + 1 + width > NOTE_WIDTH) {
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

static void print_table(
	const struct screen *screen, const struct table *table, const json_t *ratios)
{
	struct paragraph paragraph = {screen, STYLE_NONE};
	size_t widths[TABLE_COLUMNS];
	char load[TABLE_CELL];

	measure(table, widths);
	fputc('\n', screen->out);
	notes_load(table, load);
	print_note(&paragraph, load);
	print_head(screen, table, widths);
	for (size_t i = 0; i < table->n; i++)
		print_row(screen, table, &table->rows[i], widths);
	fputc('\n', screen->out);
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

void report_console(const json_t *record, FILE *out, bool color)
{
	const struct screen screen = {out, color};
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
	fputc('\n', out);
	print_environment(&screen, pick(record, "environment"));
	notes_origin(record, print_note, &plain);
}
