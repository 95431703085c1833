#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/report/pick.h"
#include "harness/report/table.h"
#include "harness/report/text.h"
#include "harness/report/view_parts.h"
#include "lib/clock.h"
#include "lib/fail.h"
#include "lib/units.h"

#define ERRORS_SIZE 256

static const char *format_percent(double share, char *out)
{
	snprintf(out, UNITS_TEXT, "%.2f%%", 100 * share);
	return out;
}

static void put_latency(struct grid *grid, const struct table_row *row)
{
	struct merged merged = view_merged(row);
	double mean = 0;
	double stddev = 0;
	bool known = pick_number(row->summary, "latency_ns.mean", &mean) &&
		     pick_number(row->summary, "latency_ns.stddev", &stddev) && merged.count > 0;

	grid_text(grid, "Latency");
	view_latency(grid, row, "mean");
	view_latency(grid, row, "stddev");
	view_latency(grid, row, "max");
	grid_number(grid, known, known ? merged_within(&merged, mean - stddev, mean + stddev) : 0,
		format_percent, pick_reason(row->summary, "latency_ns.stddev"));
	merged_free(&merged);
}

static void put_rates(struct grid *grid, const struct table_row *row)
{
	struct view_seconds seconds = view_seconds(row, "ok");
	const char *reason = "no whole second of it is in the record";
	bool known = seconds.n > 1;
	double within = 0;

	for (size_t i = 0; i < seconds.n; i++)
		within += fabs(seconds.list[i] - seconds.mean) <= seconds.stddev;
	grid_text(grid, "Req/Sec");
	grid_number(grid, known, seconds.mean, units_count, reason);
	grid_number(grid, known, seconds.stddev, units_count, reason);
	grid_number(grid, known, known ? seconds.list[seconds.n - 1] : 0, units_count, reason);
	grid_number(grid, known, known ? within / (double)seconds.n : 0, format_percent, reason);
	view_seconds_free(&seconds);
}

static void print_stats(const struct table_row *row, FILE *out)
{
	static const char *const titles[] = {"Avg", "Stdev", "Max", "+/- Stdev"};
	struct grid *grid = grid_new();

	if (grid == NULL)
		return;
	grid_column(grid, "Stats", false);
	for (size_t i = 0; i < 4; i++)
		grid_column(grid, titles[i], true);
	put_latency(grid, row);
	put_rates(grid, row);
	grid_print(grid, out);
	grid_free(grid);
}

static void print_distribution(const struct table_row *row, FILE *out)
{
	static const char *const titles[] = {"50%", "75%", "90%", "99%"};
	static const char *const fields[] = {"p50", "p75", "p90", "p99"};
	struct grid *grid = grid_new();

	if (grid == NULL)
		return;
	grid_column(grid, "Latency Distribution", false);
	for (size_t i = 0; i < 4; i++)
		grid_column(grid, titles[i], true);
	grid_text(grid, "Latency");
	for (size_t i = 0; i < 4; i++)
		view_latency(grid, row, fields[i]);
	grid_print(grid, out);
	grid_free(grid);
}

static void print_totals(const struct table_row *row, FILE *out)
{
	const json_t *errors = pick(row->summary, "errors");
	double duration_s = view_sum(row, "duration_s");
	double bytes = view_read_bytes(row);
	char text[2][UNITS_TEXT];
	char kinds[ERRORS_SIZE];
	double rps;

	fprintf(out, "\n- %.0f requests in %s, %s read\n", view_sum(row, "requests.completed"),
		units_duration(duration_s * NS_PER_S, text[0]), units_size(bytes, text[1]));
	fputs("- Errors: ", out);
	text_markdown(
		json_object_size(errors) > 0 ? text_errors(errors, kinds, sizeof(kinds)) : "0",
		out);
	fputc('\n', out);
	if (pick_number(row->summary, "rps.median", &rps))
		fprintf(out, "- Requests/sec: %.2f (median of %zu trials)\n", rps,
			view_trials(row));
	if (duration_s > 0)
		fprintf(out, "- Transfer/sec: %s\n", units_size(bytes / duration_s, text[0]));
}

void view_wrk(const json_t *record, const struct table *table, FILE *out)
{
	(void)record;
	for (size_t i = 0; i < table->n; i++) {
		if (!view_heading(table, &table->rows[i], out))
			continue;
		print_stats(&table->rows[i], out);
		fputc('\n', out);
		print_distribution(&table->rows[i], out);
		print_totals(&table->rows[i], out);
	}
}

/* ------------------------------------------------------------------ requests per second by level
 */

/** struct levels - Contestants by name, and the loads of a round. */
struct levels {
	const json_t *contestants;
	const json_t **loads; /* the first contestant under each; owned */
	size_t load_count;
	const json_t **names; /* the first entry of each name; owned */
	size_t name_count;
};

static bool is_same_name(const json_t *a, const json_t *b)
{
	return strcmp(pick_text(a, "name"), pick_text(b, "name")) == 0;
}

/* The entry of a contestant under a load, or NULL. */
static const json_t *find(const struct levels *levels, const json_t *name, const json_t *load)
{
	const json_t *contestant;
	size_t i;

	json_array_foreach (levels->contestants, i, contestant)
		if (is_same_name(contestant, name) && rank_same_load(contestant, load))
			return contestant;
	return NULL;
}

static double rps_of(const struct levels *levels, const json_t *name, const json_t *load)
{
	return pick_or(find(levels, name, load), "summary.rps.median", -1);
}

static int gather(struct levels *levels)
{
	size_t n = json_array_size(levels->contestants);
	const json_t *contestant;
	size_t i;

	levels->loads = calloc(n + 1, sizeof(const json_t *));
	levels->names = calloc(n + 1, sizeof(const json_t *));
	if (levels->loads == NULL || levels->names == NULL)
		return fail_msg("no memory for a table");
	json_array_foreach (levels->contestants, i, contestant) {
		bool known = false;

		if (rank_opens_load(levels->contestants, i))
			levels->loads[levels->load_count++] = contestant;
		for (size_t j = 0; j < levels->name_count; j++)
			known |= is_same_name(levels->names[j], contestant);
		if (!known)
			levels->names[levels->name_count++] = contestant;
	}
	return 0;
}

/* By the second level, as the benchmark of these columns does. */
static void sort(struct levels *levels)
{
	const json_t *load = levels->loads[1];

	for (size_t i = 1; i < levels->name_count; i++)
		for (size_t j = i; j > 0 && rps_of(levels, levels->names[j - 1], load) <
						    rps_of(levels, levels->names[j], load);
			j--) {
			const json_t *held = levels->names[j];

			levels->names[j] = levels->names[j - 1];
			levels->names[j - 1] = held;
		}
}

static void put_level_titles(struct grid *grid, const struct levels *levels)
{
	for (size_t i = 0; i < levels->load_count; i++) {
		struct rank_load load = rank_load_of(levels->loads[i]);
		char pipeline[32] = "";
		char count[32] = "";
		char threads[32] = "";
		char title[TABLE_CELL];

		if (load.pipeline > 1)
			snprintf(pipeline, sizeof(pipeline), ", p=%.0f", load.pipeline);
		if (load.requests > 0)
			snprintf(count, sizeof(count), ", n=%.0f", load.requests);
		if (load.threads > 1)
			snprintf(threads, sizeof(threads), ", t=%.0f", load.threads);
		snprintf(title, sizeof(title), "RPS (c=%.0f%s%s%s)", load.connections, pipeline,
			count, threads);
		grid_column(grid, title, true);
	}
}

static void put_level_row(struct grid *grid, const struct levels *levels, const json_t *name)
{
	grid_absent(grid, "the language of a server is not recorded");
	grid_text(grid, pick_text(name, "name"));
	for (size_t i = 0; i < levels->load_count; i++) {
		const json_t *entry = find(levels, name, levels->loads[i]);
		const char *skipped = pick_text(entry, "skipped");
		const char *failure = pick_text(entry, "summary.failure");
		double rps = 0;
		bool known = failure == NULL && pick_number(entry, "summary.rps.median", &rps);

		grid_number(grid, known, rps, text_count,
			entry == NULL     ? "not measured under this load"
			: failure != NULL ? failure
			: skipped != NULL ? skipped
					  : pick_reason(entry, "summary.rps"));
	}
}

void view_levels(const json_t *record, FILE *out)
{
	struct levels levels = {.contestants = pick(record, "contestants")};
	struct grid *grid = grid_new();

	if (grid == NULL || gather(&levels) != 0 || levels.load_count < 2)
		goto out;
	sort(&levels);
	grid_column(grid, "Language", false);
	grid_column(grid, "Framework", false);
	put_level_titles(grid, &levels);
	for (size_t i = 0; i < levels.name_count; i++)
		put_level_row(grid, &levels, levels.names[i]);
	fputs("\n## Requests per second by load\n\n", out);
	grid_print(grid, out);
	fputs("\nMedians of the trials, ordered by the second load.\n", out);
out:
	grid_free(grid);
	free(levels.loads);
	free(levels.names);
}
