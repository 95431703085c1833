#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/report/page_view.h"
#include "harness/report/pick.h"
#include "harness/report/rank.h"
#include "harness/report/text.h"

const enum table_column page_columns[] = {
	COLUMN_RANK,
	COLUMN_NAME,
	COLUMN_CLASS,
	PAGE_PROTOCOL,
	COLUMN_LOAD,
	COLUMN_RPS,
	COLUMN_INTERVAL,
	COLUMN_RELATIVE,
	COLUMN_RPS_PER_CPU,
	COLUMN_P50,
	COLUMN_P90,
	COLUMN_P95,
	COLUMN_P99,
	COLUMN_P100,
	COLUMN_BYTES,
	COLUMN_ERRORS,
	COLUMN_LIMIT,
};
const size_t page_column_count = sizeof(page_columns) / sizeof(page_columns[0]);

/* The names of the columns, as a round would state them. */
static json_t *column_names(void)
{
	json_t *names = json_array();

	for (size_t i = 0; i < page_column_count; i++)
		if (page_columns[i] != PAGE_PROTOCOL)
			json_array_append_new(
				names, json_string(table_heads[page_columns[i]].name));
	return names;
}

/* The group of the load that contestant @index of the round in @entry opens. */
static int add_group(struct page_view *view, const json_t *entry, size_t index)
{
	const json_t *record = pick(entry, "record");
	json_t *contestants = json_object_get(record, "contestants");
	struct page_group *groups = realloc(view->groups, (view->n + 1) * sizeof(*groups));
	struct page_group *group;

	if (groups == NULL)
		return -1;
	view->groups = groups;
	group = &groups[view->n++];
	*group = (struct page_group){
		.file = pick_text(entry, "file"),
		.record = record,
		.view = json_pack("{s:O, s:o, s:O?}", "contestants", contestants, "columns",
			column_names(), "noise_floor", pick(record, "noise_floor")),
	};
	if (group->view == NULL)
		return -1;
	group->table = table_new(group->view, json_array_get(contestants, index));
	return group->table != NULL ? 0 : -1;
}

int page_view_open(struct page_view *view, const json_t *records)
{
	const json_t *entry;
	size_t i;

	*view = (struct page_view){0};
	json_array_foreach (records, i, entry) {
		const json_t *contestants = pick(entry, "record.contestants");

		for (size_t j = 0; j < json_array_size(contestants); j++) {
			if (!rank_opens_load(contestants, j) || add_group(view, entry, j) == 0)
				continue;
			page_view_close(view);
			errno = ENOMEM;
			return -1;
		}
	}
	return 0;
}

void page_view_close(struct page_view *view)
{
	for (size_t i = 0; i < view->n; i++) {
		table_free(view->groups[i].table);
		json_decref(view->groups[i].view);
	}
	free(view->groups);
	*view = (struct page_view){0};
}

const char *page_title(enum table_column column)
{
	return column == PAGE_PROTOCOL ? "Protocol" : table_heads[column].title;
}

const char *page_cell(const struct table_row *row, enum table_column column)
{
	const char *protocol = pick_text(row->contestant, "protocol");

	if (column != PAGE_PROTOCOL)
		return row->cells[column].text;
	return protocol != NULL ? protocol : "—";
}

const char *page_load(const struct page_group *group, char *out)
{
	const struct rank_load *load = &group->table->load;
	char count[TEXT_COUNT];

	text_format(out, TABLE_CELL, "%.0f × %.0f", load->connections, load->pipeline);
	if (load->requests > 0)
		text_format(out + strlen(out), TABLE_CELL - strlen(out), ", %s requests",
			text_count(load->requests, count));
	if (group->table->names_threads)
		text_format(out + strlen(out), TABLE_CELL - strlen(out), ", %.0f server thread%s",
			load->threads, load->threads == 1 ? "" : "s");
	return out;
}
