#include <glob.h>
#include <limits.h>
#include <string.h>

#include "harness/cmd/cmd.h"
#include "harness/report/curve.h"
#include "harness/report/document.h"
#include "harness/report/overview.h"
#include "harness/report/page.h"
#include "harness/report/peers.h"
#include "harness/report/publish.h"
#include "harness/report/replace.h"
#include "harness/report/result.h"
#include "harness/report/summary.h"
#include "harness/report/view.h"
#include "lib/fail.h"
#include "lib/opt.h"

#define USAGE    "rpcbench report [OPTIONS] [FILE.json …]   (default: results/*.json)"
#define PATTERN  "results/*.json"
#define OVERVIEW "results/overview.md"
#define INDEX    "results/" PAGE_NAME

struct report_options {
	bool console;
	int color;
	struct document document;
	const char *out;
};

static const struct opt options_table[] = {
	{.name = "console",
		.type = OPT_FLAG,
		.offset = offsetof(struct report_options, console),
		.help = "print the tables, too"},
	{.name = "format",
		.type = OPT_CHOICE,
		.offset = offsetof(struct report_options, document.format),
		.arg = "NAME",
		.choices = document_names,
		.help = "print the records as md, csv, json or html, and write no pages"},
	{.name = "view",
		.type = OPT_CHOICE,
		.offset = offsetof(struct report_options, document.view),
		.arg = "NAME",
		.choices = view_names,
		.help = "print them with the columns of autocannon, wrk, loadtest or gobench"},
	{.name = "trials",
		.type = OPT_FLAG,
		.offset = offsetof(struct report_options, document.trials),
		.help = "with --format csv: a row for each trial"},
	{.name = "out",
		.letter = 'o',
		.type = OPT_STRING,
		.offset = offsetof(struct report_options, out),
		.arg = "FILE",
		.help = "with --format and --view: print to this file"},
	CMD_COLOR_OPTION(struct report_options, color),
	{0},
};

static int print_peers(const void *ctx, FILE *out)
{
	peers_print(ctx, out);
	return 0;
}

/* FILE for FILE.json. Return: 0, or -1 after a message. */
static int stem_of(const char *path, char *stem, size_t size)
{
	size_t len = strlen(path);

	if (len > 5 && strcmp(path + len - 5, ".json") == 0)
		len -= 5;
	if (snprintf(stem, size, "%.*s", (int)len, path) >= (int)size)
		return fail_msg("%s: the name is too long", path);
	return 0;
}

/* The record of rpcbench bench. */
static int render_peers(
	const json_t *record, const char *stem, const struct report_options *options)
{
	char page[PATH_MAX];

	if (snprintf(page, sizeof(page), "%s.md", stem) >= (int)sizeof(page))
		return fail_msg("%s: the name is too long", stem);
	if (options->console)
		peers_print(record, stdout);
	return replace_file(page, print_peers, record);
}

/* The record of rpcbench load --find-max. */
static int render_curve(
	const json_t *record, const char *stem, const struct report_options *options)
{
	if (options->console)
		curve_console(record, stdout);
	return curve_publish(record, stem);
}

static int print_overview(const void *ctx, FILE *out)
{
	overview_print(ctx, out);
	return 0;
}

/* Keep a record for the overview and the page over all. Return: 0, or -1 after a message. */
static int collect(json_t *rounds, json_t *record, const char *path, const char *stem)
{
	const char *slash = strrchr(stem, '/');
	json_t *round;

	if (page_add(rounds, path, record) != 0)
		return -1;
	round = json_array_get(rounds, json_array_size(rounds) - 1);
	json_object_set_new(round, "page", json_string(slash != NULL ? slash + 1 : stem));
	return 0;
}

static int render_round(json_t *record, const char *stem, const struct report_options *options)
{
	/* A round that was killed has trials, but nothing made of them yet. */
	if (!summary_is_whole(record) && result_summarise(record) != 0)
		return -1;
	if (publish_round(record, stem) != 0)
		return -1;
	if (options->console)
		report_console(record, stdout, cmd_width(), cmd_color(options->color));
	return 0;
}

/* @rounds: a round is added. */
static int render(const char *path, const struct report_options *options, json_t *rounds)
{
	char stem[PATH_MAX];
	json_t *record;
	int status = -1;

	if (stem_of(path, stem, sizeof(stem)) != 0)
		return -1;
	if ((record = peers_read(path)) != NULL) {
		status = render_peers(record, stem, options);
	} else if ((record = curve_read(path)) != NULL) {
		status = render_curve(record, stem, options);
	} else {
		record = result_read(path);
		if (record != NULL)
			status = render_round(record, stem, options);
		if (status == 0)
			status = collect(rounds, record, path, stem);
	}
	json_decref(record);
	return status;
}

static int render_all(
	char *const *paths, size_t n, const struct report_options *options, json_t *rounds)
{
	int status = EXIT_FINE;

	for (size_t i = 0; i < n; i++)
		if (render(paths[i], options, rounds) != 0)
			status = EXIT_FAILURES;
	return status;
}

/* A round, with a summary as of now. Return: a new reference; NULL for what is no round, or after
 * a message, with @status set. */
static json_t *read_round(const char *path, int *status)
{
	json_t *record;

	if (result_is_of_tools(path))
		return NULL;
	record = peers_read(path);
	if (record == NULL)
		record = curve_read(path);
	/* The records of rpcbench bench, of a search and of tools are no rounds. */
	if (record != NULL) {
		json_decref(record);
		return NULL;
	}
	record = result_read(path);
	if (record != NULL && result_summarise(record) == 0)
		return record;
	json_decref(record);
	*status = EXIT_FAILURES;
	return NULL;
}

static int print_document(const struct document *document, const char *out)
{
	if (json_array_size(document->rounds) == 0)
		return fail_msg("no round to print");
	if (out != NULL)
		return replace_file(out, document_print, document);
	if (document_print(document, stdout) != 0 || fflush(stdout) != 0)
		return fail_errno("cannot print");
	return 0;
}

/* All rounds among the records as one text. */
static int print_all(char *const *paths, size_t n, const struct report_options *options)
{
	struct document document = options->document;
	int status = EXIT_FINE;

	document.rounds = json_array();
	for (size_t i = 0; i < n; i++) {
		json_t *record = read_round(paths[i], &status);

		if (record != NULL && page_add(document.rounds, paths[i], record) != 0)
			status = EXIT_FAILURES;
		json_decref(record);
	}
	if (print_document(&document, options->out) != 0)
		status = EXIT_FAILURES;
	json_decref(document.rounds);
	return status;
}

/* All pages, their overview, and the page over all of them. */
static int render_with_overview(char *const *paths, size_t n, const struct report_options *options)
{
	json_t *rounds = json_array();
	int status = render_all(paths, n, options, rounds);

	if (json_array_size(rounds) > 0 && replace_file(OVERVIEW, print_overview, rounds) != 0)
		status = EXIT_FAILURES;
	if (replace_file(INDEX, page_print, rounds) != 0)
		status = EXIT_FAILURES;
	json_decref(rounds);
	return status;
}

static bool is_text(const struct report_options *options)
{
	return options->document.format != DOCUMENT_NONE || options->document.view != DOCUMENT_NONE;
}

/* All that there are. */
static int report_default(const struct report_options *options)
{
	char **paths;
	glob_t found;
	size_t n = 0;
	int status;

	if (glob(PATTERN, 0, NULL, &found) != 0) {
		fail_msg("no " PATTERN " here; name a file");
		return EXIT_USAGE;
	}
	paths = found.gl_pathv;
	for (size_t i = 0; i < found.gl_pathc; i++) {
		char *path = paths[i];

		/* Those of tools go to the end, so that all can be freed. */
		if (result_is_of_tools(path))
			continue;
		paths[i] = paths[n];
		paths[n++] = path;
	}
	status = is_text(options) ? print_all(paths, n, options)
				  : render_with_overview(paths, n, options);
	globfree(&found);
	return status;
}

static int report_named(char *const *paths, size_t n, const struct report_options *options)
{
	json_t *rounds;
	int status;

	if (is_text(options))
		return print_all(paths, n, options);
	rounds = json_array();
	status = render_all(paths, n, options, rounds);
	json_decref(rounds);
	return status;
}

/* Options that say nothing without another one. */
static int check_options(const struct report_options *options)
{
	const struct document *document = &options->document;

	if (document->format != DOCUMENT_NONE && document->view != DOCUMENT_NONE)
		return fail_msg("expected --format or --view, not both");
	if (document->trials && document->format != DOCUMENT_CSV)
		return fail_msg("--trials: expected --format csv with it");
	if (options->out != NULL && !is_text(options))
		return fail_msg("--out: expected --format or --view with it");
	if (options->console && is_text(options))
		return fail_msg("--console: expected neither --format nor --view with it");
	return 0;
}

int cmd_report(int argc, char **argv)
{
	struct report_options options = {
		.document = {.format = DOCUMENT_NONE, .view = DOCUMENT_NONE},
	};
	int first;
	int status;

	status = cmd_parse(options_table, &options, USAGE, argc, argv, &first);
	if (status != CMD_GO_ON)
		return status;
	if (check_options(&options) != 0)
		return EXIT_USAGE;
	if (first == argc)
		return report_default(&options);
	return report_named(argv + first, (size_t)(argc - first), &options);
}
