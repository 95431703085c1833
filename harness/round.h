#ifndef HARNESS_ROUND_H
#define HARNESS_ROUND_H

#include <stddef.h>
#include <stdint.h>

#include "harness/config.h"

struct paths;

/**
 * DOC: A round is data: harness/rounds/NAME.json says which contestants answer which call under
 * which load. Durations are texts like "5s".
 *
 *   name, title, call, contestants [names], levels [{connections, pipeline,
 *   requests (end after so many instead of after the duration), rate (open loop: requests a
 *   second), arrival ("constant" unless given, or "poisson")}],
 *   trials, duration, warmup (at least: see harness/load/warmup.h), timeout ("5s" unless given),
 *   threads (of each server, 1 unless given; a list: each in turn), columns [of its table, see
 *   harness/report/table.h], again (one of the contestants: it is measured twice, for the noise
 *   floor, see harness/report/floor.h), ratios [{of, to}: contestants whose requests per second and
 *   per CPU-second are divided]
 */

#define ROUND_THREADS_MAX 256

/** struct round_level - A load: one row of the table for each contestant. */
struct round_level {
	int64_t connections;
	int64_t pipeline;
	int64_t requests; /* 0: as many as the duration gives */
	double rate;      /* requests a second, planned; 0: closed loop */
	int arrival;      /* enum pace_arrival */
};

/** struct round - What to measure. Texts belong to its file. */
struct round {
	const char *name;
	const char *title;
	const char *call;
	const char **contestants; /* ended by NULL */
	struct round_level *levels;
	size_t level_count;
	int64_t trials;
	int64_t duration_ns;
	int64_t warmup_ns;
	int64_t timeout_ns;
	struct config_ints threads; /* of each server; the first is the usual */
	const char *again;          /* of the contestants; NULL: none */
	const char **columns;       /* ended by NULL; NULL: the common ones */
	json_t *ratios;             /* as in the file; NULL: none */
	struct config file;
};

/**
 * round_load() - Read a round.
 * @which: a name from harness/rounds, or the path of a file (with a '/' or ending in .json).
 *
 * Return: 0, to be freed by round_free(); -1 after a message, which lists the names when @which
 *   is none of them.
 */
int round_load(struct round *round, const struct paths *paths, const char *which);

/** round_free() - Let go of what it owns; also of a zeroed struct. */
void round_free(struct round *round);

#endif
