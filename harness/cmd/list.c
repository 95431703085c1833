#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "harness/cmd/cmd.h"
#include "harness/round.h"
#include "harness/suite.h"
#include "lib/buf.h"
#include "lib/clock.h"
#include "lib/fail.h"
#include "lib/opt.h"
#include "lib/units.h"

struct list_options {
	struct opt_list manifests;
};

static const struct opt options_table[] = {
	{.name = "manifest",
		.type = OPT_LIST,
		.offset = offsetof(struct list_options, manifests),
		.arg = "FILE",
		.help = "more contestants; may be given several times"},
	{0},
};

/* "hello,find_one" appended to @out. */
static void append_calls(struct buf *out, const struct contestant *c)
{
	for (size_t i = 0; i < c->call_count; i++)
		buf_printf(out, "%s%s", i > 0 ? "," : "", c->calls[i].name);
}

/* Columns as wide as their longest text. */
static void measure(const struct manifests *all, int *name_width, int *calls_width)
{
	for (size_t i = 0; i < all->count; i++) {
		struct buf calls = {0};
		int name_len = (int)strlen(all->list[i].name);

		append_calls(&calls, &all->list[i]);
		*name_width = name_len > *name_width ? name_len : *name_width;
		*calls_width =
			(int)buf_len(&calls) > *calls_width ? (int)buf_len(&calls) : *calls_width;
		buf_free(&calls);
	}
}

static void print_contestants(const struct suite *suite)
{
	const struct manifests *all = &suite->manifests;
	int name_width = (int)strlen("CONTESTANT");
	int calls_width = (int)strlen("CALLS");

	measure(all, &name_width, &calls_width);
	printf("%-*s  %-5s  %-8s  %-*s  %s\n", name_width, "CONTESTANT", "CLASS", "PROTOCOL",
		calls_width, "CALLS", "PRESENT");
	for (size_t i = 0; i < all->count; i++) {
		const struct contestant *c = &all->list[i];
		char missing[PATH_MAX];
		struct buf calls = {0};

		append_calls(&calls, c);
		if (!manifest_missing(c, &suite->paths, missing, sizeof(missing)))
			snprintf(missing, sizeof(missing), "yes");
		printf("%-*s  %-5s  %-8s  %-*.*s  %s\n", name_width, c->name,
			manifest_class_name(c), manifest_protocol_name(c), calls_width,
			(int)buf_len(&calls), buf_head(&calls), missing);
		buf_free(&calls);
	}
}

static int print_rounds(const struct paths *paths)
{
	char **names = paths_list(paths, "harness/rounds");
	int status = 0;

	printf("\n%-16s  %-6s  %-7s  %-12s  %s\n", "ROUND", "TRIALS", "WINDOW", "CALL", "TITLE");
	for (char **name = names; name != NULL && *name != NULL && status == 0; name++) {
		struct round round;
		char text[UNITS_TEXT];

		status = round_load(&round, paths, *name);
		if (status != 0)
			break;
		printf("%-16s  %-6lld  %-7s  %-12s  %s\n", round.name, (long long)round.trials,
			units_duration((double)round.duration_ns, text), round.call, round.title);
		round_free(&round);
	}
	paths_list_free(names);
	return status;
}

int cmd_list(int argc, char **argv)
{
	struct list_options options = {0};
	struct suite suite;
	int first;
	int status;

	status = cmd_parse(options_table, &options, "rpcbench list [OPTIONS]", argc, argv, &first);
	if (status != CMD_GO_ON)
		return status;
	if (first < argc) {
		fail_msg("unexpected argument '%s'", argv[first]);
		return EXIT_USAGE;
	}
	if (suite_open(&suite, &options.manifests) != 0)
		return EXIT_USAGE;
	print_contestants(&suite);
	status = print_rounds(&suite.paths);
	suite_close(&suite);
	return status == 0 ? EXIT_FINE : EXIT_USAGE;
}
