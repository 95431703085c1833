#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/report/build.h"
#include "harness/report/change.h"
#include "harness/report/environment.h"
#include "harness/report/floor.h"
#include "harness/report/pick.h"
#include "harness/report/rank.h"
#include "harness/report/text.h"
#include "harness/report/values.h"
#include "harness/stats/rank_test.h"
#include "harness/stats/stats.h"
#include "lib/fail.h"
#include "lib/units.h"

#define SIZES_SHARE 0.02 /* of a reply's bytes; METHOD.md "Bytes per reply" */

/** struct metric - What is compared of each row. */
struct metric {
	const char *name;  /* in comparisons and in --fail-if */
	const char *path;  /* in a trial */
	const char *floor; /* in an item of noise_floor; NULL: none is known */
	bool more_is_better;
	const char *better; /* verdicts */
	const char *worse;
	const char *(*format)(double value, char *out);
};

static const struct metric metrics[] = {
	{"rps", "rps", "rps", true, "faster", "slower", text_count},
	{"rps_per_cpu", "server.requests_per_cpu_s", "rps_per_server_cpu_s", true, "faster",
		"slower", text_count},
	{"p50", "latency_ns.p50", "latency_p50", false, "faster", "slower", units_duration},
	{"p99", "latency_ns.p99", "latency_p99", false, "faster", "slower", units_duration},
	{"memory", "server.max_rss_bytes", NULL, false, "smaller", "larger", units_size},
};

#define METRICS (sizeof(metrics) / sizeof(metrics[0]))

static const char SAME[] = "no difference shown";
static const char FAILED[] = "failed";

/* ------------------------------------------------------------------ may they be compared? */

/* What makes the numbers of two records different besides the contestants. */
static const char *const fields[] = {
	"round",
	"quick",
	"rpcbench",
	"parameters.call",
	"parameters.duration_s",
	"parameters.warmup_s",
	"parameters.timeout_s",
	"parameters.server_threads",
	"environment.cpu_model",
	"environment.cores",
	"environment.governor",
	"environment.virtualization",
	"environment.pinning",
	"environment.compiler",
	"environment.cflags",
};

static char *text_at(const json_t *record, const char *path)
{
	const json_t *value = pick(record, path);

	if (value == NULL || json_is_null(value))
		return strdup("unknown");
	if (json_is_string(value))
		return strdup(json_string_value(value));
	return json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY | JSON_REAL_PRECISION(9));
}

static int add_difference(
	json_t *list, const char *what, const char *old_text, const char *new_text)
{
	return json_array_append_new(list,
		json_sprintf("%s: %s in the old record, %s in the new", what, old_text, new_text));
}

static int add_field(json_t *list, const char *path, const json_t *old, const json_t *new)
{
	char *old_text = text_at(old, path);
	char *new_text = text_at(new, path);
	int status = old_text == NULL || new_text == NULL ? -1 : 0;

	if (status == 0 && strcmp(old_text, new_text) != 0)
		status = add_difference(list, path, old_text, new_text);
	free(old_text);
	free(new_text);
	return status;
}

static bool same_row(const json_t *a, const json_t *b)
{
	const char *a_name = pick_text(a, "name");
	const char *b_name = pick_text(b, "name");

	return a_name != NULL && b_name != NULL && strcmp(a_name, b_name) == 0 &&
	       rank_same_load(a, b);
}

/* The contestant of @record that is the same as @other under the same load; NULL: none is. */
static const json_t *find_row(const json_t *record, const json_t *other)
{
	const json_t *contestant;
	size_t i;

	json_array_foreach (pick(record, "contestants"), i, contestant)
		if (same_row(contestant, other))
			return contestant;
	return NULL;
}

static int add_sizes(json_t *list, const json_t *old, const json_t *new)
{
	const json_t *contestant;
	size_t i;

	json_array_foreach (pick(new, "contestants"), i, contestant) {
		const json_t *before = find_row(old, contestant);
		char old_text[32];
		char new_text[32];
		char what[128];
		double a;
		double b;

		if (!pick_number(before, "summary.bytes_per_reply", &a) ||
			!pick_number(contestant, "summary.bytes_per_reply", &b) ||
			fabs(a - b) <= SIZES_SHARE * fmin(a, b))
			continue;
		snprintf(what, sizeof(what), "bytes per reply of %.64s",
			pick_text(contestant, "name"));
		snprintf(old_text, sizeof(old_text), "%.0f", a);
		snprintf(new_text, sizeof(new_text), "%.0f", b);
		if (add_difference(list, what, old_text, new_text) != 0)
			return -1;
	}
	return 0;
}

json_t *change_differences(const json_t *old, const json_t *new)
{
	json_t *list = json_array();
	int status = list != NULL ? 0 : -1;

	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]) && status == 0; i++)
		status = add_field(list, fields[i], old, new);
	if (status == 0)
		status = add_sizes(list, old, new);
	if (status == 0)
		return list;
	json_decref(list);
	fail_msg("out of memory");
	return NULL;
}

/* ------------------------------------------------------------------ rows */

/* What must hold besides p for a difference: a ratio whose interval does not include 1. */
static bool is_clear(const json_t *row)
{
	double low;
	double high;

	return pick_number(row, "ci95_low", &low) && pick_number(row, "ci95_high", &high) &&
	       (low > 1 || high < 1);
}

static const char *verdict_of(const json_t *row, const struct metric *metric, double p)
{
	double ratio = pick_or(row, "ratio", 1);
	bool more = ratio > 1;

	if (p >= RANK_TEST_LEVEL || !is_clear(row) ||
		floor_distance(ratio) <= pick_or(row, "noise_floor", -1))
		return SAME;
	return more == metric->more_is_better ? metric->better : metric->worse;
}

static const struct metric *metric_of(const json_t *row)
{
	const char *name = pick_text(row, "metric");

	for (size_t i = 0; i < METRICS; i++)
		if (name != NULL && strcmp(name, metrics[i].name) == 0)
			return &metrics[i];
	return &metrics[0];
}

/* Why there is nothing to compare; NULL when there is. */
static const char *obstacle(const struct values *old, const struct values *new)
{
	if (old->n == 0)
		return old->reason;
	if (new->n == 0)
		return new->reason;
	if (stats_median(old->list, old->n) <= 0)
		return "most old trials are at 0";
	return NULL;
}

static void put_values(
	struct build *b, const struct values *old, const struct values *new, uint64_t seed)
{
	struct rank_test test = rank_test(new->list, new->n, old->list, old->n);
	json_t *ratio = values_ratio(new, old, seed);

	build_count(b, "trials", old->n < new->n ? old->n : new->n);
	build_number(b, "old", stats_median(old->list, old->n));
	build_number(b, "new", stats_median(new->list, new->n));
	if (ratio == NULL || json_object_update(b->object, ratio) != 0)
		b->failed = true;
	build_number(b, "p", test.p);
	build_number(b, "cliffs_delta", fabs(test.delta));
	json_decref(ratio);
}

static bool has_failed(const json_t *contestant)
{
	return pick_text(contestant, "summary.failure") != NULL;
}

static void put_verdict(struct build *b, const char *verdict, const char *reason)
{
	if (verdict != NULL)
		build_text(b, "verdict", verdict);
	else
		build_absent(b, "verdict", reason);
}

static struct build begin_row(const json_t *contestant, const struct metric *metric)
{
	struct rank_load load = rank_load_of(contestant);
	struct build b = build_begin();

	build_text(&b, "name", pick_text(contestant, "name"));
	rank_put_load(&b, &load);
	build_text(&b, "metric", metric->name);
	return b;
}

static json_t *gone_object(const json_t *contestant)
{
	struct build b = begin_row(contestant, &metrics[0]);

	put_verdict(&b, NULL, "it is not in the new record");
	return build_end(&b);
}

static json_t *row_object(
	const json_t *old, const json_t *new, const struct metric *metric, uint64_t seed)
{
	struct values old_values = {0};
	struct values new_values = {0};
	struct build b = begin_row(new, metric);

	if (values_read(&old_values, old, metric->path) != 0 ||
		values_read(&new_values, new, metric->path) != 0)
		b.failed = true;
	else if (old == NULL)
		put_verdict(&b, NULL, "it is not in the old record");
	else if (has_failed(new))
		put_verdict(&b, has_failed(old) ? NULL : FAILED, "it had failed before, too");
	else if (obstacle(&old_values, &new_values) != NULL)
		put_verdict(&b, NULL, obstacle(&old_values, &new_values));
	else
		put_values(&b, &old_values, &new_values, seed);
	values_free(&old_values);
	values_free(&new_values);
	return build_end(&b);
}

/* The larger of the two records' at the load and of the metric of @row. */
static int put_floor(json_t *row, const json_t *old, const json_t *new)
{
	const struct metric *metric = metric_of(row);
	struct rank_load load = rank_load_of(row);
	struct build b = {.object = row};
	double floor = -1;

	if (metric->floor != NULL)
		floor = fmax(floor_of(pick(old, "noise_floor"), &load, metric->floor),
			floor_of(pick(new, "noise_floor"), &load, metric->floor));
	if (floor >= 0 && pick(row, "ratio") != NULL)
		build_number(&b, "noise_floor", floor);
	return b.failed ? -1 : 0;
}

static int add_rows(json_t *rows, const json_t *old, const json_t *new, uint64_t seed)
{
	const json_t *contestant;
	size_t i;

	json_array_foreach (pick(new, "contestants"), i, contestant) {
		const json_t *before = find_row(old, contestant);

		for (size_t m = 0; m < METRICS; m++) {
			json_t *row = row_object(before, contestant, &metrics[m], seed);

			if (json_array_append_new(rows, row) != 0 || put_floor(row, old, new) != 0)
				return -1;
		}
	}
	json_array_foreach (pick(old, "contestants"), i, contestant)
		if (find_row(new, contestant) == NULL &&
			json_array_append_new(rows, gone_object(contestant)) != 0)
			return -1;
	return 0;
}

/* All rows are tested at once, so their p are corrected together; then come the verdicts. */
static int judge_rows(json_t *rows)
{
	size_t n = json_array_size(rows);
	double *p = calloc(2 * n + 1, sizeof(*p));
	size_t tests = 0;
	json_t *row;
	size_t i;

	if (p == NULL)
		return -1;
	json_array_foreach (rows, i, row)
		if (pick_number(row, "p", &p[tests]))
			tests++;
	rank_test_holm(p, tests, p + n);
	tests = 0;
	json_array_foreach (rows, i, row) {
		struct build b = {.object = row};

		if (pick(row, "p") == NULL)
			continue;
		build_number(&b, "p", p[n + tests]);
		build_text(&b, "verdict", verdict_of(row, metric_of(row), p[n + tests]));
		tests++;
	}
	free(p);
	return 0;
}

static json_t *origin_object(const json_t *record)
{
	struct build b = build_begin();

	build_text(&b, "started_at", pick_text(record, "started_at"));
	build_text(&b, "commit", pick_text(record, "environment.commit"));
	return build_end(&b);
}

json_t *change_record(const json_t *old, const json_t *new, uint64_t seed)
{
	struct build b = build_begin();
	json_t *rows = json_array();
	json_t *comparison;

	if (add_rows(rows, old, new, seed) != 0 || judge_rows(rows) != 0)
		b.failed = true;
	build_text(&b, "schema", CHANGE_SCHEMA);
	build_put(&b, "old", origin_object(old));
	build_put(&b, "new", origin_object(new));
	build_count(&b, "seed", seed);
	build_put(&b, "differences", change_differences(old, new));
	build_put(&b, "rows", rows);
	comparison = build_end(&b);
	if (comparison == NULL)
		fail_msg("no memory for the comparison");
	return comparison;
}

bool change_is_worse(const json_t *row)
{
	const char *verdict = pick_text(row, "verdict");

	return verdict != NULL &&
	       (strcmp(verdict, FAILED) == 0 || strcmp(verdict, metric_of(row)->worse) == 0);
}

bool change_is_difference(const json_t *row)
{
	const char *verdict = pick_text(row, "verdict");

	return verdict != NULL && strcmp(verdict, SAME) != 0;
}

bool change_has_metric(const char *name)
{
	for (size_t i = 0; i < METRICS; i++)
		if (strcmp(name, metrics[i].name) == 0)
			return true;
	return false;
}

/* ------------------------------------------------------------------ for people */

static void print_load(const json_t *row, FILE *out)
{
	struct rank_load load = rank_load_of(row);
	char text[RANK_LOAD_TEXT];

	fputs(rank_load_text(&load, text), out);
	if (load.requests > 0)
		fprintf(out, ", %.0f requests", load.requests);
}

static void print_values(const json_t *row, FILE *out)
{
	const struct metric *metric = metric_of(row);
	char old_text[UNITS_TEXT];
	char new_text[UNITS_TEXT];
	double low;
	double high;

	fprintf(out, "%s | %s | %.3f", metric->format(pick_or(row, "old", 0), old_text),
		metric->format(pick_or(row, "new", 0), new_text), pick_or(row, "ratio", 0));
	if (pick_number(row, "ci95_low", &low) && pick_number(row, "ci95_high", &high))
		fprintf(out, " [%.3f, %.3f]", low, high);
}

static void print_row(const json_t *row, FILE *out)
{
	const char *verdict = pick_text(row, "verdict");

	fputs("| ", out);
	text_markdown(pick_text(row, "name"), out);
	fputs(" | ", out);
	print_load(row, out);
	fprintf(out, " | %s | ", pick_text(row, "metric"));
	if (pick(row, "ratio") != NULL)
		print_values(row, out);
	else
		fputs("— | — | —", out);
	fputs(change_is_worse(row) ? " | **" : " | ", out);
	text_markdown(verdict != NULL ? verdict : pick_reason(row, "verdict"), out);
	fputs(change_is_worse(row) ? "** |\n" : " |\n", out);
}

static void print_origin(const json_t *comparison, const char *which, FILE *out)
{
	const json_t *origin = pick(comparison, which);
	const char *started_at = pick_text(origin, "started_at");
	const char *commit = pick_text(origin, "commit");

	fprintf(out, "- %s: ", which);
	text_markdown(started_at != NULL ? started_at : "unknown time", out);
	fputs(", commit ", out);
	text_markdown(commit != NULL ? commit : "unknown", out);
	fputc('\n', out);
}

/* That there are too few trials to show any difference, however large. */
static void print_too_few(const json_t *rows, FILE *out)
{
	double least = INFINITY;
	size_t tests = 0;
	const json_t *row;
	size_t i;

	json_array_foreach (rows, i, row) {
		least = fmin(least, pick_or(row, "trials", INFINITY));
		tests += pick(row, "p") != NULL;
	}
	if (tests > 0 && least < (double)rank_test_least(tests))
		fprintf(out,
			"\n**With %.0f trials no difference can be shown for all of %zu rows, "
			"however "
			"large it is: that takes %zu trials in each record.**\n",
			least, tests, rank_test_least(tests));
}

void change_print(const json_t *comparison, FILE *out)
{
	const json_t *item;
	size_t i;

	print_origin(comparison, "old", out);
	print_origin(comparison, "new", out);
	json_array_foreach (pick(comparison, "differences"), i, item) {
		fputs("- DIFFERS: ", out);
		text_markdown(json_string_value(item), out);
		fputc('\n', out);
	}
	fputs("\n| contestant | load | metric | old | new | new : old | verdict |\n"
	      "|:---|:---|:---|---:|---:|---:|:---|\n",
		out);
	json_array_foreach (pick(comparison, "rows"), i, item)
		print_row(item, out);
	print_too_few(pick(comparison, "rows"), out);
	fputs("\nMedians of trials; ratio with its 95 % interval. A difference is shown where p < "
	      "0.05 (Mann-Whitney, corrected for all rows), the interval does not include 1 and it "
	      "exceeds the noise floors of both records, where they have one.\n",
		out);
}
