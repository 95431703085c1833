/*
 * cmd_run
 *   options -> suite_open -> plan_make -> record_begin
 *   run_trials: for each trial, all contestants in a new random order: run_one
 *   finish: summary, table, RESULTS/ROUND.json, .md and charts
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "harness/calibrate.h"
#include "harness/call.h"
#include "harness/cmd/cmd.h"
#include "harness/condition.h"
#include "harness/host.h"
#include "harness/interrupt.h"
#include "harness/pin.h"
#include "harness/plan.h"
#include "harness/progress.h"
#include "harness/report/build.h"
#include "harness/report/page.h"
#include "harness/report/result.h"
#include "harness/runs.h"
#include "harness/store.h"
#include "harness/suite.h"
#include "harness/trial.h"
#include "harness/stats/stats.h"
#include "lib/buf.h"
#include "lib/fail.h"
#include "lib/opt.h"
#include "lib/units.h"

#define OVERHEAD_NS (400 * NS_PER_MS) /* of a trial: start, verification, stop; a first guess */

struct run_options {
	struct plan_options plan;
	struct opt_list manifests;
	struct opt_list fail_if;
	const char *out;
	int64_t seed;
	int color;
	bool pin;
};

#define PLAN(field) offsetof(struct run_options, plan.field)

static const struct opt options_table[] = {
	{.name = "only",
		.type = OPT_STRING,
		.offset = PLAN(only),
		.arg = "LIST",
		.help = "these contestants of rpcbench list alone"},
	{.name = "skip",
		.type = OPT_STRING,
		.offset = PLAN(skip),
		.arg = "LIST",
		.help = "not these"},
	{.name = "manifest",
		.type = OPT_LIST,
		.offset = offsetof(struct run_options, manifests),
		.arg = "FILE",
		.help = "add its contestants; may be given several times"},
	{.name = "quick",
		.type = OPT_FLAG,
		.offset = PLAN(quick),
		.help = "2 trials of 1s after 300ms of warm-up"},
	{.name = "trials",
		.type = OPT_INT,
		.offset = PLAN(trials),
		.arg = "N",
		.min = 1,
		.max = 1000,
		.help = "of each contestant (as the round says)"},
	{.name = "duration",
		.letter = 'd',
		.type = OPT_DURATION,
		.offset = PLAN(duration_ns),
		.arg = "TIME",
		.min = 1,
		.help = "of what is measured in a trial"},
	{.name = "warmup",
		.type = OPT_DURATION,
		.offset = PLAN(warmup_ns),
		.arg = "TIME",
		.help = "the same load before, not counted"},
	{.name = "connections",
		.letter = 'c',
		.type = OPT_INT,
		.offset = PLAN(connections),
		.arg = "N",
		.min = 1,
		.max = 1000000,
		.help = "instead of the round's"},
	{.name = "pipeline",
		.letter = 'p',
		.type = OPT_INT,
		.offset = PLAN(pipeline),
		.arg = "N",
		.min = 1,
		.max = 65536,
		.help = "requests in flight a connection"},
	{.name = "threads",
		.letter = 't',
		.type = OPT_STRING,
		.offset = PLAN(threads),
		.arg = "LIST",
		.help = "of each server, like 1,2: a row for each number, and how it scales"},
	{.name = "repeats",
		.type = OPT_INT,
		.offset = PLAN(repeats),
		.arg = "N",
		.max = 1000,
		.help = "of trials that the machine disturbed, of each contestant (2)"},
	{.name = "seed",
		.type = OPT_INT,
		.offset = offsetof(struct run_options, seed),
		.arg = "N",
		.max = 9007199254740991,
		.help = "of the order of contestants (random)"},
	{.name = "no-pin",
		.type = OPT_UNFLAG,
		.offset = offsetof(struct run_options, pin),
		.help = "let server and client run on any CPU"},
	CMD_COLOR_OPTION(struct run_options, color),
	{.name = "fail-if",
		.type = OPT_LIST,
		.offset = offsetof(struct run_options, fail_if),
		.arg = "CONDITION",
		.help = "exit status 1 unless it holds for all: 'p99<5ms', repeatable"},
	{.name = "out",
		.letter = 'o',
		.type = OPT_STRING,
		.offset = offsetof(struct run_options, out),
		.arg = "DIR",
		.help = "for the results (results/; build/results/ of a changed round)"},
	{0},
};

/** struct session - A round while it runs. */
struct session {
	struct suite suite;
	struct plan plan;
	struct call call;
	struct pin pin;
	struct progress progress;
	struct condition_list conditions;
	bool unmet; /* one of them, by a contestant */
	int color;
	json_t *record;
	struct store store;
	uint64_t seed;
	int64_t started_ns;
};

/* ------------------------------------------------------------------ before */

static int open_store(struct session *s, const struct run_options *options)
{
	char *folder = paths_results(&s->suite.paths, options->out, s->plan.as_written);
	int status = -1;

	if (folder == NULL)
		fail_msg("out of memory");
	else
		status = store_open(&s->store, folder, s->plan.round.name);
	free(folder);
	return status;
}

/* What its tables show, for those who render the record. */
static void put_columns(json_t *record, const char *const *columns)
{
	json_t *names = json_array();

	for (; *columns != NULL; columns++)
		json_array_append_new(names, json_string(*columns));
	json_object_set_new(record, "columns", names);
}

/* A number, or a list of several. */
static json_t *thread_counts(const struct config_ints *threads)
{
	json_t *list;

	if (threads->count == 1)
		return json_integer(threads->list[0]);
	list = json_array();
	for (size_t i = 0; i < threads->count; i++)
		json_array_append_new(list, json_integer(threads->list[i]));
	return list;
}

static json_t *parameters(const struct round *round)
{
	return json_pack("{s:s, s:I, s:f, s:f, s:f, s:o}", "call", round->call, "trials",
		(json_int_t)round->trials, "duration_s", (double)round->duration_ns / NS_PER_S,
		"warmup_s", (double)round->warmup_ns / NS_PER_S, "timeout_s",
		(double)round->timeout_ns / NS_PER_S, "server_threads",
		thread_counts(&round->threads));
}

/* @again: the second entries, taken. */
static int put_again(struct session *s, json_t *again)
{
	struct build b = {.object = s->record};

	if (s->plan.not_again != NULL)
		build_absent(&b, "again", s->plan.not_again);
	else if (json_array_size(again) > 0)
		build_put(&b, "again", json_incref(again));
	json_decref(again);
	return b.failed ? -1 : 0;
}

static int record_begin(struct session *s, bool quick, json_t *command)
{
	const struct round *round = &s->plan.round;
	int64_t cpus = s->pin.server_count;
	json_t *environment = host_environment(&s->suite.paths, &s->pin);
	json_t *list = json_array();
	json_t *again = json_array();
	time_t now = time(NULL);
	struct tm utc;
	char started[32];

	strftime(started, sizeof(started), "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
	for (size_t i = 0; i < s->plan.count; i++) {
		json_t *entry = s->plan.entries[i].json;
		int64_t threads = s->plan.entries[i].threads;

		json_object_set_new(
			entry, "server_cpus", json_integer(threads < cpus ? threads : cpus));
		json_array_append(s->plan.entries[i].again ? again : list, entry);
	}
	/* It is interrupted until it is whole: the run may be killed. */
	s->record = json_pack("{s:s, s:s, s:s, s:s, s:s, s:o, s:I, s:b, s:b, s:o, s:o, s:o}",
		"schema", RESULT_SCHEMA, "rpcbench", RPCBENCH_VERSION, "round", round->name,
		"title", round->title, "started_at", started, "command", command, "seed",
		(json_int_t)s->seed, "quick", quick, "interrupted", true, "parameters",
		parameters(round), "environment", environment, "contestants", list);
	if (s->record == NULL || put_again(s, again) != 0)
		return fail_msg("out of memory");
	if (round->columns != NULL)
		put_columns(s->record, round->columns);
	if (round->ratios != NULL)
		json_object_set_new(s->record, "ratios", json_deep_copy(round->ratios));
	return 0;
}

static int session_open(struct session *s, const struct run_options *options, const char *round)
{
	if (condition_list_parse(&s->conditions, "--fail-if", &options->fail_if) != 0 ||
		suite_open(&s->suite, &options->manifests) != 0 ||
		plan_make(&s->plan, &s->suite, &options->plan, round) != 0 ||
		call_load(&s->call, &s->suite.paths, s->plan.round.call) != 0)
		return -1;
	s->color = options->color;
	s->seed = (uint64_t)options->seed;
	if (options->seed < 0) {
		uint32_t random = 0;

		if (getrandom(&random, sizeof(random), 0) != sizeof(random))
			return fail_errno("getrandom");
		s->seed = random;
	}
	pin_plan(&s->pin, options->pin, plan_most_threads(&s->plan.round));
	return open_store(s, options);
}

static void session_close(struct session *s)
{
	json_decref(s->record);
	store_close(&s->store);
	call_free(&s->call);
	plan_free(&s->plan);
	suite_close(&s->suite);
}

/* ------------------------------------------------------------------ trials */

/* "http-json", and its load where the round has several. */
static void label(const struct session *s, const struct plan_entry *entry, int64_t trial, char *out,
	size_t size)
{
	char load[80] = "";
	char name[PLAN_NAME];

	if (s->plan.round.level_count > 1)
		snprintf(load, sizeof(load), " %lld×%lld%s", (long long)entry->connections,
			(long long)entry->pipeline, entry->requests > 0 ? " counted" : "");
	if (entry->rate > 0)
		snprintf(load + strlen(load), sizeof(load) - strlen(load), " at %g/s", entry->rate);
	if (s->plan.round.threads.count > 1)
		snprintf(load + strlen(load), sizeof(load) - strlen(load), ", %lld thread%s",
			(long long)entry->threads, entry->threads == 1 ? "" : "s");
	snprintf(out, size, "%.42s%s trial %lld of %lld", plan_entry_name(entry, name), load,
		(long long)trial, (long long)s->plan.round.trials);
}

static void tell_outcome(
	struct session *s, struct plan_entry *entry, enum trial_end end, const struct trial *trial)
{
	const char *why = json_string_value(json_object_get(trial->json, "failure"));
	double rps = json_number_value(json_object_get(trial->json, "rps"));
	char count[UNITS_TEXT];
	char text[64];
	char name[PLAN_NAME];

	snprintf(text, sizeof(text), "%s requests/s", units_count(rps, count));
	progress_done(&s->progress, end == TRIAL_FAILED        ? "failed"
				    : end == TRIAL_INTERRUPTED ? "interrupted"
							       : text);
	if (end != TRIAL_FAILED)
		return;
	plan_entry_name(entry, name);
	fail_msg("%s: %s", name, why);
	if (trial->log[0] == '\0')
		return;
	fail_msg("%s: its output is in %s", name, trial->log);
	json_object_set_new(
		entry->json, "log", json_string(paths_short(&s->suite.paths, trial->log)));
}

/* What is left of a trial that is repeated. */
static void set_aside(
	struct session *s, struct plan_entry *entry, struct trial *trial, json_t *started_s)
{
	json_t *list = json_object_get(entry->json, "repeated");
	char name[PLAN_NAME];

	progress_clear(&s->progress);
	fail_msg("%s: disturbed, and repeated: %s", plan_entry_name(entry, name), trial->disturbed);
	if (list == NULL) {
		list = json_array();
		json_object_set_new(entry->json, "repeated", list);
	}
	json_array_append_new(list, json_pack("{s:o, s:O?, s:O?}", "started_s", started_s, "rps",
					    json_object_get(trial->json, "rps"), "disturbance",
					    json_object_get(trial->json, "disturbance")));
	json_decref(trial->json);
	entry->repeats--;
}

/* Return: 1 to try again, 0 to go on, -1 to end the round. */
static int attempt(struct session *s, struct plan_entry *entry, int64_t number, int64_t order)
{
	const struct trial_params params = {
		.suite = &s->suite,
		.round = &s->plan.round,
		.call = &s->call,
		.entry = entry,
		.pin = &s->pin,
		.seed = (s->seed + (uint64_t)number) & UINT32_MAX,
		.progress = &s->progress,
	};
	int64_t started_ms = (clock_ns() - s->started_ns) / NS_PER_MS;
	struct trial trial;
	enum trial_end end = trial_run(&params, &trial);

	if (end == TRIAL_MEASURED && trial.disturbed[0] != '\0' && entry->repeats > 0) {
		set_aside(s, entry, &trial, json_real((double)started_ms / 1e3));
		return 1;
	}
	tell_outcome(s, entry, end, &trial);
	if (end == TRIAL_INTERRUPTED)
		return -1;
	/* A contestant that failed once would be a row of fewer trials: it takes no further part.
	 */
	if (end == TRIAL_FAILED) {
		entry->out = true;
		s->progress.total -= (size_t)(s->plan.round.trials - number);
	}
	json_object_set_new(trial.json, "order", json_integer(order));
	json_object_set_new(trial.json, "started_s", json_real((double)started_ms / 1e3));
	json_array_append_new(json_object_get(entry->json, "trials"), trial.json);
	store_save(&s->store, s->record);
	return 0;
}

/* Return: 0 to go on, -1 to end the round. */
static int run_one(struct session *s, struct plan_entry *entry, int64_t number, int64_t order)
{
	char text[160];
	int status;

	label(s, entry, number, text, sizeof(text));
	progress_trial(&s->progress, text);
	do
		status = attempt(s, entry, number, order);
	while (status > 0);
	return status;
}

/* Return: 0, or -1 when the round ended early. */
static int run_trials(struct session *s)
{
	const struct round *round = &s->plan.round;
	struct stats_random random = {.state = s->seed};

	for (int64_t number = 1; number <= round->trials; number++) {
		int64_t order = 1;

		plan_shuffle(&s->plan, &random);
		for (size_t i = 0; i < s->plan.count; i++) {
			struct plan_entry *entry = &s->plan.entries[s->plan.order[i]];

			if (!entry->out && run_one(s, entry, number, order++) != 0)
				return -1;
		}
	}
	return 0;
}

static void announce(const struct session *s)
{
	const struct round *round = &s->plan.round;
	char duration[UNITS_TEXT];
	char warmup[UNITS_TEXT];
	size_t rows = plan_left(&s->plan);

	fprintf(stderr, "%s: %s\n", round->name, round->title);
	for (size_t i = 0; i < s->plan.count; i++) {
		const struct plan_entry *entry = &s->plan.entries[i];

		if (entry->out)
			fprintf(stderr, "left out: %s %s\n", entry->contestant->name,
				json_string_value(json_object_get(entry->json, "skipped")));
		rows -= entry->again && !entry->out;
	}
	fprintf(stderr, "%zu contestant%s, %lld trial%s of %s after %s of warm-up\n", rows,
		rows == 1 ? "" : "s", (long long)round->trials, round->trials == 1 ? "" : "s",
		units_duration((double)round->duration_ns, duration),
		units_duration((double)round->warmup_ns, warmup));
	if (plan_most_threads(round) > s->pin.server_count)
		fprintf(stderr, "more threads than CPUs: the server has %d\n", s->pin.server_count);
	if (s->plan.not_again != NULL)
		fprintf(stderr, "no noise floor: %s\n", s->plan.not_again);
	else if (round->again != NULL)
		fprintf(stderr, "%s is measured twice, for the noise floor\n", round->again);
}

/* ------------------------------------------------------------------ after */

/* The conditions of each contestant that took part. Return: 0, or -1 after a message. */
static int check_conditions(struct session *s)
{
	for (size_t i = 0; i < s->plan.count; i++) {
		json_t *json = s->plan.entries[i].json;
		int unmet;

		if (s->plan.entries[i].again || json_is_string(json_object_get(json, "skipped")))
			continue;
		unmet = condition_list_check(
			&s->conditions, json_object_get(json, "summary"), json);
		if (unmet < 0)
			return -1;
		s->unmet |= unmet > 0;
	}
	return 0;
}

/* Return: 0, or -1 after a message: they are not all where they belong. */
static int write_results(struct session *s)
{
	int status = 0;

	if (result_summarise(s->record) != 0 || check_conditions(s) != 0)
		status = -1;
	else
		report_console(s->record, stdout, cmd_width(), cmd_color(s->color));
	if (fflush(stdout) != 0)
		status = fail_errno("cannot print the table");
	if (store_finish(&s->store, s->record) != 0)
		return -1;
	if (s->plan.as_written && page_write(s->store.folder) != 0)
		return -1;
	return status;
}

static int exit_status(const struct session *s, bool written)
{
	bool failed = !written;
	bool measured = false;

	for (size_t i = 0; i < s->plan.count; i++) {
		const json_t *json = s->plan.entries[i].json;
		const json_t *summary = json_object_get(json, "summary");

		measured |= json_integer_value(json_object_get(summary, "trials")) > 0;
		failed |= !json_is_string(json_object_get(json, "skipped")) &&
			  json_is_string(json_object_get(summary, "failure"));
		failed |= json_object_size(json_object_get(summary, "checks_failed")) > 0;
	}
	if (interrupt_signal() != 0)
		return EXIT_SIGNAL + interrupt_signal();
	if (!measured)
		return EXIT_UNMEASURED;
	return failed || s->unmet ? EXIT_FAILURES : EXIT_FINE;
}

static int run_round(struct session *s, bool quick, json_t *command)
{
	const struct round *round = &s->plan.round;

	if (record_begin(s, quick, command) != 0)
		return EXIT_UNMEASURED;
	runs_open(json_string_value(json_object_get(s->record, "command")) ?: "rpcbench run");
	interrupt_install();
	pin_self(&s->pin);
	announce(s);
	s->started_ns = clock_ns();
	progress_begin(&s->progress, plan_left(&s->plan) * (size_t)round->trials,
		round->duration_ns + round->warmup_ns + OVERHEAD_NS);
	progress_stage(&s->progress, "calibrating");
	if (json_object_set_new(
		    s->record, "calibration", calibrate(&s->suite, &s->plan, &s->pin)) != 0)
		return EXIT_UNMEASURED;
	run_trials(s);
	json_object_set_new(s->record, "interrupted", json_boolean(interrupt_signal() != 0));
	runs_close();
	return exit_status(s, write_results(s) == 0);
}

int cmd_run(int argc, char **argv)
{
	struct run_options options = {
		.plan = {.trials = -1,
			.duration_ns = -1,
			.warmup_ns = -1,
			.connections = -1,
			.pipeline = -1,
			.repeats = -1},
		.seed = -1,
		.pin = true,
	};
	json_t *command = cmd_typed(argc, argv);
	struct session session = {0};
	int status;
	int first;

	status = cmd_parse(
		options_table, &options, "rpcbench run [OPTIONS] ROUND", argc, argv, &first);
	if (status != CMD_GO_ON)
		goto out;
	status = EXIT_USAGE;
	if (argc - first != 1) {
		fail_msg("expected one round, got %d; rpcbench list shows them", argc - first);
		goto out;
	}
	if (session_open(&session, &options, argv[first]) == 0)
		status = run_round(&session, options.plan.quick, json_incref(command));
out:
	session_close(&session);
	json_decref(command);
	return status;
}
