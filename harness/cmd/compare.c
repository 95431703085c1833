#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/cmd/cmd.h"
#include "harness/report/change.h"
#include "harness/report/pick.h"
#include "harness/report/result.h"
#include "harness/report/summary.h"
#include "harness/report/text.h"
#include "lib/fail.h"
#include "lib/opt.h"

#define USAGE       "rpcbench compare [OPTIONS] OLD.json NEW.json"
#define METRIC_NAME 32

struct compare_options {
	struct opt_list fail_if;
	int64_t seed;
	bool force;
	bool json;
};

static const struct opt options_table[] = {
	{.name = "fail-if",
		.type = OPT_LIST,
		.offset = offsetof(struct compare_options, fail_if),
		.arg = "CONDITION",
		.help = "what new : old must be where a difference is shown, like 'rps>0.95' or "
			"'p99<1.1'; several times (without: nothing may be worse)"},
	{.name = "force",
		.type = OPT_FLAG,
		.offset = offsetof(struct compare_options, force),
		.help = "compare records of other parameters or machines, too"},
	{.name = "json",
		.type = OPT_FLAG,
		.offset = offsetof(struct compare_options, json),
		.help = "print the comparison as JSON"},
	{.name = "seed",
		.type = OPT_INT,
		.offset = offsetof(struct compare_options, seed),
		.arg = "N",
		.help = "of the bootstrap (1)"},
	{0},
};

/** struct bound - What the ratio of a metric must be. */
struct bound {
	char metric[METRIC_NAME];
	bool above; /* above @ratio, else below */
	double ratio;
};

static int parse_bound(const char *text, struct bound *bound)
{
	char *end;
	size_t len = strcspn(text, "<>");

	if (len == 0 || len >= METRIC_NAME || text[len] == '\0')
		goto err0;
	snprintf(bound->metric, sizeof(bound->metric), "%.*s", (int)len, text);
	bound->above = text[len] == '>';
	bound->ratio = strtod(text + len + 1, &end);
	if (end == text + len + 1 || *end != '\0' || !(bound->ratio > 0) ||
		!change_has_metric(bound->metric))
		goto err0;
	return 0;

err0:
	return fail_msg(
		"--fail-if '%s': expected one of rps, rps_per_cpu, p50, p99, memory, then < or "
		"> and a ratio, as in 'rps>0.95'",
		text);
}

static bool keeps_bound(const json_t *row, const struct bound *bound)
{
	double ratio = pick_or(row, "ratio", 1);

	if (strcmp(pick_text(row, "metric"), bound->metric) != 0)
		return true;
	return bound->above ? ratio > bound->ratio : ratio < bound->ratio;
}

/* Without conditions nothing may be worse; with them only what they name counts. Noise never does.
 */
static bool is_acceptable(const json_t *row, const struct bound *bounds, size_t count)
{
	const char *verdict = pick_text(row, "verdict");

	if (count == 0 || (verdict != NULL && pick(row, "ratio") == NULL))
		return !change_is_worse(row);
	if (verdict == NULL || !change_is_difference(row))
		return true;
	for (size_t i = 0; i < count; i++)
		if (!keeps_bound(row, &bounds[i]))
			return false;
	return true;
}

static int judge(const json_t *comparison, const struct bound *bounds, size_t count)
{
	int status = EXIT_FINE;
	const json_t *row;
	size_t i;

	json_array_foreach (pick(comparison, "rows"), i, row) {
		if (is_acceptable(row, bounds, count))
			continue;
		fail_msg("%s: %s: %s", pick_text(row, "name"), pick_text(row, "metric"),
			pick_text(row, "verdict"));
		status = EXIT_FAILURES;
	}
	return status;
}

/* Summaries of the records may come from an earlier version. Return: NULL after a message. */
static json_t *read_record(const char *path)
{
	json_t *record = result_read(path);

	if (record != NULL && result_summarise(record) != 0) {
		json_decref(record);
		return NULL;
	}
	return record;
}

static void refuse(const json_t *differences)
{
	const json_t *item;
	size_t i;

	json_array_foreach (differences, i, item)
		fail_msg("%s", json_string_value(item));
	fail_msg("these records are not comparable; --force compares them all the same");
}

static int compare(const json_t *old, const json_t *new, const struct compare_options *options)
{
	struct bound bounds[OPT_LIST_MAX];
	json_t *comparison;
	int status;

	for (size_t i = 0; i < options->fail_if.count; i++)
		if (parse_bound(options->fail_if.items[i], &bounds[i]) != 0)
			return EXIT_USAGE;
	comparison = change_record(old, new, (uint64_t)options->seed);
	if (comparison == NULL)
		return EXIT_UNMEASURED;
	if (json_array_size(pick(comparison, "differences")) > 0 && !options->force) {
		refuse(pick(comparison, "differences"));
		json_decref(comparison);
		return EXIT_USAGE;
	}
	if (options->json)
		result_print(comparison, stdout);
	else
		change_print(comparison, stdout);
	status = judge(comparison, bounds, options->fail_if.count);
	json_decref(comparison);
	return status;
}

int cmd_compare(int argc, char **argv)
{
	struct compare_options options = {.seed = 1};
	int status;
	json_t *old = NULL;
	json_t *new = NULL;
	int first;

	status = cmd_parse(options_table, &options, USAGE, argc, argv, &first);
	if (status != CMD_GO_ON)
		return status;
	status = EXIT_UNMEASURED;
	if (argc - first != 2) {
		fail_msg("expected two records; usage: " USAGE);
		return EXIT_USAGE;
	}
	old = read_record(argv[first]);
	if (old != NULL)
		new = read_record(argv[first + 1]);
	if (new != NULL)
		status = compare(old, new, &options);
	json_decref(old);
	json_decref(new);
	return status;
}
