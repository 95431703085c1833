#include "harness/report/pick.h"
#include "harness/report/table.h"
#include "harness/report/text.h"
#include "harness/report/view_parts.h"
#include "lib/clock.h"
#include "lib/units.h"

static void print_latency(const struct table_row *row, FILE *out)
{
	static const char *const titles[] = {"2.5%", "50%", "97.5%", "99%", "Avg"};
	static const char *const fields[] = {"p2_5", "p50", "p97_5", "p99", "mean"};
	struct grid *grid = grid_new();

	if (grid == NULL)
		return;
	grid_column(grid, "Stat", false);
	for (size_t i = 0; i < 5; i++)
		grid_column(grid, titles[i], true);
	grid_column(grid, "Stdev", true);
	grid_column(grid, "Max", true);
	grid_text(grid, "Latency");
	for (size_t i = 0; i < 5; i++)
		view_latency(grid, row, fields[i]);
	view_latency(grid, row, "stddev");
	view_latency(grid, row, "max");
	grid_print(grid, out);
	grid_free(grid);
}

/* Return: how many samples. */
static size_t put_seconds(struct grid *grid, const struct table_row *row, const char *title,
	const char *field, grid_format *format)
{
	static const double shares[] = {0.01, 0.025, 0.5, 0.975};
	struct view_seconds seconds = view_seconds(row, field);
	const char *reason = "no whole second of it is in the record";
	bool known = seconds.n > 0;
	size_t n = seconds.n;

	grid_text(grid, title);
	for (size_t i = 0; i < 4; i++)
		grid_number(grid, known, known ? view_quantile(&seconds, shares[i]) : 0, format,
			reason);
	grid_number(grid, known, seconds.mean, format, reason);
	grid_number(grid, n > 1, seconds.stddev, format, known ? "needs two seconds" : reason);
	grid_number(grid, known, known ? seconds.list[0] : 0, format, reason);
	view_seconds_free(&seconds);
	return n;
}

static void print_seconds(const struct table_row *row, FILE *out)
{
	static const char *const titles[] = {"1%", "2.5%", "50%", "97.5%", "Avg", "Stdev", "Min"};
	struct grid *grid = grid_new();
	char count[TEXT_COUNT];
	char duration[UNITS_TEXT];
	char size[UNITS_TEXT];
	size_t samples;

	if (grid == NULL)
		return;
	grid_column(grid, "Stat", false);
	for (size_t i = 0; i < 7; i++)
		grid_column(grid, titles[i], true);
	samples = put_seconds(grid, row, "Req/Sec", "ok", text_count);
	put_seconds(grid, row, "Bytes/Sec", "rx_bytes", units_size);
	grid_print(grid, out);
	grid_free(grid);
	fprintf(out, "\nOne sample for each whole second, %zu of them. %s requests in %s, %s read",
		samples, text_count(view_sum(row, "requests.ok"), count),
		units_duration(view_sum(row, "duration_s") * NS_PER_S, duration),
		units_size(view_read_bytes(row), size));
	fprintf(out, ", %s failed.\n", text_count(view_sum(row, "requests.failed"), count));
}

static void print_round(const struct table *table, FILE *out)
{
	struct grid *grid = grid_new();

	if (grid == NULL)
		return;
	grid_column(grid, "framework", false);
	grid_column(grid, "qps", true);
	for (size_t i = 0; i < table->n; i++) {
		const struct table_row *row = &table->rows[i];
		double mean = 0;
		bool known =
			!table_is_explained(row) && pick_number(row->summary, "rps.mean", &mean);

		grid_text(grid, row->cells[COLUMN_NAME].text);
		grid_number(grid, known, mean, text_count,
			row->failure != NULL   ? row->failure
			: row->skipped != NULL ? row->skipped
					       : pick_reason(row->summary, "rps"));
	}
	fputs("\n### All\n\n", out);
	grid_print(grid, out);
	fputs("\nqps is the mean over the trials.\n", out);
	grid_free(grid);
}

void view_autocannon(const json_t *record, const struct table *table, FILE *out)
{
	(void)record;
	for (size_t i = 0; i < table->n; i++) {
		if (!view_heading(table, &table->rows[i], out))
			continue;
		print_latency(&table->rows[i], out);
		fputc('\n', out);
		print_seconds(&table->rows[i], out);
	}
	print_round(table, out);
}
