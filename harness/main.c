#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "harness/cmd/cmd.h"
#include "lib/fail.h"

static const struct cmd commands[] = {
	{"run", "measure a round and print its table", cmd_run},
	{"verify", "check that contestants answer correctly", cmd_verify},
	{"load", "load one server and report", cmd_load},
	{"bench", "compare with other servers and clients", cmd_bench},
	{"list", "contestants and rounds", cmd_list},
	{"compare", "what changed between two records of a round", cmd_compare},
	{"doctor", "the machine, and what on it would make numbers worse", cmd_doctor},
	{"report", "render the tables of results again", cmd_report},
	{NULL, NULL, NULL},
};

static void print_commands(FILE *out)
{
	fprintf(out, "Usage: rpcbench COMMAND [OPTIONS] …\n\nCommands:\n");
	for (const struct cmd *cmd = commands; cmd->name != NULL; cmd++)
		fprintf(out, "  %-8s %s\n", cmd->name, cmd->summary);
	fprintf(out, "\nrpcbench help COMMAND lists the options of a command.\n");
}

static const struct cmd *find_command(const char *name)
{
	for (const struct cmd *cmd = commands; cmd->name != NULL; cmd++)
		if (strcmp(cmd->name, name) == 0)
			return cmd;
	fail_msg("unknown command '%s'; rpcbench --help lists them", name);
	return NULL;
}

/* rpcbench help COMMAND */
static int help(const char *name)
{
	char text[] = "--help";
	char *argv[] = {text, text, NULL};
	const struct cmd *cmd = find_command(name);

	return cmd != NULL ? cmd->run(2, argv) : EXIT_USAGE;
}

int main(int argc, char **argv)
{
	const struct cmd *cmd;

	/* A peer or a reader of our output that goes away is an error of write(), not a signal. */
	signal(SIGPIPE, SIG_IGN);
	/* So is a limit of file sizes. */
	signal(SIGXFSZ, SIG_IGN);
	if (argc < 2) {
		print_commands(stderr);
		return EXIT_USAGE;
	}
	if (strcmp(argv[1], "help") == 0 && argc == 3)
		return help(argv[2]);
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "help") == 0) {
		print_commands(stdout);
		return EXIT_FINE;
	}
	if (strcmp(argv[1], "--version") == 0) {
		printf("rpcbench %s\n", RPCBENCH_VERSION);
		return EXIT_FINE;
	}
	cmd = find_command(argv[1]);
	return cmd != NULL ? cmd->run(argc - 1, argv + 1) : EXIT_USAGE;
}
