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

static void print_contestant(const struct suite *suite, const struct contestant *c)
{
	char missing[512];
	struct buf calls = {0};

	for (size_t i = 0; i < c->call_count; i++)
		buf_printf(&calls, "%s%s", i > 0 ? "," : "", c->calls[i].name);
	if (!manifest_missing(c, &suite->paths, missing, sizeof(missing)))
		strcpy(missing, "yes");
	printf("%-20s %-6s %-8s %-26.*s %s\n", c->name, manifest_class_name(c),
		manifest_protocol_name(c), (int)buf_len(&calls), buf_head(&calls), missing);
	buf_free(&calls);
}

static int print_rounds(const struct paths *paths)
{
	char **names = paths_list(paths, "harness/rounds");
	int status = 0;

	printf("\n%-20s %-6s %-8s %-26s %s\n", "ROUND", "TRIALS", "WINDOW", "CALL", "TITLE");
	for (char **name = names; name != NULL && *name != NULL && status == 0; name++) {
		struct round round;
		char text[UNITS_TEXT];

		status = round_load(&round, paths, *name);
		if (status != 0)
			break;
		printf("%-20s %-6lld %-8s %-26s %s\n", round.name, (long long)round.trials,
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

	switch (opt_parse(options_table, &options, "rpcbench list [OPTIONS]", argc, argv, &first)) {
	case OPT_OK:
		break;
	case OPT_HELP:
		return EXIT_FINE;
	case OPT_BAD:
		return EXIT_USAGE;
	}
	if (first < argc) {
		fail_msg("unexpected argument '%s'", argv[first]);
		return EXIT_USAGE;
	}
	if (suite_open(&suite, &options.manifests) != 0)
		return EXIT_USAGE;
	printf("%-20s %-6s %-8s %-26s %s\n", "CONTESTANT", "CLASS", "PROTOCOL", "CALLS", "PRESENT");
	for (size_t i = 0; i < suite.manifests.count; i++)
		print_contestant(&suite, &suite.manifests.list[i]);
	status = print_rounds(&suite.paths);
	suite_close(&suite);
	return status == 0 ? EXIT_FINE : EXIT_USAGE;
}
