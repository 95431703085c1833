#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/clock.h"
#include "lib/fail.h"
#include "lib/opt.h"
#include "lib/units.h"

#define OPT_ROWS_MAX   64
#define OPT_LONG_BASE  256 /* getopt values of long options: above every letter */
#define OPT_HELP_WIDTH 34  /* columns of the left half of the help text */

static bool takes_value(const struct opt *row)
{
	return row->type != OPT_FLAG && row->type != OPT_UNFLAG;
}

static void print_help(const struct opt *rows, const char *usage)
{
	printf("Usage: %s\n\nOptions:\n", usage);
	for (const struct opt *row = rows; row->name != NULL; row++) {
		char left[96];
		char letter[8] = "    ";

		if (row->letter != 0)
			snprintf(letter, sizeof(letter), "-%c, ", row->letter);
		if (!takes_value(row))
			snprintf(left, sizeof(left), "%s--%s", letter, row->name);
		else
			snprintf(left, sizeof(left), "%s--%s%s%s%s", letter, row->name,
				row->type == OPT_OPTIONAL ? "[=" : " ", row->arg,
				row->type == OPT_OPTIONAL ? "]" : "");
		printf("  %-*s %s\n", OPT_HELP_WIDTH, left, row->help);
	}
	printf("  %-*s %s\n", OPT_HELP_WIDTH, "    --help", "print this text");
}

static int bad_value(const struct opt *row, const char *value, const char *expected)
{
	return fail_msg("--%s: bad value '%s', expected %s", row->name, value, expected);
}

static int store_number(const struct opt *row, const char *value, void *field)
{
	char expected[96];
	char *end;
	double number;

	snprintf(expected, sizeof(expected),
		row->max > 0 ? "%s of %.15g to %.15g" : "%s of at least %.15g",
		row->type == OPT_INT ? "a whole number" : "a number", row->min, row->max);
	errno = 0;
	number = strtod(value, &end);
	if (row->type == OPT_NUMBER && units_parse_count(value, &number))
		end = strchr(value, '\0');
	if (end == value || *end != '\0' || errno != 0 || !isfinite(number) || number < row->min ||
		(row->max > 0 && number > row->max) || fabs(number) > 9e15)
		return bad_value(row, value, expected);
	if (row->type != OPT_INT) {
		*(double *)field = number;
		return 0;
	}
	if (number != floor(number))
		return bad_value(row, value, expected);
	*(int64_t *)field = (int64_t)number;
	return 0;
}

static int store_choice(const struct opt *row, const char *value, int *field)
{
	char expected[256] = "one of";

	for (int i = 0; row->choices[i] != NULL; i++) {
		if (strcmp(row->choices[i], value) == 0) {
			*field = i;
			return 0;
		}
		snprintf(expected + strlen(expected), sizeof(expected) - strlen(expected), " %s",
			row->choices[i]);
	}
	return bad_value(row, value, expected);
}

static int store_item(const struct opt *row, const char *value, struct opt_list *list)
{
	if (list->count == OPT_LIST_MAX)
		return fail_msg("--%s: given more than %d times", row->name, OPT_LIST_MAX);
	list->items[list->count++] = value;
	return 0;
}

static int store(const struct opt *row, const char *value, void *into)
{
	void *field = (char *)into + row->offset;

	switch (row->type) {
	case OPT_FLAG:
	case OPT_UNFLAG:
		*(bool *)field = row->type == OPT_FLAG;
		return 0;
	case OPT_INT:
	case OPT_NUMBER:
		return store_number(row, value, field);
	case OPT_DURATION:
		if (!units_parse_duration(value, field) || (double)*(int64_t *)field < row->min)
			return bad_value(row, value,
				row->min > 0 ? "a duration above zero like 10s or 250ms"
					     : "a duration like 10s or 250ms");
		return 0;
	case OPT_SIZE:
		if (!units_parse_size(value, field))
			return bad_value(row, value, "a size like 512, 16KiB or 1M");
		return 0;
	case OPT_STRING:
		*(const char **)field = value;
		return 0;
	case OPT_OPTIONAL:
		*(const char **)field = value != NULL ? value : "";
		return 0;
	case OPT_CHOICE:
		return store_choice(row, value, field);
	case OPT_LIST:
		return store_item(row, value, field);
	}
	return -1;
}

/* The row that getopt's @value stands for: a letter, or a position above OPT_LONG_BASE. */
static const struct opt *find_row(const struct opt *rows, int value)
{
	if (value >= OPT_LONG_BASE)
		return &rows[value - OPT_LONG_BASE];
	while (rows->name != NULL && rows->letter != value)
		rows++;
	return rows->name != NULL ? rows : NULL;
}

/* getopt's own tables, made from the rows. @letters has room for 2 characters a row and 2 more. */
static size_t make_tables(const struct opt *rows, struct option *longs, char *letters)
{
	size_t n = 0;

	*letters++ = ':';
	for (; n < OPT_ROWS_MAX && rows[n].name != NULL; n++) {
		longs[n] = (struct option){
			.name = rows[n].name,
			.has_arg = rows[n].type == OPT_OPTIONAL ? optional_argument
				   : takes_value(&rows[n])      ? required_argument
								: no_argument,
			.val = OPT_LONG_BASE + (int)n,
		};
		if (rows[n].letter == 0)
			continue;
		*letters++ = rows[n].letter;
		if (takes_value(&rows[n]))
			*letters++ = ':';
	}
	*letters = '\0';
	return n;
}

enum opt_result opt_parse(
	const struct opt *rows, void *into, const char *usage, int argc, char **argv, int *first)
{
	struct option longs[OPT_ROWS_MAX + 2] = {{0}};
	char letters[2 * OPT_ROWS_MAX + 2];
	size_t n = make_tables(rows, longs, letters);
	int value;

	longs[n] = (struct option){.name = "help", .has_arg = no_argument, .val = 'h' + 1000};
	optind = 0;
	opterr = 0;
	while ((value = getopt_long(argc, argv, letters, longs, NULL)) != -1) {
		const struct opt *row;

		if (value == 'h' + 1000) {
			print_help(rows, usage);
			return OPT_HELP;
		}
		if (value == ':') {
			fail_msg("%s needs a value; --help lists the options", argv[optind - 1]);
			return OPT_BAD;
		}
		if (value == '?') {
			fail_msg("unknown option '%s'; --help lists the options",
				optopt > 0 && optopt < OPT_LONG_BASE
					? (char[]){'-', (char)optopt, 0}
					: argv[optind - 1]);
			return OPT_BAD;
		}
		row = find_row(rows, value);
		if (row == NULL || store(row, optarg, into) != 0)
			return OPT_BAD;
	}
	*first = optind;
	return OPT_OK;
}
