#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include "harness/cmd/cmd.h"
#include "harness/doctor.h"
#include "harness/host.h"
#include "harness/paths.h"
#include "harness/pin.h"
#include "harness/report/environment.h"
#include "harness/report/result.h"
#include "harness/report/text.h"
#include "lib/fail.h"
#include "lib/opt.h"

#define LABEL_SIZE 64

struct doctor_options {
	bool json;
};

static const struct opt options_table[] = {
	{.name = "json",
		.type = OPT_FLAG,
		.offset = offsetof(struct doctor_options, json),
		.help = "print the environment as the record has it, and no advice"},
	{0},
};

static void print_environment(json_t *environment)
{
	const char *name;
	json_t *value;
	char label[LABEL_SIZE];

	json_object_foreach (environment, name, value) {
		char *text;

		if (environment_is_reason(name))
			continue;
		text = environment_value(environment, name);
		printf("%-22s ", environment_label(name, label, sizeof(label)));
		text_plain(text != NULL ? text : "", stdout);
		putchar('\n');
		free(text);
	}
}

static void print_advice(const json_t *environment)
{
	char label[LABEL_SIZE];
	unsigned found = 0;

	for (const struct doctor_rule *rule = doctor_rules; rule->name != NULL; rule++) {
		if (!rule->ails(environment))
			continue;
		if (found++ == 0)
			fputs("\nWhat makes numbers worse here, the worst first:\n", stdout);
		printf("\n%u. %s: %s\n   %s\n", found,
			environment_label(rule->name, label, sizeof(label)), rule->effect,
			rule->remedy);
	}
	if (found == 0)
		fputs("\nNothing known makes numbers worse here.\n", stdout);
}

static int examine(const struct doctor_options *options)
{
	struct paths paths;
	struct pin pin;
	json_t *environment;
	int status = EXIT_FINE;

	if (paths_find(&paths) != 0)
		return EXIT_UNMEASURED;
	pin_plan(&pin, true, 1);
	environment = host_environment(&paths, &pin);
	paths_free(&paths);
	if (environment == NULL)
		return EXIT_UNMEASURED;
	if (!options->json) {
		print_environment(environment);
		print_advice(environment);
	} else if (result_print(environment, stdout) != 0) {
		fail_errno("cannot print");
		status = EXIT_UNMEASURED;
	}
	json_decref(environment);
	return status;
}

int cmd_doctor(int argc, char **argv)
{
	struct doctor_options options = {0};
	int first;
	int status;

	status =
		cmd_parse(options_table, &options, "rpcbench doctor [OPTIONS]", argc, argv, &first);
	if (status != CMD_GO_ON)
		return status;
	if (first < argc) {
		fail_msg("unexpected argument '%s'; rpcbench doctor takes options only",
			argv[first]);
		return EXIT_USAGE;
	}
	return examine(&options);
}
