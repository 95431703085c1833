#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/call.h"
#include "harness/load/pace.h"
#include "harness/paths.h"
#include "harness/report/table.h"
#include "harness/round.h"
#include "lib/buf.h"
#include "lib/clock.h"
#include "lib/fail.h"

#define SUFFIX ".json"

/* What the table below fills: the round, and its levels as they stand in the file. */
struct fields {
	struct round round;
	json_t *levels;
};

static const char *check_column(const char *text)
{
	return table_column(text) < TABLE_COLUMNS ? NULL
						  : "one of the columns that METHOD.md lists";
}

static const struct config_field fields_table[] = {
	{.key = "name",
		.type = CONFIG_TEXT,
		.required = true,
		.offset = offsetof(struct fields, round.name),
		.check = config_name},
	{.key = "title",
		.type = CONFIG_TEXT,
		.required = true,
		.offset = offsetof(struct fields, round.title)},
	{.key = "call",
		.type = CONFIG_TEXT,
		.required = true,
		.offset = offsetof(struct fields, round.call),
		.check = config_name},
	{.key = "contestants",
		.type = CONFIG_TEXTS,
		.required = true,
		.offset = offsetof(struct fields, round.contestants),
		.check = config_name},
	{.key = "levels",
		.type = CONFIG_ARRAY,
		.required = true,
		.offset = offsetof(struct fields, levels)},
	{.key = "trials",
		.type = CONFIG_INT,
		.required = true,
		.offset = offsetof(struct fields, round.trials),
		.min = 1,
		.max = 1000},
	{.key = "duration",
		.type = CONFIG_DURATION,
		.required = true,
		.offset = offsetof(struct fields, round.duration_ns),
		.min = 1},
	{.key = "warmup",
		.type = CONFIG_DURATION,
		.required = true,
		.offset = offsetof(struct fields, round.warmup_ns)},
	{.key = "timeout",
		.type = CONFIG_DURATION,
		.offset = offsetof(struct fields, round.timeout_ns),
		.min = 1},
	{.key = "threads",
		.type = CONFIG_INTS,
		.offset = offsetof(struct fields, round.threads),
		.min = 1,
		.max = ROUND_THREADS_MAX},
	{.key = "columns",
		.type = CONFIG_TEXTS,
		.offset = offsetof(struct fields, round.columns),
		.check = check_column},
	{.key = "again",
		.type = CONFIG_TEXT,
		.offset = offsetof(struct fields, round.again),
		.check = config_name},
	{.key = "ratios", .type = CONFIG_ARRAY, .offset = offsetof(struct fields, round.ratios)},
	{0},
};

static const char *const arrivals[] = {"constant", "poisson", NULL};

static const struct config_field level_fields[] = {
	{.key = "connections",
		.type = CONFIG_INT,
		.required = true,
		.offset = offsetof(struct round_level, connections),
		.min = 1,
		.max = 1000000},
	{.key = "pipeline",
		.type = CONFIG_INT,
		.required = true,
		.offset = offsetof(struct round_level, pipeline),
		.min = 1,
		.max = 1000000},
	{.key = "requests",
		.type = CONFIG_INT,
		.offset = offsetof(struct round_level, requests),
		.min = 1,
		.max = 1000000000},
	{.key = "rate",
		.type = CONFIG_NUMBER,
		.offset = offsetof(struct round_level, rate),
		.max = (int64_t)PACE_RATE_MAX},
	{.key = "arrival",
		.type = CONFIG_CHOICE,
		.offset = offsetof(struct round_level, arrival),
		.choices = arrivals},
	{0},
};

/** struct ratio - Names of two contestants. */
struct ratio {
	const char *of;
	const char *to;
};

static const struct config_field ratio_fields[] = {
	{.key = "of",
		.type = CONFIG_TEXT,
		.required = true,
		.offset = offsetof(struct ratio, of),
		.check = config_name},
	{.key = "to",
		.type = CONFIG_TEXT,
		.required = true,
		.offset = offsetof(struct ratio, to),
		.check = config_name},
	{0},
};

static int read_levels(struct round *round, json_t *levels)
{
	const struct config_at all = {.key = "levels"};

	round->levels = calloc(json_array_size(levels), sizeof(*round->levels));
	if (round->levels == NULL)
		return fail_msg("out of memory");
	for (size_t i = 0; i < json_array_size(levels); i++) {
		const struct config_at at = {.parent = &all, .index = i};

		if (config_fields(&round->file, &at, json_array_get(levels, i), level_fields,
			    &round->levels[i]) != 0)
			return -1;
		if (round->levels[i].arrival != PACE_CONSTANT && round->levels[i].rate <= 0)
			return config_error(
				&round->file, &at, "expected a rate beside the arrival");
		round->level_count++;
	}
	return 0;
}

/* A contestant named twice would be a row that is there twice. */
static int check_contestants(const struct round *round)
{
	const struct config_at all = {.key = "contestants"};

	for (size_t i = 0; round->contestants[i] != NULL; i++)
		for (size_t j = 0; j < i; j++) {
			const struct config_at at = {.parent = &all, .index = i};

			if (strcmp(round->contestants[i], round->contestants[j]) == 0)
				return config_error(&round->file, &at,
					"expected each contestant once, '%s' is there twice",
					round->contestants[i]);
		}
	return 0;
}

static bool takes_part(const struct round *round, const char *name)
{
	for (size_t i = 0; round->contestants[i] != NULL; i++)
		if (strcmp(round->contestants[i], name) == 0)
			return true;
	return false;
}

static int check_ratios(const struct round *round)
{
	const struct config_at all = {.key = "ratios"};

	for (size_t i = 0; i < json_array_size(round->ratios); i++) {
		const struct config_at at = {.parent = &all, .index = i};
		struct ratio ratio = {0};

		if (config_fields(&round->file, &at, json_array_get(round->ratios, i), ratio_fields,
			    &ratio) != 0)
			return -1;
		if (!takes_part(round, ratio.of) || !takes_part(round, ratio.to))
			return config_error(&round->file, &at,
				"expected contestants of this round, '%s' is none",
				takes_part(round, ratio.of) ? ratio.to : ratio.of);
	}
	return 0;
}

static int check_again(const struct round *round)
{
	const struct config_at at = {.key = "again"};

	if (round->again == NULL || takes_part(round, round->again))
		return 0;
	return config_error(&round->file, &at,
		"expected one of the contestants of this round, '%s' is none", round->again);
}

static int check_call(const struct round *round, const struct paths *paths)
{
	const struct config_at at = {.key = "call"};
	struct buf known = {0};

	if (call_is_known(paths, round->call, &known))
		return 0;
	config_error(&round->file, &at, "unknown call, expected one of:%.*s", (int)buf_len(&known),
		buf_head(&known));
	buf_free(&known);
	return -1;
}

/* The file of the round @which; owned by the caller. */
static char *find_file(const struct paths *paths, const char *which)
{
	size_t len = strlen(which);
	char *file = NULL;
	bool is_path = strchr(which, '/') != NULL ||
		       (len > strlen(SUFFIX) && strcmp(which + len - strlen(SUFFIX), SUFFIX) == 0);
	char **names;
	struct buf known = {0};

	if (is_path)
		return strdup(which);
	names = paths_list(paths, "harness/rounds");
	for (char **name = names; name != NULL && *name != NULL; name++) {
		if (strcmp(*name, which) == 0 &&
			asprintf(&file, "%s/harness/rounds/%s" SUFFIX, paths->root, which) < 0)
			file = NULL;
		buf_printf(&known, " %s", *name);
	}
	if (file == NULL)
		fail_msg("unknown round '%s', expected a file or one of:%.*s", which,
			(int)buf_len(&known), buf_head(&known));
	paths_list_free(names);
	buf_free(&known);
	return file;
}

int round_load(struct round *round, const struct paths *paths, const char *which)
{
	struct fields fields = {.round = {.timeout_ns = 5 * NS_PER_S, .threads = {{1}, 1}}};
	char *file = find_file(paths, which);
	int status;

	*round = (struct round){0};
	if (file == NULL)
		return -1;
	status = config_open(&fields.round.file, file);
	free(file);
	if (status != 0)
		return -1;
	status = config_fields(
		&fields.round.file, NULL, fields.round.file.root, fields_table, &fields);
	*round = fields.round;
	if (status != 0 || read_levels(round, fields.levels) != 0 ||
		check_call(round, paths) != 0 || check_contestants(round) != 0 ||
		check_again(round) != 0 || check_ratios(round) != 0) {
		round_free(round);
		return -1;
	}
	return 0;
}

void round_free(struct round *round)
{
	free(round->contestants);
	free(round->columns);
	free(round->levels);
	config_close(&round->file);
	*round = (struct round){0};
}
