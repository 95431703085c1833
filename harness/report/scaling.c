#include <string.h>

#include "harness/report/build.h"
#include "harness/report/grid.h"
#include "harness/report/pick.h"
#include "harness/report/rank.h"
#include "harness/report/scaling.h"
#include "harness/report/text.h"
#include "harness/report/values.h"
#include "harness/stats/stats.h"

static const char FIXED[] = "its command takes no number of threads";

bool scaling_is_asked(const json_t *contestants)
{
	double first = pick_or(json_array_get(contestants, 0), "server_threads", 0);
	const json_t *contestant;
	size_t i;

	json_array_foreach (contestants, i, contestant)
		if (pick_or(contestant, "server_threads", 0) != first)
			return true;
	return false;
}

/* The same contestant under the same load with the round's first number of threads; itself. */
static const json_t *find_first(const json_t *contestants, const json_t *own)
{
	struct rank_load load = rank_load_of(own);
	const json_t *contestant;
	size_t i;

	load.threads = 0;
	json_array_foreach (contestants, i, contestant) {
		struct rank_load other = rank_load_of(contestant);

		if (strcmp(pick_text(contestant, "name"), pick_text(own, "name")) == 0 &&
			rank_is_load(&other, &load))
			return contestant;
	}
	return own;
}

static void put_median(struct build *b, const char *name, const json_t *contestant, const char *why)
{
	const json_t *summary = pick(contestant, "summary");
	double median;

	if (why == NULL && pick_number(pick(summary, name), "median", &median))
		build_number(b, name, median);
	else
		build_absent(b, name, why != NULL ? why : pick_reason(summary, name));
}

static void put_speedup(struct build *b, const json_t *own, const json_t *first, uint64_t seed)
{
	struct values own_values = {0};
	struct values first_values = {0};

	if (values_read(&own_values, own, "rps") != 0 ||
		values_read(&first_values, first, "rps") != 0)
		b->failed = true;
	else if (own_values.n == 0 || first_values.n == 0)
		build_absent(
			b, "speedup", own_values.n == 0 ? own_values.reason : first_values.reason);
	else if (stats_median(first_values.list, first_values.n) <= 0)
		build_absent(b, "speedup", "most trials are at 0");
	else
		build_put(b, "speedup",
			values_ratio(
				&own_values, own == first ? &own_values : &first_values, seed));
	values_free(&own_values);
	values_free(&first_values);
}

static json_t *item_of(const json_t *contestants, const json_t *own, uint64_t seed)
{
	const json_t *first = find_first(contestants, own);
	struct rank_load load = rank_load_of(own);
	struct build b = build_begin();
	char why[RANK_REASON];
	char first_why[RANK_REASON];
	char reason[RANK_REASON + 64];
	bool failed = rank_failure(own, why);

	build_text(&b, "name", pick_text(own, "name"));
	if (pick_true(own, "fixed_threads"))
		build_put(&b, "fixed_threads", json_true());
	rank_put_load(&b, &load);
	put_median(&b, "rps", own, failed ? why : NULL);
	put_median(&b, "rps_per_server_cpu_s", own, failed ? why : NULL);
	if (failed) {
		build_absent(&b, "speedup", why);
	} else if (pick_true(own, "fixed_threads")) {
		build_absent(&b, "speedup", FIXED);
	} else if (rank_failure(first, first_why)) {
		text_format(reason, sizeof(reason), "with %.0f: %s",
			pick_or(first, "server_threads", 0), first_why);
		build_absent(&b, "speedup", reason);
	} else {
		put_speedup(&b, own, first, seed);
	}
	return build_end(&b);
}

int scaling_fill(json_t *record, uint64_t seed)
{
	const json_t *contestants = pick(record, "contestants");
	const json_t *contestant;
	json_t *list;
	size_t i;

	if (!scaling_is_asked(contestants))
		return 0;
	list = json_array();
	json_array_foreach (contestants, i, contestant)
		if (json_array_append_new(list, item_of(contestants, contestant, seed)) != 0) {
			json_decref(list);
			return -1;
		}
	return json_object_set_new(record, "scaling", list);
}

/* ------------------------------------------------------------------ for people */

static void put_load(struct grid *grid, const json_t *item)
{
	struct rank_load load = rank_load_of(item);
	char text[RANK_LOAD_TEXT + 32];

	load.threads = 0; /* has a column of its own */
	rank_load_text(&load, text);
	if (load.requests > 0)
		snprintf(text + strlen(text), 32, ", %.0f requests", load.requests);
	grid_text(grid, text);
}

/* "1.85 (1.80–1.91)" */
static void put_factor(struct grid *grid, const json_t *item)
{
	const json_t *speedup = pick(item, "speedup");
	char text[96];
	double ratio;
	double low;
	double high;

	if (!pick_number(speedup, "ratio", &ratio)) {
		grid_absent(grid, pick_reason(item, "speedup"));
		return;
	}
	snprintf(text, sizeof(text), "%.2f", ratio);
	if (pick_number(speedup, "ci95_low", &low) && pick_number(speedup, "ci95_high", &high) &&
		low < high)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), " (%.2f–%.2f)", low,
			high);
	grid_text(grid, text);
}

static void put_number(struct grid *grid, const json_t *item, const char *name)
{
	double value = 0;
	bool known = pick_number(item, name, &value);

	grid_number(grid, known, value, text_count, pick_reason(item, name));
}

static void put_threads(struct grid *grid, const json_t *item)
{
	bool known = !pick_true(item, "fixed_threads");

	grid_number(grid, known, pick_or(item, "server_threads", 0), text_count, FIXED);
}

void scaling_print(const json_t *record, FILE *out)
{
	const json_t *items = pick(record, "scaling");
	struct grid *grid;
	const json_t *item;
	size_t i;

	if (json_array_size(items) == 0)
		return;
	grid = grid_new();
	if (grid == NULL)
		return;
	grid_column(grid, "Contestant", false);
	grid_column(grid, "Load", true);
	grid_column(grid, "Threads", true);
	grid_column(grid, "Requests/s", true);
	grid_column(grid, "Speed-up", true);
	grid_column(grid, "Per CPU-s", true);
	json_array_foreach (items, i, item) {
		grid_text(grid, pick_text(item, "name"));
		put_load(grid, item);
		put_threads(grid, item);
		put_number(grid, item, "rps");
		put_factor(grid, item);
		put_number(grid, item, "rps_per_server_cpu_s");
	}
	fputs("\n## Scaling\n\n", out);
	grid_print(grid, out);
	fputs("\nSpeed-up: requests per second : those with the first number of server threads, "
	      "with its 95 % interval. Per CPU-s: requests per second of the server's CPU time.\n",
		out);
	grid_free(grid);
}
