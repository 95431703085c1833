#include "harness/report/view.h"

#include "harness/report/notes.h"
#include "harness/report/pick.h"
#include "harness/report/table.h"
#include "harness/report/text.h"
#include "harness/report/view_parts.h"
#include "lib/clock.h"
#include "lib/units.h"

const char *const view_names[VIEWS + 1] = {
	[VIEW_AUTOCANNON] = "autocannon",
	[VIEW_WRK] = "wrk",
	[VIEW_LOADTEST] = "loadtest",
	[VIEW_GOBENCH] = "gobench",
};

static const struct {
	void (*table)(const json_t *record, const struct table *table, FILE *out);
	void (*end)(const json_t *record, FILE *out); /* or NULL */
} views[VIEWS] = {
	[VIEW_AUTOCANNON] = {view_autocannon, NULL},
	[VIEW_WRK] = {view_wrk, view_levels},
	[VIEW_LOADTEST] = {view_loadtest, NULL},
	[VIEW_GOBENCH] = {view_gobench, NULL},
};

/* A failed or left out row of a table of one row each. */
static void put_explained(struct grid *grid, const struct table_row *row, size_t columns)
{
	char reason[TABLE_CELL * 2];

	text_format(reason, sizeof(reason), "%s: %s", row->failure != NULL ? "failed" : "left out",
		row->failure != NULL ? row->failure : row->skipped);
	for (size_t i = 0; i < columns; i++)
		grid_absent(grid, reason);
}

/* ------------------------------------------------------------------ loadtest */

static const char *format_seconds(double seconds, char *out)
{
	return units_duration(seconds * NS_PER_S, out);
}

static void put_loadtest_numbers(struct grid *grid, const struct table_row *row)
{
	static const char *const shares[] = {"p50", "p90", "p95", "p99", "max"};
	const json_t *trial = json_array_get(pick(row->contestant, "trials"), 0);
	double rps = 0;
	bool known = pick_number(row->summary, "rps.median", &rps);

	grid_text(grid, pick_true(trial, "keep_alive") ? "keepalive" : "none");
	grid_number(grid, true, view_sum(row, "requests.ok"), text_count, "");
	grid_number(grid, true, view_sum(row, "requests.failed"), text_count, "");
	grid_number(grid, true, view_sum(row, "duration_s"), format_seconds, "");
	grid_number(grid, known, rps, text_count, pick_reason(row->summary, "rps"));
	view_latency(grid, row, "mean");
	for (size_t i = 0; i < sizeof(shares) / sizeof(shares[0]); i++)
		view_latency(grid, row, shares[i]);
}

void view_loadtest(const json_t *record, const struct table *table, FILE *out)
{
	static const char *const titles[] = {"Agent", "Completed requests", "Total errors",
		"Total time", "Requests per second", "Mean latency", "50%", "90%", "95%", "99%",
		"100%"};
	const size_t n = sizeof(titles) / sizeof(titles[0]);
	struct grid *grid = grid_new();

	(void)record;
	if (grid == NULL)
		return;
	grid_column(grid, "Contestant", false);
	grid_column(grid, "Target URL", false);
	grid_column(grid, "Max requests", true);
	grid_column(grid, "Concurrency level", true);
	for (size_t i = 0; i < n; i++)
		grid_column(grid, titles[i], i > 0);
	for (size_t i = 0; i < table->n; i++) {
		const struct table_row *row = &table->rows[i];
		const char *url = pick_text(row->contestant, "url");

		grid_text(grid, row->cells[COLUMN_NAME].text);
		grid_text(grid, url != NULL ? url : "—");
		grid_number(grid, table->load.requests > 0, table->load.requests, text_count,
			"as many as the duration gave");
		grid_number(
			grid, true, table->load.connections * table->load.pipeline, text_count, "");
		if (table_is_explained(row))
			put_explained(grid, row, n);
		else
			put_loadtest_numbers(grid, row);
	}
	fputc('\n', out);
	grid_print(grid, out);
	fputs("\nRequests, errors and time are of all trials together, requests per second the "
	      "median of the trials.\n",
		out);
	grid_free(grid);
}

/* ------------------------------------------------------------------ gobench */

static const char *format_ns(double ns, char *out)
{
	snprintf(out, UNITS_TEXT, "%.0f", ns);
	return out;
}

static void put_gobench(
	struct grid *grid, const json_t *record, const struct table *table, size_t i)
{
	static const char no_allocations[] =
		"allocations are not recorded: the server may be of any language, and is measured "
		"from outside";
	const struct table_row *row = &table->rows[i];
	const char *protocol = pick_text(row->contestant, "protocol");
	char name[TABLE_CELL * 2];
	double rps = 0;
	bool known = pick_number(row->summary, "rps.median", &rps) && rps > 0;

	text_format(name, sizeof(name), "%s-%s-%.0f-%.0f", row->cells[COLUMN_NAME].text,
		protocol != NULL ? protocol : "?", table->load.connections * table->load.pipeline,
		table->load.threads > 0 ? table->load.threads
					: pick_or(record, "parameters.server_threads", 1));
	grid_text(grid, name);
	if (table_is_explained(row)) {
		put_explained(grid, row, 4);
		return;
	}
	grid_number(grid, true, view_sum(row, "requests.ok"), text_count, "");
	grid_number(grid, known, known ? NS_PER_S / rps : 0, format_ns,
		pick_reason(row->summary, "rps"));
	grid_absent(grid, no_allocations);
	grid_absent(grid, no_allocations);
}

void view_gobench(const json_t *record, const struct table *table, FILE *out)
{
	struct grid *grid = grid_new();

	if (grid == NULL)
		return;
	grid_column(grid, "Benchmark", false);
	grid_column(grid, "iterations", true);
	grid_column(grid, "ns/op", true);
	grid_column(grid, "B/op", true);
	grid_column(grid, "allocs/op", true);
	for (size_t i = 0; i < table->n; i++)
		put_gobench(grid, record, table, i);
	fputc('\n', out);
	grid_print(grid, out);
	fputs("\nA benchmark is NAME-PROTOCOL-INFLIGHT-THREADS: requests in flight, threads of the "
	      "server. An op is one request; ns/op is a second ÷ the median of requests per "
	      "second, "
	      "not a latency.\n",
		out);
	grid_free(grid);
}

/* ------------------------------------------------------------------ all */

void view_print(const json_t *record, enum view view, FILE *out)
{
	const json_t *contestants = pick(record, "contestants");
	const char *title = pick_text(record, "title");
	char load[TABLE_CELL];

	fputs("# ", out);
	text_markdown(title != NULL ? title : pick_text(record, "round"), out);
	fputc('\n', out);
	for (size_t i = 0; i < json_array_size(contestants); i++) {
		struct table *table = NULL;

		if (rank_opens_load(contestants, i))
			table = table_new(record, json_array_get(contestants, i));
		if (table == NULL)
			continue;
		fputs("\n## ", out);
		text_markdown(notes_load(table, load), out);
		fputc('\n', out);
		views[view].table(record, table, out);
		table_free(table);
	}
	if (views[view].end != NULL)
		views[view].end(record, out);
}
