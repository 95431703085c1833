#include <errno.h>
#include <glob.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "harness/report/environment.h"
#include "harness/report/notes.h"
#include "harness/report/page.h"
#include "harness/report/page_data.h"
#include "harness/report/page_files.h"
#include "harness/report/page_view.h"
#include "harness/report/peers.h"
#include "harness/report/pick.h"
#include "harness/report/replace.h"
#include "harness/report/result.h"
#include "harness/report/summary.h"
#include "harness/report/text.h"
#include "lib/fail.h"

#define WIDE_TITLE 20 /* bytes in the title of a column that needs room for itself */

/* ------------------------------------------------------------------ texts */

static void print_element(const char *element, const char *text, FILE *out)
{
	fprintf(out, "<%s>", element);
	text_html(text, out);
	fprintf(out, "</%.*s>", (int)strcspn(element, " "), element);
}

static void print_item(void *ctx, const char *note)
{
	print_element("li", note, ctx);
	fputc('\n', ctx);
}

static void print_warning(void *ctx, const char *note)
{
	print_element("strong class=\"alarm\"", note, ctx);
	fputc(' ', ctx);
}

/* As part of an URL. */
static void print_url(const char *text, FILE *out)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789-._~";

	for (; *text != '\0'; text++) {
		if (strchr(plain, *text) != NULL)
			fputc(*text, out);
		else
			fprintf(out, "%%%02X", (unsigned char)*text);
	}
}

static const char *title_of(const json_t *record)
{
	const char *title = pick_text(record, "title");

	return title != NULL ? title : pick_text(record, "round");
}

/* ------------------------------------------------------------------ table */

static bool is_right(enum table_column column)
{
	return column != PAGE_PROTOCOL && table_heads[column].right;
}

static void print_head(FILE *out)
{
	fputs("<thead>\n<tr>\n", out);
	for (size_t i = 0; i < page_column_count; i++) {
		enum table_column c = page_columns[i];
		bool more_is_better =
			c == COLUMN_RPS || c == COLUMN_INTERVAL || c == COLUMN_RPS_PER_CPU;

		fprintf(out, "<th scope=\"col\" class=\"%s%s\"%s>", is_right(c) ? "right" : "left",
			strlen(page_title(c)) > WIDE_TITLE ? " wide" : "",
			more_is_better ? " data-first=\"descending\"" : "");
		text_html(page_title(c), out);
		fputs("</th>\n", out);
	}
	fputs("</tr>\n</thead>\n", out);
}

static void print_name(const struct table_row *row, FILE *out)
{
	const char *description = pick_text(row->contestant, "description");

	fputs("<th scope=\"row\"", out);
	if (description != NULL) {
		fputs(" title=\"", out);
		text_html(description, out);
		fputc('"', out);
	}
	fputc('>', out);
	text_html(page_cell(row, COLUMN_NAME), out);
	fputs("</th>", out);
}

/* Whether a reader should look twice. */
static bool is_alarm(const struct table_row *row, enum table_column column)
{
	const char *text = page_cell(row, column);

	return (column == COLUMN_LIMIT && strcmp(text, "client") == 0) ||
	       (column == COLUMN_ERRORS && text[0] >= '1' && text[0] <= '9');
}

static void print_cell(const struct table_row *row, enum table_column column, FILE *out)
{
	size_t footnote = column == PAGE_PROTOCOL ? 0 : row->cells[column].footnote;
	const char *class = is_right(column) ? " class=\"right\"" : "";
	char mark[TABLE_CELL];

	if (is_alarm(row, column))
		class = is_right(column) ? " class=\"right alarm\"" : " class=\"alarm\"";
	fprintf(out, "<td%s>", class);
	text_html(page_cell(row, column), out);
	fprintf(out, "%s</td>", table_footnote(footnote, mark));
}

/* Instead of all numbers. */
static void print_reason(const struct table_row *row, size_t columns, FILE *out)
{
	fprintf(out, "<td class=\"reason\" colspan=\"%zu\">", columns);
	if (row->failure != NULL)
		print_element("strong class=\"alarm\"", "FAIL", out);
	else
		fputs("left out", out);
	fputs(": ", out);
	text_html(row->failure != NULL ? row->failure : row->skipped, out);
	fputs("</td>", out);
}

static void print_row(const struct table_row *row, size_t number, FILE *out)
{
	fprintf(out, "<tr data-row=\"%zu\">", number);
	for (size_t i = 0; i < page_column_count; i++) {
		if (page_columns[i] == COLUMN_RPS && table_is_explained(row)) {
			print_reason(row, page_column_count - i, out);
			break;
		}
		if (page_columns[i] == COLUMN_NAME)
			print_name(row, out);
		else
			print_cell(row, page_columns[i], out);
	}
	fputs("</tr>\n", out);
}

static void print_group_title(const struct page_group *group, FILE *out)
{
	char load[TABLE_CELL];

	text_html(title_of(group->record), out);
	fputs(" — ", out);
	text_html(notes_load(group->table, load), out);
}

static void print_table(const struct page_view *view, FILE *out)
{
	size_t number = 0;

	print_head(out);
	for (size_t i = 0; i < view->n; i++) {
		const struct table *table = view->groups[i].table;

		fprintf(out,
			"<tbody data-group=\"%zu\">\n"
			"<tr class=\"group\"><th scope=\"rowgroup\" colspan=\"%zu\"><span>",
			i, page_column_count);
		print_group_title(&view->groups[i], out);
		fputs("</span></th></tr>\n", out);
		for (size_t j = 0; j < table->n; j++)
			print_row(&table->rows[j], number++, out);
		fputs("</tbody>\n", out);
	}
}

/* ------------------------------------------------------------------ the other parts */

/* True for the first group of each round. */
static bool opens_round(const struct page_view *view, size_t i)
{
	return i == 0 || view->groups[i].record != view->groups[i - 1].record;
}

/* What must be known before all numbers. */
static void print_warnings(const struct page_view *view, FILE *out)
{
	for (size_t i = 0; i < view->n; i++) {
		const json_t *record = view->groups[i].record;

		if (!opens_round(view, i) ||
			(!pick_true(record, "quick") && !pick_true(record, "interrupted")))
			continue;
		fputs("<p>", out);
		text_html(title_of(record), out);
		fputs(": ", out);
		notes_of_record(record, print_warning, out);
		fputs("</p>\n", out);
	}
}

static void print_notes(const struct page_view *view, FILE *out)
{
	for (size_t i = 0; i < view->n; i++) {
		const struct page_group *group = &view->groups[i];

		fprintf(out, "<div data-notes=\"%zu\">\n<h3>", i);
		print_group_title(group, out);
		fputs("</h3>\n<ul>\n", out);
		notes_of_table(group->table, print_item, out);
		notes_of_ratios(
			pick(group->record, "ratios"), &group->table->load, print_item, out);
		fputs("</ul>\n</div>\n", out);
	}
}

static void print_environment(json_t *environment, FILE *out)
{
	const char *name;
	json_t *value;

	fputs("<table>\n<caption>Environment</caption>\n", out);
	json_object_foreach (environment, name, value) {
		char label[TABLE_CELL];
		char *text;

		if (environment_is_reason(name))
			continue;
		text = environment_value(environment, name);
		fputs("<tr>", out);
		print_element(
			"th scope=\"row\"", environment_label(name, label, sizeof(label)), out);
		print_element("td", text != NULL ? text : "", out);
		fputs("</tr>\n", out);
		free(text);
	}
	fputs("</table>\n", out);
}

static void print_origins(const struct page_view *view, FILE *out)
{
	for (size_t i = 0; i < view->n; i++) {
		const struct page_group *group = &view->groups[i];
		json_t *environment = json_object_get(group->record, "environment");

		if (!opens_round(view, i))
			continue;
		fputs("<details>\n", out);
		print_element("summary", title_of(group->record), out);
		fputs("\n<ul>\n", out);
		notes_origin(group->record, print_item, out);
		fputs("<li>All trials, as JSON: <a download href=\"", out);
		print_url(group->file, out);
		fputs("\">", out);
		text_html(group->file, out);
		fputs("</a></li>\n</ul>\n", out);
		if (json_object_size(environment) > 0)
			print_environment(environment, out);
		fputs("</details>\n", out);
	}
}

/* ------------------------------------------------------------------ the page */

/* Prints the part that the template calls @name. Return: 0, or -1 with errno. */
static int print_part(const struct page_view *view, const char *name, size_t len, FILE *out)
{
	static const struct {
		const char *name;
		const char *text;
		void (*print)(const struct page_view *view, FILE *out);
	} parts[] = {
		{"style", page_css, NULL},
		{"warnings", NULL, print_warnings},
		{"table", NULL, print_table},
		{"notes", NULL, print_notes},
		{"origins", NULL, print_origins},
		{"chart.js", page_chart_js, NULL},
		{"script", page_js, NULL},
	};

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		if (strlen(parts[i].name) != len || strncmp(parts[i].name, name, len) != 0)
			continue;
		if (parts[i].text != NULL)
			fputs(parts[i].text, out);
		else
			parts[i].print(view, out);
		return 0;
	}
	return page_data_print(view, out);
}

int page_print(const void *records, FILE *out)
{
	const char *rest = page_html;
	struct page_view view;
	const char *mark;
	int status = page_view_open(&view, records);

	if (status != 0)
		return -1;
	while (status == 0 && (mark = strstr(rest, "{{")) != NULL) {
		const char *end = strstr(mark, "}}");

		fwrite(rest, 1, (size_t)(mark - rest), out);
		status = print_part(&view, mark + 2, (size_t)(end - mark) - 2, out);
		rest = end + 2;
	}
	fputs(rest, out);
	page_view_close(&view);
	return status;
}

int page_add(json_t *records, const char *path, json_t *record)
{
	const char *slash = strrchr(path, '/');
	json_t *entry =
		json_pack("{s:s, s:O}", "file", slash != NULL ? slash + 1 : path, "record", record);

	if (entry == NULL || json_array_append_new(records, entry) != 0)
		return fail_msg("%s: no memory, or no name in UTF-8", path);
	return 0;
}

/* Adds the record in @path, if it is one of a round. Return: 0, or -1 without memory. */
static int add_file(json_t *records, const char *path)
{
	json_t *record = peers_read(path);
	int status = 0;

	if (record == NULL) {
		record = result_read(path);
		if (record != NULL && !summary_is_whole(record))
			status = result_summarise(record);
		if (record != NULL && status == 0)
			status = page_add(records, path, record);
	}
	json_decref(record);
	return status;
}

int page_write(const char *folder)
{
	char path[PATH_MAX];
	json_t *records = json_array();
	glob_t found = {0};
	int status = 0;

	if (snprintf(path, sizeof(path), "%s/*.json", folder) >= (int)sizeof(path))
		return fail_msg("%s: the name is too long", folder);
	if (glob(path, 0, NULL, &found) != 0)
		found.gl_pathc = 0;
	for (size_t i = 0; status == 0 && i < found.gl_pathc; i++)
		if (!result_is_of_tools(found.gl_pathv[i]))
			status = add_file(records, found.gl_pathv[i]);
	snprintf(path, sizeof(path), "%s/" PAGE_NAME, folder);
	if (status == 0)
		status = replace_file(path, page_print, records);
	globfree(&found);
	json_decref(records);
	return status;
}
