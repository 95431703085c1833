#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/load/pace.h"
#include "harness/plan.h"
#include "harness/reason.h"
#include "harness/stats/stats.h"
#include "harness/suite.h"
#include "lib/clock.h"
#include "lib/fail.h"

/* True when @name is in the comma-separated @names. */
static bool is_listed(const char *names, const char *name)
{
	size_t len = strlen(name);

	while (names != NULL && *names != '\0') {
		size_t one = strcspn(names, ",");

		if (one == len && memcmp(names, name, len) == 0)
			return true;
		names += one + (names[one] == ',');
	}
	return false;
}

/* Every name of a list must be known. */
static int check_list(const struct suite *suite, const char *option, const char *names)
{
	while (names != NULL && *names != '\0') {
		char name[80];
		size_t one = strcspn(names, ",");

		snprintf(name, sizeof(name), "%.*s", (int)(one < 79 ? one : 79), names);
		if (suite_find(suite, name) == NULL)
			return fail_msg("--%s: expected names from rpcbench list", option);
		names += one + (names[one] == ',');
	}
	return 0;
}

static void override(int64_t *value, int64_t given)
{
	if (given >= 0)
		*value = given;
}

static void apply(struct plan *plan, const struct plan_options *o)
{
	struct round *round = &plan->round;

	plan->as_written = !o->quick && o->only == NULL && o->skip == NULL && o->trials < 0 &&
			   o->duration_ns < 0 && o->warmup_ns < 0 && o->connections < 0 &&
			   o->pipeline < 0 && o->threads == NULL;
	if (o->quick) {
		round->trials = PLAN_QUICK_TRIALS;
		round->duration_ns = PLAN_QUICK_DURATION_NS;
		round->warmup_ns = PLAN_QUICK_WARMUP_NS;
	}
	override(&round->trials, o->trials);
	override(&round->duration_ns, o->duration_ns);
	override(&round->warmup_ns, o->warmup_ns);
	for (size_t i = 0; i < round->level_count; i++) {
		override(&round->levels[i].connections, o->connections);
		override(&round->levels[i].pipeline, o->pipeline);
	}
}

int plan_parse_threads(const char *text, struct config_ints *threads)
{
	char *end = NULL;

	threads->count = 0;
	for (const char *at = text;; at = end + 1) {
		long number = *at >= '0' && *at <= '9' ? strtol(at, &end, 10) : 0;

		if (number < 1 || number > ROUND_THREADS_MAX || (*end != ',' && *end != '\0') ||
			!config_ints_add(threads, number))
			return fail_msg("--threads: bad value '%s', expected whole numbers of 1 to "
					"%d, each once, like 1,2",
				text, ROUND_THREADS_MAX);
		if (*end == '\0')
			return 0;
	}
}

int64_t plan_most_threads(const struct round *round)
{
	int64_t most = round->threads.list[0];

	for (size_t i = 1; i < round->threads.count; i++)
		if (round->threads.list[i] > most)
			most = round->threads.list[i];
	return most;
}

static json_t *text_list(const char **texts)
{
	json_t *list = json_array();

	for (; *texts != NULL; texts++)
		json_array_append_new(list, json_string(*texts));
	return list;
}

/* Others have as many threads as they have, whatever the round says. */
static bool takes_threads(const struct contestant *c)
{
	for (const char **text = c->command; *text != NULL; text++)
		if (strstr(*text, "{threads}") != NULL)
			return true;
	return false;
}

/* The command is recorded with its placeholders: paths of this machine tell others nothing. */
static json_t *make_json(const struct plan_entry *entry, const char *skipped)
{
	const struct contestant *c = entry->contestant;

	json_t *json = json_pack("{s:s, s:s?, s:s, s:s, s:o, s:s?, s:I, s:I, s:I, s:s?, s:n, s:[]}",
		"name", c->name, "description", c->description, "protocol",
		manifest_protocol_name(c), "class", manifest_class_name(c), "command",
		text_list(c->command), "url", entry->call != NULL ? entry->call->url : NULL,
		"connections", (json_int_t)entry->connections, "pipeline",
		(json_int_t)entry->pipeline, "server_threads", (json_int_t)entry->threads,
		"skipped", skipped, "failure", "trials");

	if (!takes_threads(c))
		json_object_set_new(json, "fixed_threads", json_true());
	if (entry->requests > 0)
		json_object_set_new(json, "requests_planned", json_integer(entry->requests));
	if (entry->rate > 0) {
		json_object_set_new(json, "rate", json_real(entry->rate));
		json_object_set_new(json, "arrival",
			json_string(entry->arrival == PACE_POISSON ? "poisson" : "constant"));
	}
	return json;
}

static int64_t lesser(int64_t value, int64_t limit)
{
	return limit > 0 && limit < value ? limit : value;
}

/* Two levels can be the same for a contestant that serves less than both. */
static bool is_there(const struct plan *plan, const struct plan_entry *entry)
{
	for (size_t i = 0; i < plan->count; i++)
		if (plan->entries[i].contestant == entry->contestant &&
			plan->entries[i].connections == entry->connections &&
			plan->entries[i].pipeline == entry->pipeline &&
			plan->entries[i].threads == entry->threads &&
			plan->entries[i].requests == entry->requests &&
			plan->entries[i].rate == entry->rate &&
			plan->entries[i].arrival == entry->arrival)
			return true;
	return false;
}

/* Return: 0, or -1 after a message. */
static int append(struct plan *plan, const struct plan_entry *entry, const char *skipped)
{
	struct plan_entry *entries = reallocarray(plan->entries, plan->count + 1, sizeof(*entries));

	if (entries == NULL)
		return fail_msg("out of memory");
	plan->entries = entries;
	entries[plan->count] = *entry;
	entries[plan->count].json = make_json(entry, skipped);
	if (entries[plan->count].json == NULL)
		return fail_msg("out of memory");
	plan->count++;
	return 0;
}

/* A row for each number of threads that @of can have. */
static int append_each(struct plan *plan, const struct plan_entry *of, const char *skipped)
{
	const struct config_ints *threads = &plan->round.threads;
	size_t n = takes_threads(of->contestant) ? threads->count : 1;
	struct plan_entry entry = *of;

	for (size_t i = 0; i < n; i++) {
		entry.threads = threads->list[i];
		if (!is_there(plan, &entry) && append(plan, &entry, skipped) != 0)
			return -1;
	}
	return 0;
}

/* Rows for each level of the round. */
static int add(
	struct plan *plan, const struct suite *suite, const struct contestant *c, int64_t repeats)
{
	char skipped[REASON_MAX];
	bool missing = true;

	if (manifest_call(c, plan->round.call) == NULL)
		reason_set(skipped, "does not serve %s", plan->round.call);
	else
		missing = manifest_missing(c, &suite->paths, skipped, sizeof(skipped));
	for (size_t i = 0; i < plan->round.level_count; i++) {
		const struct round_level *level = &plan->round.levels[i];
		struct plan_entry entry = {
			.contestant = c,
			.call = missing ? NULL : manifest_call(c, plan->round.call),
			.connections = lesser(level->connections, c->max_connections),
			.pipeline = lesser(level->pipeline, c->max_pipeline),
			.requests = level->requests,
			.repeats = repeats,
			.rate = level->rate,
			.arrival = level->arrival,
			.out = missing,
		};

		if (append_each(plan, &entry, missing ? skipped : NULL) != 0)
			return -1;
	}
	return 0;
}

/* A second entry beside each of the contestant that the round measures again. */
static int add_again(struct plan *plan, bool quick)
{
	size_t count = plan->count;

	plan->not_again = NULL;
	if (plan->round.again == NULL)
		return 0;
	if (quick) {
		plan->not_again = "--quick measures nothing twice";
		return 0;
	}
	for (size_t i = 0; i < count; i++) {
		struct plan_entry entry = plan->entries[i];

		entry.again = true;
		if (!entry.out && strcmp(entry.contestant->name, plan->round.again) == 0 &&
			append(plan, &entry, NULL) != 0)
			return -1;
	}
	if (plan->count == count)
		plan->not_again = "its contestant is not among those measured";
	return 0;
}

/* The round's own contestants, then those of --manifest; or those of --only alone. */
static int add_all(struct plan *plan, const struct suite *suite, const struct plan_options *o)
{
	const struct config_at all = {.key = "contestants"};
	const struct manifests *manifests = &suite->manifests;
	int64_t repeats = o->quick ? 0 : PLAN_REPEATS;

	override(&repeats, o->repeats);
	for (size_t i = 0; plan->round.contestants[i] != NULL; i++) {
		const struct config_at at = {.parent = &all, .index = i};
		const char *name = plan->round.contestants[i];
		const struct contestant *c = manifest_find(manifests, name);

		if (c == NULL)
			return config_error(&plan->round.file, &at,
				"unknown contestant '%s'; rpcbench list shows them", name);
		if ((o->only == NULL || is_listed(o->only, name)) && !is_listed(o->skip, name) &&
			add(plan, suite, c, repeats) != 0)
			return -1;
	}
	for (size_t i = 0; i < manifests->count; i++) {
		const struct contestant *c = &manifests->list[i];

		if (is_listed(o->skip, c->name) ||
			!(is_listed(o->only, c->name) ||
				(o->only == NULL && i >= suite->own_count)))
			continue;
		if (add(plan, suite, c, repeats) != 0)
			return -1;
	}
	return 0;
}

static void tell_left_out(const struct plan *plan)
{
	for (size_t i = 0; i < plan->count; i++)
		fail_msg("%s: left out: %s", plan->entries[i].contestant->name,
			json_string_value(json_object_get(plan->entries[i].json, "skipped")));
}

int plan_make(struct plan *plan, const struct suite *suite, const struct plan_options *options,
	const char *which)
{
	*plan = (struct plan){0};
	if (round_load(&plan->round, &suite->paths, which) != 0)
		return -1;
	if (options->threads != NULL &&
		plan_parse_threads(options->threads, &plan->round.threads) != 0)
		goto err0;
	apply(plan, options);
	if (suite->manifests.count > suite->own_count)
		plan->as_written = false;
	if (check_list(suite, "only", options->only) != 0 ||
		check_list(suite, "skip", options->skip) != 0 ||
		add_all(plan, suite, options) != 0 || add_again(plan, options->quick) != 0)
		goto err0;
	if (plan_left(plan) == 0) {
		tell_left_out(plan);
		fail_msg("no contestant is left to measure");
		goto err0;
	}
	plan->order = calloc(plan->count, sizeof(*plan->order));
	if (plan->order == NULL) {
		fail_msg("out of memory");
		goto err0;
	}
	for (size_t i = 0; i < plan->count; i++)
		plan->order[i] = i;
	return 0;

err0:
	plan_free(plan);
	return -1;
}

void plan_free(struct plan *plan)
{
	for (size_t i = 0; i < plan->count; i++)
		json_decref(plan->entries[i].json);
	free(plan->entries);
	free(plan->order);
	round_free(&plan->round);
	*plan = (struct plan){0};
}

/* Fisher and Yates. */
void plan_shuffle(struct plan *plan, struct stats_random *random)
{
	for (size_t i = plan->count; i > 1; i--) {
		size_t j = stats_random_below(random, i);
		size_t held = plan->order[i - 1];

		plan->order[i - 1] = plan->order[j];
		plan->order[j] = held;
	}
}

const char *plan_entry_name(const struct plan_entry *entry, char *out)
{
	snprintf(out, PLAN_NAME, "%s%s", entry->contestant->name, entry->again ? " (again)" : "");
	return out;
}

size_t plan_left(const struct plan *plan)
{
	size_t left = 0;

	for (size_t i = 0; i < plan->count; i++)
		left += !plan->entries[i].out;
	return left;
}
