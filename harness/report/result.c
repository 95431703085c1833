#include <string.h>

#include "harness/report/build.h"
#include "harness/report/dump.h"
#include "harness/report/floor.h"
#include "harness/report/pick.h"
#include "harness/report/rank.h"
#include "harness/report/ratios.h"
#include "harness/report/replace.h"
#include "harness/report/result.h"
#include "harness/report/scaling.h"
#include "harness/report/schema.h"
#include "harness/report/summary.h"
#include "harness/report/trend.h"
#include "lib/fail.h"

#define TOOLS_SCHEMA "rpcbench-tools/1"

static int summarise(json_t *contestants, uint64_t seed)
{
	json_t *contestant;
	size_t i;

	json_array_foreach (contestants, i, contestant) {
		json_t *summary = summary_object(contestant, seed);

		if (json_object_set_new(contestant, "summary", summary) != 0)
			return -1;
	}
	return 0;
}

const json_t *result_ceiling(const json_t *record, const json_t *contestant)
{
	struct rank_load load = rank_load_of(contestant);
	const json_t *level;
	size_t i;

	json_array_foreach (pick(record, "calibration"), i, level)
		if (pick_or(level, "connections", 0) == load.connections &&
			pick_or(level, "pipeline", 0) == load.pipeline &&
			pick_or(level, "server_threads", load.threads) == load.threads)
			return level;
	return NULL;
}

/* The share of it that each contestant's requests per second are. */
static int fill_shares(json_t *record)
{
	json_t *contestant;
	size_t i;

	json_array_foreach (json_object_get(record, "contestants"), i, contestant) {
		json_t *summary = json_object_get(contestant, "summary");
		const json_t *level = result_ceiling(record, contestant);
		struct build b = {.object = summary};
		double rps;

		if (level == NULL)
			continue;
		if (pick_number(summary, "rps.median", &rps))
			build_ratio(&b, "ceiling_share", rps, pick_or(level, "rps", 0),
				pick_reason(level, "rps"));
		else
			build_absent(&b, "ceiling_share", pick_reason(summary, "rps"));
		if (b.failed)
			return -1;
	}
	return 0;
}

int result_summarise(json_t *record)
{
	uint64_t seed = (uint64_t)pick_or(record, "seed", 0);

	json_t *contestants = json_object_get(record, "contestants");

	if (summarise(contestants, seed) != 0 ||
		summarise(json_object_get(record, "again"), seed) != 0 ||
		floor_fill(record, seed) != 0 ||
		rank_all(contestants, pick(record, "noise_floor"), seed) != 0 ||
		fill_shares(record) != 0 || ratios_fill(record, seed) != 0 ||
		scaling_fill(record, seed) != 0 || trend_fill(record) != 0)
		return fail_msg("no memory for the summary of this round");
	return 0;
}

int result_print(const json_t *record, FILE *out)
{
	return dump_json(record, out);
}

static int print_record(const void *ctx, FILE *out)
{
	return result_print(ctx, out);
}

int result_save(const json_t *record, const char *path)
{
	return replace_file(path, print_record, record);
}

json_t *result_read(const char *path)
{
	json_error_t error;
	json_t *record;
	FILE *in = fopen(path, "re");

	if (in == NULL) {
		fail_errno("cannot read %s", path);
		return NULL;
	}
	record = json_loadf(in, JSON_REJECT_DUPLICATES, &error);
	fclose(in);
	if (record == NULL) {
		fail_msg("%s:%d: %s", path, error.line, error.text);
		return NULL;
	}
	if (schema_check(record, path) != 0) {
		json_decref(record);
		return NULL;
	}
	return record;
}

bool result_is_of_tools(const char *path)
{
	json_t *record = json_load_file(path, 0, NULL);
	const char *schema = json_string_value(json_object_get(record, "schema"));
	bool of_tools = schema != NULL && strcmp(schema, TOOLS_SCHEMA) == 0;

	json_decref(record);
	return of_tools;
}
