#ifndef HARNESS_CMD_CMD_H
#define HARNESS_CMD_CMD_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* Exit statuses of all commands; README.md tells users. */
#define EXIT_FINE       0
#define EXIT_FAILURES   1 /* measured, but with failures or an unmet condition */
#define EXIT_USAGE      2
#define EXIT_UNMEASURED 3   /* could not measure */
#define EXIT_SIGNAL     128 /* and the number of the signal that asked to stop */

/** struct cmd - A subcommand of rpcbench. @run gets its own name as argv[0]. */
struct cmd {
	const char *name;
	const char *summary;
	int (*run)(int argc, char **argv);
};

int cmd_load(int argc, char **argv);
int cmd_run(int argc, char **argv);
int cmd_verify(int argc, char **argv);
int cmd_bench(int argc, char **argv);
int cmd_list(int argc, char **argv);
int cmd_compare(int argc, char **argv);
int cmd_doctor(int argc, char **argv);
int cmd_report(int argc, char **argv);

#define CMD_GO_ON (-1)

struct opt;

/** cmd_parse() - As opt_parse(). Return: CMD_GO_ON, or the exit status of a command that is over.
 */
int cmd_parse(
	const struct opt *rows, void *into, const char *usage, int argc, char **argv, int *first);

/** cmd_typed() - The command as it was typed, from "rpcbench" on, for a record. Return: new; JSON's
 * null when it is no UTF-8. */
json_t *cmd_typed(int argc, char **argv);

/** cmd_color_names - The values of --color: auto, always, never. */
extern const char *const cmd_color_names[];

/** CMD_COLOR_OPTION() - The row of --color, whose value is int @field of @owner. */
#define CMD_COLOR_OPTION(owner, field)                                                             \
	{                                                                                          \
		.name = "color", .type = OPT_CHOICE, .offset = offsetof(owner, field),             \
		.arg = "WHEN", .choices = cmd_color_names,                                         \
		.help = "auto, always or never (auto: on a terminal, unless NO_COLOR is set)"      \
	}

/** cmd_width() - Columns of standard output: what COLUMNS says, or the terminal; 0: no limit. */
size_t cmd_width(void);

/** cmd_color() - Whether standard output gets colours. @choice: what --color said. */
bool cmd_color(int choice);

#endif
