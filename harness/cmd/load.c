#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "harness/cmd/cmd.h"
#include "harness/condition.h"
#include "harness/find_max.h"
#include "harness/load/load.h"
#include "harness/load/pace.h"
#include "harness/load/target.h"
#include "harness/report/checks.h"
#include "harness/report/replace.h"
#include "harness/report/curve.h"
#include "harness/report/result.h"
#include "lib/buf.h"
#include "lib/clock.h"
#include "lib/fail.h"
#include "lib/opt.h"
#include "lib/units.h"

#define SEED_MAX    (1U << 31) /* of seeds from the clock: short enough to be typed again */
#define DURATION_NS (10 * NS_PER_S)
#define STEP_NS     (2 * NS_PER_S) /* of a search */
#define FILE_CHUNK  (64 << 10)     /* bytes of one read of a body file */

struct options {
	struct load_params params;
	struct opt_list headers;
	struct opt_list fail_if;
	struct condition_list conditions;
	int64_t requests;
	int64_t requests_per_connection;
	struct opt_list find_max;
	struct condition_list goals; /* of find_max */
	int64_t seed;                /* -1: from the clock */
	const char *body;
	const char *body_file;
	const char *expect_body;
	const char *source;
	const char *cpus;
	const char *json;
	const char *hdr;
};

static const char NO_SERVER[] = "not a process that this command started";
static const char *const arrival_names[] = {"constant", "poisson", NULL};
static const char *const verify_names[] = {"full", "length", "status", "off", NULL};

#define PARAM(field) offsetof(struct options, params.field)

static const struct opt table[] = {
	{.name = "connections",
		.letter = 'c',
		.type = OPT_INT,
		.offset = PARAM(connections),
		.arg = "N",
		.min = 1,
		.max = 1000000,
		.help = "connections, in total (10)"},
	{.name = "pipeline",
		.letter = 'p',
		.type = OPT_INT,
		.offset = PARAM(pipeline),
		.arg = "N",
		.min = 1,
		.max = 65536,
		.help = "requests in flight a connection (1)"},
	{.name = "threads",
		.letter = 't',
		.type = OPT_INT,
		.offset = PARAM(threads),
		.arg = "N",
		.min = 1,
		.max = LOAD_THREADS_MAX,
		.help = "load threads (1)"},
	{.name = "duration",
		.letter = 'd',
		.type = OPT_DURATION,
		.offset = PARAM(duration_ns),
		.arg = "TIME",
		.min = 1,
		.help = "length of the window (10s), of a step (2s)"},
	{.name = "requests",
		.letter = 'n',
		.type = OPT_INT,
		.offset = offsetof(struct options, requests),
		.arg = "N",
		.min = 1,
		.help = "end after exactly N requests instead"},
	{.name = "rate",
		.letter = 'r',
		.type = OPT_NUMBER,
		.offset = PARAM(rate),
		.arg = "N",
		.min = 1e-3,
		.max = PACE_RATE_MAX,
		.help = "open loop: N requests a second, like 500, 0.5, 20k"},
	{.name = "arrival",
		.type = OPT_CHOICE,
		.offset = PARAM(arrival),
		.arg = "HOW",
		.choices = arrival_names,
		.help = "their gaps: constant or poisson (constant)"},
	{.name = "seed",
		.type = OPT_INT,
		.offset = offsetof(struct options, seed),
		.arg = "N",
		.min = 0,
		.help = "of Poisson arrivals (from the clock)"},
	{.name = "drain",
		.type = OPT_FLAG,
		.offset = PARAM(drain),
		.help = "then wait for what is in flight, up to --timeout"},
	{.name = "find-max",
		.type = OPT_LIST,
		.offset = offsetof(struct options, find_max),
		.arg = "CONDITION",
		.help = "search the highest rate that keeps it, like 'p99<2ms'"},
	{.name = "warmup",
		.type = OPT_DURATION,
		.offset = PARAM(warmup_ns),
		.arg = "TIME",
		.help = "the same load before, not counted (0s)"},
	{.name = "timeout",
		.type = OPT_DURATION,
		.offset = PARAM(timeout_ns),
		.arg = "TIME",
		.min = 1,
		.help = "of a request, and of connecting (2s)"},
	{.name = "method",
		.letter = 'X',
		.type = OPT_STRING,
		.offset = PARAM(method),
		.arg = "NAME",
		.help = "HTTP method (GET, with a body POST)"},
	{.name = "header",
		.letter = 'H',
		.type = OPT_LIST,
		.offset = offsetof(struct options, headers),
		.arg = "'NAME: VALUE'",
		.help = "HTTP header to send, repeatable"},
	{.name = "body",
		.letter = 'b',
		.type = OPT_STRING,
		.offset = offsetof(struct options, body),
		.arg = "TEXT",
		.help = "request body; Thrift: arguments as Thrift JSON"},
	{.name = "body-file",
		.type = OPT_STRING,
		.offset = offsetof(struct options, body_file),
		.arg = "FILE",
		.help = "the same from a file"},
	{.name = "no-keepalive",
		.type = OPT_UNFLAG,
		.offset = PARAM(keep_alive),
		.help = "a new connection for each request"},
	{.name = "requests-per-connection",
		.type = OPT_INT,
		.offset = offsetof(struct options, requests_per_connection),
		.arg = "N",
		.min = 1,
		.help = "replace a connection after N requests"},
	{.name = "source",
		.type = OPT_STRING,
		.offset = offsetof(struct options, source),
		.arg = "NETWORK",
		.help = "local addresses to connect from, like 127.0.0.0/24"},
	{.name = "verify",
		.type = OPT_CHOICE,
		.offset = PARAM(verify),
		.arg = "LEVEL",
		.choices = verify_names,
		.help = "full, length, status or off (full)"},
	{.name = "expect-body",
		.type = OPT_STRING,
		.offset = offsetof(struct options, expect_body),
		.arg = "FILE",
		.help = "what each reply must carry (as the first one)"},
	{.name = "fail-if",
		.type = OPT_LIST,
		.offset = offsetof(struct options, fail_if),
		.arg = "CONDITION",
		.help = "exit status 1 unless it holds: 'p99<5ms', repeatable"},
	{.name = "json",
		.type = OPT_OPTIONAL,
		.offset = offsetof(struct options, json),
		.arg = "FILE",
		.help = "result as JSON to FILE, or instead of the text"},
	{.name = "hdr",
		.type = OPT_STRING,
		.offset = offsetof(struct options, hdr),
		.arg = "FILE",
		.help = "latencies as HdrHistogram's percentile file, in ms"},
	{.name = "cpu",
		.type = OPT_STRING,
		.offset = offsetof(struct options, cpus),
		.arg = "LIST",
		.help = "CPUs to run load threads on, like 0,2-3"},
	{0},
};

/* ------------------------------------------------------------------ options */

/* "0,2-3" */
static int parse_cpus(const char *text, cpu_set_t *cpus)
{
	const char *at = text;

	CPU_ZERO(cpus);
	while (*at != '\0') {
		char *end;
		unsigned long first = strtoul(at, &end, 10);
		unsigned long last = first;

		if (end != at && *end == '-') {
			at = end + 1;
			last = strtoul(at, &end, 10);
		}
		if (end == at || last < first || last >= CPU_SETSIZE ||
			(*end != '\0' && *end != ','))
			return fail_msg(
				"--cpu: bad list '%s', expected something like 0,2-3", text);
		for (unsigned long cpu = first; cpu <= last; cpu++)
			CPU_SET(cpu, cpus);
		at = *end == ',' ? end + 1 : end;
	}
	return 0;
}

static int read_file(const char *option, const char *path, struct buf *into)
{
	FILE *file = fopen(path, "rb");
	size_t n = 0;

	if (file == NULL)
		return fail_errno("%s: cannot open '%s'", option, path);
	do {
		into->end += n;
		if (buf_reserve(into, FILE_CHUNK) != 0)
			break;
		n = fread(buf_tail(into), 1, FILE_CHUNK, file);
	} while (n > 0);
	if (ferror(file)) {
		fail_errno("%s: cannot read '%s'", option, path);
		fclose(file);
		return -1;
	}
	fclose(file);
	return 0;
}

/* A header that could break the request apart is refused. */
static int check_headers(const struct opt_list *headers)
{
	for (size_t i = 0; i < headers->count; i++) {
		const char *header = headers->items[i];
		const char *colon = strchr(header, ':');

		if (colon == NULL || colon == header || strpbrk(header, "\r\n") != NULL ||
			strcspn(header, " \t") < (size_t)(colon - header))
			return fail_msg(
				"--header: bad header '%s', expected 'Name: value'", header);
		if (strncasecmp(header, "Transfer-Encoding:", 18) == 0)
			return fail_msg("--header: Transfer-Encoding: request bodies are sent with "
					"a Content-Length");
	}
	return 0;
}

static int load_bodies(struct options *options, struct buf *body, struct buf *expect)
{
	struct load_params *p = &options->params;

	if (options->body != NULL && options->body_file != NULL)
		return fail_msg("--body and --body-file: expected one of them");
	if (options->body_file != NULL && read_file("--body-file", options->body_file, body) != 0)
		return -1;
	if (options->body != NULL && buf_append(body, options->body, strlen(options->body)) != 0)
		return fail_errno("--body");
	p->body = (struct slice){.data = buf_head(body), .len = buf_len(body)};
	if (p->method == NULL)
		p->method = options->body != NULL || options->body_file != NULL ? "POST" : "GET";

	if (options->expect_body == NULL)
		return 0;
	if (read_file("--expect-body", options->expect_body, expect) != 0)
		return -1;
	p->expect_body = (struct slice){
		.data = buf_len(expect) > 0 ? buf_head(expect) : "",
		.len = buf_len(expect),
	};
	return 0;
}

/* A search runs in many steps, each for a time; else the duration is that of the one run. */
static int settle_search(struct options *options)
{
	bool searches = options->find_max.count > 0;

	if (searches && options->requests > 0)
		return fail_msg("--find-max: expected --duration, not --requests");
	if (searches && options->fail_if.count > 0)
		return fail_msg("--find-max: expected no --fail-if beside it");
	if (searches && options->hdr != NULL)
		return fail_msg("--find-max: expected no --hdr beside it");
	if (options->params.duration_ns == 0)
		options->params.duration_ns = searches ? STEP_NS : DURATION_NS;
	return condition_list_parse(&options->goals, "--find-max", &options->find_max);
}

/* Options that only make sense together. Called after opt_parse(). */
/* Whether the file can be written is found before the load. */
static int check_writable(const char *path)
{
	FILE *out;

	if (path == NULL || path[0] == '\0')
		return 0;
	out = fopen(path, "ae");
	if (out == NULL)
		return fail_errno("cannot write %s", path);
	fclose(out);
	return 0;
}

static int settle_options(struct options *options)
{
	struct load_params *p = &options->params;

	p->requests = (uint64_t)options->requests;
	p->requests_per_connection = (uint64_t)options->requests_per_connection;
	p->headers = options->headers.items;
	p->seed = options->seed >= 0 ? (uint64_t)options->seed : (uint64_t)clock_ns() % SEED_MAX;
	if (options->headers.count == OPT_LIST_MAX)
		return fail_msg("--header: given more than %d times", OPT_LIST_MAX - 1);
	if (p->method != NULL &&
		(p->method[0] == '\0' ||
			strspn(p->method, "ABCDEFGHIJKLMNOPQRSTUVWXYZ-") != strlen(p->method)))
		return fail_msg(
			"--method: bad method '%s', expected upper-case letters", p->method);
	if (p->expect_body.data != NULL && p->verify > VERIFY_LENGTH)
		return fail_msg("--expect-body: expected --verify=full or length");
	if (options->source != NULL && source_parse(options->source, &p->source) != 0)
		return -1;
	if (p->rate <= 0 && options->find_max.count == 0 && p->arrival != PACE_CONSTANT)
		return fail_msg("--arrival: expected a --rate or --find-max to go with it");
	p->pin = options->cpus != NULL;
	if (p->pin && parse_cpus(options->cpus, &p->cpus) != 0)
		return -1;
	if (settle_search(options) != 0 ||
		condition_list_parse(&options->conditions, "--fail-if", &options->fail_if) != 0)
		return -1;
	if (check_headers(&options->headers) != 0)
		return -1;
	return check_writable(options->json) != 0 ? -1 : check_writable(options->hdr);
}

/* ------------------------------------------------------------------ progress */

static volatile sig_atomic_t interrupted;

static void on_signal(int number)
{
	(void)number;
	interrupted = 1;
}

static int show_progress(void *ctx, const struct load_progress *progress)
{
	const bool *live = ctx;
	char elapsed[UNITS_TEXT];
	char total[UNITS_TEXT];
	char ok[UNITS_TEXT];

	if (*live) {
		units_duration((double)progress->elapsed_ns, elapsed);
		units_duration((double)progress->total_ns, total);
		units_count((double)progress->ok, ok);
		fprintf(stderr, "\r%s: %s%s%s, %s replies\033[K",
			progress->warming_up ? "warming up" : "measuring", elapsed,
			progress->total_ns > 0 ? " of " : "", progress->total_ns > 0 ? total : "",
			ok);
	}
	return interrupted;
}

static int measure(const struct load_params *params, struct load_result *result)
{
	struct sigaction action = {.sa_handler = on_signal};
	bool live = isatty(STDERR_FILENO) == 1;
	struct load_watch watch = {.ctx = &live, .progress = show_progress};
	int ret;

	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	ret = load_run(params, &watch, result);
	if (live)
		fprintf(stderr, "\r\033[K");
	return ret;
}

/* ------------------------------------------------------------------ result */

/* What did not hold, where the text does not say it. */
static void tell_unmet(const json_t *trial)
{
	char line[CONDITION_LINE];
	const json_t *outcome;
	size_t i;

	json_array_foreach (json_object_get(trial, "conditions"), i, outcome)
		if (!json_is_true(json_object_get(outcome, "held")))
			fail_msg("fail-if: %s", condition_line(outcome, line));
}

static int print_hdr(const void *trial, FILE *out)
{
	return report_hdr(trial, out);
}

static int print_json(const struct options *options, const json_t *record)
{
	if (options->json == NULL)
		return 0;
	if (options->json[0] != '\0')
		return result_save(record, options->json);
	if (result_print(record, stdout) != 0 || fflush(stdout) != 0)
		return fail_errno("cannot write the result");
	return 0;
}

/* As text, unless JSON was asked for instead. */
static bool prints_text(const struct options *options)
{
	return options->json == NULL || options->json[0] != '\0';
}

static int exit_status(const struct load_result *result)
{
	const struct record *record = result->record;

	if (record->established == 0 || record->sent == 0)
		return EXIT_UNMEASURED;
	if (record_failed(record) > 0 || record->outcomes[OUT_OK] == 0)
		return EXIT_FAILURES;
	for (size_t i = OUT_REQUEST_KINDS; i < OUT_KINDS; i++)
		if (record->outcomes[i] > 0)
			return EXIT_FAILURES;
	return EXIT_FINE;
}

static int run_and_report(const struct options *options)
{
	struct load_result result;
	json_t *trial;
	int status = EXIT_UNMEASURED;
	int unmet = -1;

	if (measure(&options->params, &result) != 0)
		return EXIT_UNMEASURED;
	trial = result_trial(&options->params, &result, NULL, NULL, NO_SERVER);
	if (trial != NULL)
		unmet = condition_list_check(&options->conditions, trial, trial);
	if (unmet >= 0 && prints_text(options))
		report_trial(trial, stdout);
	else if (unmet >= 0)
		tell_unmet(trial);
	if (unmet >= 0 && options->hdr != NULL && replace_file(options->hdr, print_hdr, trial) != 0)
		unmet = -1;
	if (unmet >= 0 && print_json(options, trial) == 0)
		status = exit_status(&result);
	if (status == EXIT_FINE && (unmet > 0 || checks_failed(trial) > 0))
		status = EXIT_FAILURES;
	json_decref(trial);
	load_result_free(&result);
	return status;
}

/* ------------------------------------------------------------------ a search */

static json_t *measure_step(void *ctx, const struct load_params *params)
{
	struct load_result result;
	json_t *trial;

	(void)ctx;
	if (measure(params, &result) != 0)
		return NULL;
	trial = result_trial(params, &result, NULL, NULL, NO_SERVER);
	load_result_free(&result);
	return trial;
}

static int search_and_report(const struct options *options, json_t *command)
{
	const struct find_max_params params = {
		.load = &options->params,
		.conditions = &options->goals,
		.measure = measure_step,
		.progress = stderr,
	};
	json_t *record = find_max(&params);
	int status = EXIT_UNMEASURED;

	if (record != NULL)
		json_object_set(record, "command", command);
	if (record != NULL && prints_text(options))
		curve_console(record, stdout);
	if (record != NULL && print_json(options, record) == 0) {
		if (json_is_number(json_object_get(record, "max_rate")))
			status = EXIT_FINE;
		else if (json_array_size(json_object_get(record, "steps")) > 0 && !interrupted)
			status = EXIT_FAILURES;
	}
	json_decref(record);
	return status;
}

int cmd_load(int argc, char **argv)
{
	struct options options = {
		.seed = -1,
		.params =
			{
				.connections = 10,
				.pipeline = 1,
				.threads = 1,
				.timeout_ns = 2 * NS_PER_S,
				.keep_alive = true,
			},
	};
	struct target target = {0};
	struct buf body = {0};
	struct buf expect = {0};
	json_t *command;
	int status;
	int first;

	status = cmd_parse(table, &options, "rpcbench load [OPTIONS] URL", argc, argv, &first);
	if (status != CMD_GO_ON)
		return status;
	status = EXIT_USAGE;
	if (argc - first != 1) {
		fail_msg("expected one URL, got %d; rpcbench load --help explains", argc - first);
		return EXIT_USAGE;
	}
	if (settle_options(&options) == 0 && load_bodies(&options, &body, &expect) == 0 &&
		target_parse(argv[first], &target) == 0) {
		options.params.target = &target;
		command = cmd_typed(argc, argv);
		status = options.find_max.count > 0 ? search_and_report(&options, command)
						    : run_and_report(&options);
		json_decref(command);
	}
	target_free(&target);
	buf_free(&body);
	buf_free(&expect);
	return status;
}
