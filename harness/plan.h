#ifndef HARNESS_PLAN_H
#define HARNESS_PLAN_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "harness/round.h"
#include "lib/clock.h"

struct contestant;
struct manifest_call;
struct opt_list;
struct stats_random;
struct suite;

#define PLAN_QUICK_TRIALS      2
#define PLAN_QUICK_DURATION_NS (1 * NS_PER_S)
#define PLAN_QUICK_WARMUP_NS   (300 * NS_PER_MS)
#define PLAN_REPEATS           2 /* of disturbed trials, for each row; --quick has none */

/** struct plan_options - What the command line changes in a round. -1 and NULL: nothing. */
struct plan_options {
	const char *only; /* names, comma-separated; any that are known */
	const char *skip;
	int64_t trials;
	int64_t duration_ns;
	int64_t warmup_ns;
	int64_t connections;
	int64_t pipeline;
	const char *threads; /* numbers, comma-separated */
	int64_t repeats;
	bool quick;
};

/** struct plan_entry - One contestant at one load: a row of the table. */
struct plan_entry {
	const struct contestant *contestant;
	const struct manifest_call *call; /* NULL when it is left out */
	int64_t connections;              /* no more than it can serve */
	int64_t pipeline;
	int64_t threads;  /* of the server */
	int64_t requests; /* 0: as many as the duration gives */
	int64_t repeats;  /* of disturbed trials, that are left */
	double rate;      /* 0: closed loop */
	int arrival;      /* enum pace_arrival */
	bool again;       /* the second of two that are the same, see report/floor.h */
	bool out;         /* takes no further part */
	json_t *json;     /* its entry in the record, owned */
};

/** struct plan - A round with the command line's changes. */
struct plan {
	struct round round;
	/* Why none is measured twice; NULL: one is, or the round names none. */
	const char *not_again;
	bool as_written; /* nothing is changed, so that its results may be published */
	struct plan_entry *entries;
	size_t count;
	size_t *order; /* of the entries, in the current trial */
};

/**
 * plan_make() - Read round @which and settle who is measured how.
 *
 * A contestant without the round's call, or without a program that it needs, is left out and
 * says so in its entry's json ("skipped"), which is made here.
 *
 * Return: 0, to be freed by plan_free(); -1 after a message that names what is wrong.
 */
int plan_make(struct plan *plan, const struct suite *suite, const struct plan_options *options,
	const char *which);

/** plan_free() - Let go of what it owns; also of a zeroed struct. */
void plan_free(struct plan *plan);

/** plan_shuffle() - A new random order, with all orders equally likely. */
void plan_shuffle(struct plan *plan, struct stats_random *random);

/** plan_parse_threads() - Read "1,2". Return: 0, or -1 after a message. */
int plan_parse_threads(const char *text, struct config_ints *threads);

/** plan_most_threads() - The largest number of threads of @round. */
int64_t plan_most_threads(const struct round *round);

#define PLAN_NAME 96 /* bytes of the text below, with its NUL */

/** plan_entry_name() - "http-json", or "http-json (again)". Return: @out. */
const char *plan_entry_name(const struct plan_entry *entry, char *out);

/** plan_left() - How many entries still take part. */
size_t plan_left(const struct plan *plan);

#endif
