#include <glob.h>
#include <limits.h>
#include <string.h>

#include "harness/cmd/cmd.h"
#include "harness/report/overview.h"
#include "harness/report/peers.h"
#include "harness/report/publish.h"
#include "harness/report/replace.h"
#include "harness/report/result.h"
#include "harness/report/summary.h"
#include "lib/fail.h"
#include "lib/opt.h"

#define USAGE        "rpcbench report [OPTIONS] [FILE.json …]   (default: results/*.json)"
#define PATTERN      "results/*.json"
#define OVERVIEW     "results/overview.md"
#define TOOLS_SCHEMA "rpcbench-tools/1" /* tests/tools renders these */

struct report_options {
	bool console;
	int color;
};

static const struct opt options_table[] = {
	{.name = "console",
		.type = OPT_FLAG,
		.offset = offsetof(struct report_options, console),
		.help = "print the tables, too"},
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

/* Keep a record for the overview. Return: 0, or -1 after a message. */
static int collect(json_t *rounds, json_t *record, const char *stem)
{
	const char *slash = strrchr(stem, '/');
	json_t *round =
		json_pack("{s:s, s:O}", "page", slash != NULL ? slash + 1 : stem, "record", record);

	if (json_array_append_new(rounds, round) != 0)
		return fail_msg("no memory for the overview");
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
		status = render_peers(record, stem, options);
	} else {
		record = result_read(path);
		if (record != NULL)
			status = render_round(record, stem, options);
		if (status == 0)
			status = collect(rounds, record, stem);
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

/* Is it a record of make compare-tools? It has no page of ours. */
static bool is_of_tools(const char *path)
{
	json_t *record = json_load_file(path, 0, NULL);
	const char *schema = json_string_value(json_object_get(record, "schema"));
	bool of_tools = schema != NULL && strcmp(schema, TOOLS_SCHEMA) == 0;

	json_decref(record);
	return of_tools;
}

/* All that there are, and their overview. */
static int render_default(const struct report_options *options, json_t *rounds)
{
	glob_t found;
	int status = EXIT_FINE;

	if (glob(PATTERN, 0, NULL, &found) != 0) {
		fail_msg("no " PATTERN " here; name a file");
		return EXIT_USAGE;
	}
	for (size_t i = 0; i < found.gl_pathc; i++)
		if (!is_of_tools(found.gl_pathv[i]))
			status |= render_all(&found.gl_pathv[i], 1, options, rounds);
	globfree(&found);
	if (json_array_size(rounds) > 0 && replace_file(OVERVIEW, print_overview, rounds) != 0)
		return EXIT_FAILURES;
	return status;
}

int cmd_report(int argc, char **argv)
{
	struct report_options options = {0};
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
	json_decref(rounds);
	return status;
}
