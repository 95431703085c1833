#include <errno.h>
#include <stdlib.h>

#include "harness/report/build.h"
#include "harness/report/latency.h"
#include "harness/report/page_data.h"
#include "harness/report/page_view.h"
#include "harness/report/pick.h"
#include "harness/report/values.h"
#include "harness/stats/stats.h"

/* ------------------------------------------------------------------ a row */

/* Errors of all kinds together. */
static json_t *count_errors(const json_t *summary)
{
	json_t *errors = json_object_get(summary, "errors");
	json_int_t sum = 0;
	const char *kind;
	json_t *count;

	json_object_foreach (errors, kind, count)
		sum += json_integer_value(count);
	return json_is_object(errors) ? json_integer(sum) : json_null();
}

/* What @column is sorted by; null where it is absent, and in rows that have a reason instead. */
static json_t *sort_value(const struct table_row *row, enum table_column column)
{
	const char *field = column < TABLE_COLUMNS ? table_field(column) : NULL;
	double number;

	if (column == COLUMN_NAME || column == COLUMN_CLASS || column == PAGE_PROTOCOL)
		return json_string(page_cell(row, column));
	if (column == COLUMN_LOAD)
		return build_real(pick_or(row->contestant, "connections", 0));
	if (table_is_explained(row))
		return json_null();
	if (column == COLUMN_ERRORS)
		return count_errors(row->summary);
	if (pick_number(row->summary, field, &number))
		return build_real(number);
	return pick_text(row->summary, field) != NULL ? json_string(pick_text(row->summary, field))
						      : json_null();
}

static json_t *sort_values(const struct table_row *row)
{
	json_t *list = json_array();

	for (size_t i = 0; i < page_column_count; i++)
		json_array_append_new(list, sort_value(row, page_columns[i]));
	return list;
}

static json_t *number_or_null(const json_t *object, const char *path)
{
	double number;

	return pick_number(object, path, &number) ? build_real(number) : json_null();
}

static json_t *interval(const struct table_row *row, const char *metric)
{
	const json_t *values = pick(row->summary, metric);

	if (table_is_explained(row) || pick(values, "median") == NULL)
		return json_null();
	return json_pack("[o, o, o]", number_or_null(values, "median"),
		number_or_null(values, "ci95_low"), number_or_null(values, "ci95_high"));
}

static json_t *latency(const struct table_row *row)
{
	const json_t *all = pick(row->summary, "latency_ns");
	json_t *list;

	if (table_is_explained(row) || !json_is_object(all))
		return json_null();
	list = json_pack("[o]", number_or_null(all, "min"));
	for (const struct latency_percentile *p = latency_percentiles; p->name != NULL; p++)
		json_array_append_new(list, number_or_null(all, p->name));
	json_array_append_new(list, number_or_null(all, "max"));
	return list;
}

/* Verified replies of @trial in @second. Return: false when the window ended within it. */
static bool replies_in(const json_t *trial, size_t second, double *replies)
{
	const json_t *entry = json_array_get(pick(trial, "series"), second);

	return values_trial_counts(trial) &&
	       (double)(second + 1) <= pick_or(trial, "duration_s", 0) &&
	       pick_number(entry, "ok", replies);
}

static json_t *series(const struct table_row *row)
{
	const json_t *trials = pick(row->contestant, "trials");
	double *replies = calloc(json_array_size(trials) + 1, sizeof(*replies));
	json_t *list = json_array();
	size_t n = 1;

	if (table_is_explained(row))
		n = 0;
	for (size_t second = 0; replies != NULL && n > 0 && second < PAGE_SECONDS; second++) {
		n = 0;
		for (size_t i = 0; i < json_array_size(trials); i++)
			n += replies_in(json_array_get(trials, i), second, &replies[n]);
		if (n > 0) {
			stats_sort(replies, n);
			json_array_append_new(list, build_real(stats_median(replies, n)));
		}
	}
	free(replies);
	return list;
}

static json_t *row_object(const struct table_row *row, size_t group)
{
	struct build b = build_begin();

	build_count(&b, "group", group);
	build_text(&b, "name", page_cell(row, COLUMN_NAME));
	build_text(&b, "class", page_cell(row, COLUMN_CLASS));
	build_text(&b, "protocol", page_cell(row, PAGE_PROTOCOL));
	build_text(&b, "description", pick_text(row->contestant, "description"));
	build_put(&b, "sort", sort_values(row));
	build_put(&b, "rps", interval(row, "rps"));
	build_put(&b, "rps_per_server_cpu_s", interval(row, "rps_per_server_cpu_s"));
	build_put(&b, "latency_ns", latency(row));
	build_put(&b, "series", series(row));
	return build_end(&b);
}

/* ------------------------------------------------------------------ all */

static json_t *percentile_list(void)
{
	json_t *list = json_pack("[{s:s, s:i}]", "name", "min", "share", 0);

	for (const struct latency_percentile *p = latency_percentiles; p->name != NULL; p++)
		json_array_append_new(list, json_pack("{s:s, s:o}", "name", p->name, "share",
						    build_real(100 * p->share)));
	json_array_append_new(list, json_pack("{s:s, s:i}", "name", "max", "share", 100));
	return list;
}

static json_t *group_object(const struct page_group *group)
{
	struct build b = build_begin();
	const char *title = pick_text(group->record, "title");
	char load[TABLE_CELL];

	build_text(&b, "file", group->file);
	build_text(&b, "round", pick_text(group->record, "round"));
	build_text(&b, "title", title != NULL ? title : pick_text(group->record, "round"));
	build_text(&b, "load", page_load(group, load));
	return build_end(&b);
}

static json_t *all_data(const struct page_view *view)
{
	struct build b = build_begin();
	json_t *groups = json_array();
	json_t *rows = json_array();

	build_text(&b, "schema", PAGE_SCHEMA);
	build_put(&b, "percentiles", percentile_list());
	for (size_t i = 0; i < view->n; i++) {
		const struct table *table = view->groups[i].table;

		json_array_append_new(groups, group_object(&view->groups[i]));
		for (size_t j = 0; j < table->n; j++)
			json_array_append_new(rows, row_object(&table->rows[j], i));
	}
	build_put(&b, "groups", groups);
	build_put(&b, "rows", rows);
	return build_end(&b);
}

int page_data_print(const struct page_view *view, FILE *out)
{
	json_t *data = all_data(view);
	char *text = NULL;

	if (data != NULL)
		text = json_dumps(
			data, JSON_COMPACT | JSON_ENSURE_ASCII | JSON_REAL_PRECISION(BUILD_DIGITS));
	json_decref(data);
	if (text == NULL) {
		errno = ENOMEM;
		return -1;
	}
	/* In JSON a '<' can only stand in a text. */
	for (const char *c = text; *c != '\0'; c++) {
		if (*c == '<')
			fputs("\\u003c", out);
		else
			fputc(*c, out);
	}
	free(text);
	return 0;
}
