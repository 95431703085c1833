#ifndef LIB_OPT_H
#define LIB_OPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** enum opt_type - What an option's value is, and the C type it is stored as. */
enum opt_type {
	OPT_FLAG,     /* no value; bool, set to true */
	OPT_UNFLAG,   /* no value; bool, set to false: for --no-… */
	OPT_INT,      /* int64_t within [min, max] */
	OPT_NUMBER,   /* double within [min, max]; k and M are thousands and millions */
	OPT_DURATION, /* int64_t nanoseconds, at least min */
	OPT_SIZE,     /* uint64_t bytes */
	OPT_STRING,   /* const char *, into argv */
	OPT_CHOICE,   /* int, index of the value in @choices */
	OPT_LIST,     /* struct opt_list, each use appends */
	OPT_OPTIONAL, /* const char *, "" when given without =VALUE */
};

#define OPT_LIST_MAX 64

struct opt_list {
	const char *items[OPT_LIST_MAX]; /* into argv */
	size_t count;
};

/** struct opt - One option: parsing, checks and help text all come from this row. */
struct opt {
	const char *name; /* long name without dashes; NULL ends the table */
	char letter;      /* 0 when there is none */
	enum opt_type type;
	size_t offset;              /* of the field in the struct that opt_parse() fills */
	const char *arg;            /* placeholder in the help text */
	const char *help;           /* one line, with the default */
	const char *const *choices; /* OPT_CHOICE: names, ended by NULL */
	double min;                 /* OPT_INT, OPT_NUMBER, OPT_DURATION */
	double max;                 /* OPT_INT, OPT_NUMBER; 0 = no limit */
};

enum opt_result { OPT_OK, OPT_HELP, OPT_BAD };

/**
 * opt_parse() - Read options in any order among the arguments.
 * @rows: the table.
 * @into: struct with the defaults already in place.
 * @usage: one line after "Usage: ", e.g. "rpcbench load [OPTIONS] URL".
 * @argc, @argv: argv[0] is skipped.
 * @first: set to the index of the first argument that is no option; argv is permuted so that
 *   all such arguments come last.
 *
 * Return: OPT_OK; OPT_HELP after --help was printed on stdout; OPT_BAD after one message that
 *   names the option and what was expected.
 */
enum opt_result opt_parse(
	const struct opt *rows, void *into, const char *usage, int argc, char **argv, int *first);

#endif
