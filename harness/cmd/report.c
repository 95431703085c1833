#include <glob.h>
#include <limits.h>
#include <string.h>

#include "harness/cmd/cmd.h"
#include "harness/report/overview.h"
#include "harness/report/page.h"
#include "harness/report/peers.h"
#include "harness/report/publish.h"
#include "harness/report/replace.h"
#include "harness/report/result.h"
#include "harness/report/summary.h"
#include "lib/fail.h"
#include "lib/opt.h"

#define USAGE    "rpcbench report [OPTIONS] [FILE.json …]   (default: results/*.json)"
#define PATTERN  "results/*.json"
#define OVERVIEW "results/overview.md"
#define INDEX    "results/" PAGE_NAME

static const char *const format_names[] = {"html", NULL};

enum format {
	FORMAT_FILES = -1, /* none: files are written */
	FORMAT_HTML,       /* in the order of their names */
};

struct report_options {
	bool console;
	int format;
	int color;
};

static const struct opt options_table[] = {
	{.name = "console",
		.type = OPT_FLAG,
		.offset = offsetof(struct report_options, console),
		.help = "print the tables, too"},
	{.name = "format",
		.type = OPT_CHOICE,
		.offset = offsetof(struct report_options, format),
		.arg = "NAME",
		.choices = format_names,
		.help = "write no file, and print html: the page over all these records"},
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
	if (options->format == FORMAT_HTML)
		return 0;
	if (publish_round(record, stem) != 0)
		return -1;
	if (options->console)
		report_console(record, stdout, cmd_color(options->color));
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
	record = peers_read(path);
	if (record != NULL) {
		status = options->format == FORMAT_HTML ? 0 : render_peers(record, stem, options);
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

/* What is made of all rounds together. Return: 0, or -1 after a message. */
static int write_overviews(const json_t *rounds)
{
	int status = 0;

	if (json_array_size(rounds) > 0)
		status = replace_file(OVERVIEW, print_overview, rounds);
	return replace_file(INDEX, page_print, rounds) != 0 ? -1 : status;
}

/* All that there are. */
static int render_default(const struct report_options *options, json_t *rounds)
{
	glob_t found;
	int status = EXIT_FINE;

	if (glob(PATTERN, 0, NULL, &found) != 0) {
		fail_msg("no " PATTERN " here; name a file");
		return EXIT_USAGE;
	}
	for (size_t i = 0; i < found.gl_pathc; i++)
		if (!result_is_of_tools(found.gl_pathv[i]))
			status |= render_all(&found.gl_pathv[i], 1, options, rounds);
	globfree(&found);
	if (options->format == FORMAT_FILES && write_overviews(rounds) != 0)
		return EXIT_FAILURES;
	return status;
}

int cmd_report(int argc, char **argv)
{
	struct report_options options = {.format = FORMAT_FILES};
	json_t *rounds;
	int status;
	int first;

	switch (opt_parse(options_table, &options, USAGE, argc, argv, &first)) {
	case OPT_HELP:
		return EXIT_FINE;
	case OPT_BAD:
		return EXIT_USAGE;
	case OPT_OK:
		break;
	}
	rounds = json_array();
	if (first == argc)
		status = render_default(&options, rounds);
	else
		status = render_all(argv + first, (size_t)(argc - first), &options, rounds);
	if (options.format == FORMAT_HTML && replace_file("/dev/stdout", page_print, rounds) != 0)
		status = EXIT_FAILURES;
	json_decref(rounds);
	return status;
}
