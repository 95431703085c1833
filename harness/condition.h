#ifndef HARNESS_CONDITION_H
#define HARNESS_CONDITION_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#include "lib/opt.h"

/**
 * DOC: A condition on a reported figure, such as p99<5ms, errors<0.1% or rps>=10k.
 *
 *   condition  FIGURE OP LIMIT, blanks between them are allowed
 *   FIGURE     a short name (condition_names() lists them), or a path into the record of a trial,
 *              such as client.requests_per_cpu_s. Percentiles follow a prefix: p99, service_p99,
 *              send_lag_p99, failed_p99.
 *   OP         <  <=  >  >=  ==
 *   LIMIT      a number and a unit that suits the figure: ns us ms s for times; k M G for counts
 *              and rates; KB MB GB (of 1024) for bytes; % for shares, and for counts of requests
 *              as a share of those sent. A path takes a number without unit as well, which is in
 *              the unit of the record then.
 *
 * It is checked against a trial (see result_trial()) or a contestant's summary, where the figure
 * is the median or comes from the merged distribution. A figure that is absent satisfies nothing.
 * One of which only a lower bound is known (a p99 behind timeouts) satisfies > and >= where the
 * bound does, and nothing else.
 */

#define CONDITION_FIGURE 64 /* bytes of a figure's name or path, with its NUL */

/** enum condition_unit - What a figure is counted in within the record. */
enum condition_unit {
	UNIT_PLAIN, /* counts and rates */
	UNIT_NS,
	UNIT_S,
	UNIT_BYTES,
	UNIT_SHARE,    /* 0 to 1 */
	UNIT_REQUESTS, /* a count that may be limited as a share of those sent */
};

/** enum condition_op - How a figure is compared with the limit. */
enum condition_op { OP_LESS, OP_AT_MOST, OP_MORE, OP_AT_LEAST, OP_EQUAL };

/** struct condition - One condition. */
struct condition {
	const char *text; /* as it was given, borrowed */
	char figure[CONDITION_FIGURE];
	char path[CONDITION_FIGURE]; /* into the record of a trial */
	const char *in_summary;      /* into a summary, where that differs; else NULL */
	enum condition_unit unit;
	enum condition_op op;
	double limit; /* in @unit */
	bool of_sent; /* the limit is a share of the requests sent */
};

/**
 * condition_parse() - Read a condition.
 * @option: whose value it is, for the message: "--fail-if".
 * @text: borrowed.
 *
 * Return: 0, or -1 after a message that says what was expected.
 */
int condition_parse(struct condition *condition, const char *option, const char *text);

/** condition_names() - Print the short names of all figures, for a message or a help text. */
void condition_names(FILE *out);

/**
 * condition_holds() - Check a condition.
 * @figures: of a trial or a summary.
 */
bool condition_holds(const struct condition *condition, const json_t *figures);

/**
 * condition_outcome() - Check a condition, for the record.
 *
 * Return: a new reference to {condition, held, figure, path, unit, value, limit}; value is null,
 *   with value_reason, when the figure is absent, and value_at_least beside that where a lower
 *   bound is known. NULL without memory.
 */
json_t *condition_outcome(const struct condition *condition, const json_t *figures);

#define CONDITION_LINE 256 /* bytes of such a line, with its NUL */

/**
 * condition_line() - An outcome for people, as one line:
 *   "p99<5ms did not hold: p99 = 7.10ms". Print it through text.h.
 * @out: CONDITION_LINE bytes.
 *
 * Return: @out.
 */
const char *condition_line(const json_t *outcome, char *out);

/** struct condition_list - Those of one command. */
struct condition_list {
	struct condition items[OPT_LIST_MAX];
	size_t count;
};

/** condition_list_parse() - As condition_parse() of all @texts of an option. */
int condition_list_parse(
	struct condition_list *list, const char *option, const struct opt_list *texts);

/**
 * condition_list_check() - Check all, and put their outcomes as "conditions" into @into; nothing
 *   when there are none.
 *
 * Return: how many did not hold; -1 after a message (no memory).
 */
int condition_list_check(const struct condition_list *list, const json_t *figures, json_t *into);

#endif
