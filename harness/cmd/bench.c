#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "harness/bench.h"
#include "harness/cmd/cmd.h"
#include "harness/compare.h"
#include "harness/host.h"
#include "harness/interrupt.h"
#include "harness/pin.h"
#include "harness/progress.h"
#include "harness/report/build.h"
#include "harness/report/peers.h"
#include "harness/report/replace.h"
#include "harness/report/result.h"
#include "harness/runs.h"
#include "harness/suite.h"
#include "lib/clock.h"
#include "lib/fail.h"
#include "lib/opt.h"

#define OVERHEAD_NS (400 * NS_PER_MS) /* of a trial: start, verification, stop; a first guess */

struct options {
	const char *only;
	const char *out;
	int64_t pairs;
	int64_t duration_ns;
	bool pin;
};

static const struct opt options_table[] = {
	{.name = "only",
		.type = OPT_STRING,
		.offset = offsetof(struct options, only),
		.arg = "TEXT",
		.help = "comparisons whose name begins with it"},
	{.name = "pairs",
		.type = OPT_INT,
		.offset = offsetof(struct options, pairs),
		.arg = "N",
		.min = 2,
		.max = 1000,
		.help = "of trials (as the plan says)"},
	{.name = "duration",
		.letter = 'd',
		.type = OPT_DURATION,
		.offset = offsetof(struct options, duration_ns),
		.arg = "TIME",
		.min = 1,
		.help = "of a trial (as the plan says)"},
	{.name = "no-pin",
		.type = OPT_UNFLAG,
		.offset = offsetof(struct options, pin),
		.help = "let server and client run on any CPU"},
	{.name = "out",
		.letter = 'o',
		.type = OPT_STRING,
		.offset = offsetof(struct options, out),
		.arg = "DIR",
		.help = "for PLAN.json and PLAN.md (results/; build/results/ where options change "
			"the plan)"},
	{0},
};

/** struct session - The plan while it runs. */
struct session {
	const struct options *options;
	struct suite suite;
	struct bench bench;
	struct pin pin;
	struct progress progress;
	json_t *record;
	char *json_path;
	char *page_path;
};

static bool is_chosen(const struct session *s, const struct bench_comparison *c)
{
	const char *only = s->options->only;

	return only == NULL || strncmp(c->name, only, strlen(only)) == 0;
}

static size_t count_chosen(const struct session *s)
{
	size_t n = 0;

	for (size_t i = 0; i < s->bench.count; i++)
		n += is_chosen(s, &s->bench.comparisons[i]);
	return n;
}

static int make_paths(struct session *s)
{
	const struct options *o = s->options;
	bool as_written = o->only == NULL && o->pairs == 0 && o->duration_ns == 0;
	char *folder = paths_results(&s->suite.paths, o->out, as_written);
	int status = -1;

	if (folder == NULL || asprintf(&s->json_path, "%s/%s.json", folder, s->bench.name) < 0 ||
		asprintf(&s->page_path, "%s/%s.md", folder, s->bench.name) < 0)
		fail_msg("out of memory");
	else if (paths_make(folder) != 0 || access(folder, W_OK) != 0)
		fail_errno("cannot write to the folder %s", folder);
	else
		status = 0;
	free(folder);
	return status;
}

static int session_open(struct session *s, const char *plan)
{
	const struct options *o = s->options;
	char own[PATH_MAX];

	if (suite_open(&s->suite, &(struct opt_list){0}) != 0)
		return -1;
	snprintf(own, sizeof(own), "%s/harness/plans/peers.json", s->suite.paths.root);
	if (bench_load(&s->bench, &s->suite.paths, plan != NULL ? plan : own) != 0)
		return -1;
	if (o->pairs != 0)
		s->bench.pairs = o->pairs;
	if (o->duration_ns != 0)
		s->bench.duration_ns = o->duration_ns;
	if (count_chosen(s) == 0)
		return fail_msg("--only %s: no comparison's name begins with it", o->only);
	pin_plan(&s->pin, o->pin, 1);
	return make_paths(s);
}

static void session_close(struct session *s)
{
	json_decref(s->record);
	free(s->json_path);
	free(s->page_path);
	bench_free(&s->bench);
	suite_close(&s->suite);
}

static int record_begin(struct session *s)
{
	struct build b = build_begin();
	time_t now = time(NULL);
	struct tm utc;
	char started[32];

	strftime(started, sizeof(started), "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
	build_text(&b, "schema", PEERS_SCHEMA);
	build_text(&b, "plan", s->bench.name);
	build_text(&b, "title", s->bench.title);
	build_text(&b, "started_at", started);
	build_put(&b, "environment", host_environment(&s->suite.paths, &s->pin));
	build_count(&b, "pairs", (uint64_t)s->bench.pairs);
	build_number(&b, "duration_s", (double)s->bench.duration_ns / NS_PER_S);
	build_number(&b, "warmup_s", (double)s->bench.warmup_ns / NS_PER_S);
	build_count(&b, "seed", COMPARE_SEED);
	build_put(&b, "comparisons", json_array());
	s->record = build_end(&b);
	return s->record != NULL ? 0 : fail_msg("out of memory");
}

/* Return: 0, or -1 when it ended early. */
static int run_all(struct session *s)
{
	const struct compare_params params = {
		.suite = &s->suite,
		.bench = &s->bench,
		.pin = &s->pin,
		.progress = &s->progress,
	};

	for (size_t i = 0; i < s->bench.count; i++) {
		const struct bench_comparison *c = &s->bench.comparisons[i];
		json_t *json;

		if (!is_chosen(s, c))
			continue;
		json = compare_run(&params, c);
		if (json == NULL)
			return -1;
		if (json_is_null(json_object_get(json, "reached")))
			fail_msg("%s is left out: %s", c->name,
				json_string_value(json_object_get(json, "reached_reason")));
		json_array_append_new(json_object_get(s->record, "comparisons"), json);
		if (result_save(s->record, s->json_path) != 0)
			return -1;
	}
	return 0;
}

static int print_page(const void *ctx, FILE *out)
{
	peers_print(ctx, out);
	return 0;
}

static int run_plan(struct session *s)
{
	size_t trials = 2 * count_chosen(s) * (size_t)s->bench.pairs;
	int status;

	if (record_begin(s) != 0)
		return EXIT_UNMEASURED;
	runs_open("rpcbench bench");
	interrupt_install();
	pin_self(&s->pin);
	progress_begin(
		&s->progress, trials, s->bench.duration_ns + s->bench.warmup_ns + OVERHEAD_NS);
	status = run_all(s);
	runs_close();
	if (interrupt_signal() != 0)
		return EXIT_SIGNAL + interrupt_signal();
	if (status != 0 || replace_file(s->page_path, print_page, s->record) != 0)
		return EXIT_UNMEASURED;
	peers_print(s->record, stdout);
	fprintf(stderr, "wrote %s and %s\n", s->json_path, s->page_path);
	return EXIT_FINE;
}

int cmd_bench(int argc, char **argv)
{
	struct options options = {.pin = true};
	struct session session = {.options = &options};
	int status;
	int first;

	status = cmd_parse(options_table, &options, "rpcbench bench [OPTIONS] [PLAN.json]", argc,
		argv, &first);
	if (status != CMD_GO_ON)
		return status;
	status = EXIT_USAGE;
	if (argc - first > 1)
		fail_msg("expected one plan, got %d", argc - first);
	else if (session_open(&session, first < argc ? argv[first] : NULL) == 0)
		status = run_plan(&session);
	session_close(&session);
	return status;
}
