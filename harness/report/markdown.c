#include <stdlib.h>

#include "harness/report/chart.h"
#include "harness/report/environment.h"
#include "harness/report/notes.h"
#include "harness/report/pick.h"
#include "harness/report/result.h"
#include "harness/report/scaling.h"
#include "harness/report/table.h"
#include "harness/report/text.h"

static void print_item(void *ctx, const char *note)
{
	FILE *out = ctx;

	fputs("- ", out);
	text_markdown(note, out);
	fputc('\n', out);
}

static void print_warning(void *ctx, const char *note)
{
	FILE *out = ctx;

	fputs("\n> **", out);
	text_markdown(note, out);
	fputs("**\n", out);
}

static void print_head(const struct table *table, FILE *out)
{
	for (size_t i = 0; i < table->shown_count; i++)
		fprintf(out, "| %s ", table_heads[table->shown[i]].title);
	fputs("|\n", out);
	for (size_t i = 0; i < table->shown_count; i++)
		fputs(table_heads[table->shown[i]].right ? "|---:" : "|:---", out);
	fputs("|\n", out);
}

static void print_row(const struct table *table, const struct table_row *row, FILE *out)
{
	char mark[TABLE_CELL];

	for (size_t i = 0; i < table->shown_count; i++) {
		enum table_column c = table->shown[i];

		fputs("| ", out);
		if (c == COLUMN_RPS && row->failure != NULL) {
			fputs("**FAIL**: ", out);
			text_markdown(row->failure, out);
		} else if (c == COLUMN_RPS && row->skipped != NULL) {
			fputs("left out: ", out);
			text_markdown(row->skipped, out);
		} else {
			text_markdown(row->cells[c].text, out);
			fputs(table_footnote(row->cells[c].footnote, mark), out);
		}
		fputc(' ', out);
	}
	fputs("|\n", out);
}

static void print_table(const struct table *table, const json_t *ratios, FILE *out)
{
	char load[TABLE_CELL];

	fputs("\n## ", out);
	text_markdown(notes_load(table, load), out);
	fputs("\n\n", out);
	print_head(table, out);
	for (size_t i = 0; i < table->n; i++)
		print_row(table, &table->rows[i], out);
	fputc('\n', out);
	notes_of_table(table, print_item, out);
	notes_of_ratios(ratios, &table->load, print_item, out);
}

static void print_environment(const json_t *environment, FILE *out)
{
	const char *name;
	json_t *value;

	if (json_object_size(environment) == 0)
		return;
	fputs("\n## Environment\n\n|  |  |\n|:---|:---|\n", out);
	json_object_foreach ((json_t *)environment, name, value) {
		char label[TABLE_CELL];
		char *text;

		if (environment_is_reason(name))
			continue;
		text = environment_value(environment, name);
		fputs("| ", out);
		text_markdown(environment_label(name, label, sizeof(label)), out);
		fputs(" | ", out);
		text_markdown(text != NULL ? text : "", out);
		fputs(" |\n", out);
		free(text);
	}
}

static void print_charts(
	const struct charts *charts, const struct rank_load *load, const char *name, FILE *out)
{
	for (size_t i = 0; charts != NULL && i < charts->n; i++) {
		const struct chart *chart = &charts->list[i];

		if (!rank_is_load(&chart->load, load))
			continue;
		fputs("\n![", out);
		text_markdown(chart->title, out);
		fputs("](", out);
		text_link(name, out);
		fprintf(out, "%s.svg)\n", chart->name);
	}
}

void report_markdown(const json_t *record, const struct charts *charts, const char *name, FILE *out)
{
	const json_t *contestants = pick(record, "contestants");
	const char *title = pick_text(record, "title");

	fputs("# ", out);
	text_markdown(title != NULL ? title : pick_text(record, "round"), out);
	fputc('\n', out);
	notes_of_record(record, print_warning, out);
	for (size_t i = 0; i < json_array_size(contestants); i++) {
		struct table *table = NULL;

		if (rank_opens_load(contestants, i))
			table = table_new(record, json_array_get(contestants, i));
		if (table != NULL) {
			print_table(table, pick(record, "ratios"), out);
			print_charts(charts, &table->load, name, out);
		}
		table_free(table);
	}
	scaling_print(record, out);
	print_environment(pick(record, "environment"), out);
	fputs("\n## How it was made\n\n", out);
	notes_origin(record, print_item, out);
	fputs("- METHOD.md says how each number is made. This page is rendered from the record "
	      "beside "
	      "it, and overwritten.\n",
		out);
}
