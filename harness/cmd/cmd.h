#ifndef HARNESS_CMD_CMD_H
#define HARNESS_CMD_CMD_H

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

#endif
