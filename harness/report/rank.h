#ifndef HARNESS_REPORT_RANK_H
#define HARNESS_REPORT_RANK_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * DOC: Contestants under the same load are ranked against each other. Each gets more fields in
 * its summary:
 *
 *   failure    why it has failed, as a text; null when it has not
 *   ranked_by  "rps"; "rps_per_server_cpu_s" for all of them when the client was the limit of
 *              any, since its requests per second then say what the client can do; and in an open
 *              loop, where they are those of the schedule
 *   rank       from 1; null, with a reason, for one that has failed or lacks that number. Those
 * that the trials do not tell apart from the first of a rank share it
 *   tie        {with, p, cliffs_delta, below_noise_floor}: for one that shares a rank, the name of
 *              that first one and what the Mann-Whitney test says of the two; p is corrected for
 *              the pairs. below_noise_floor is true where p does tell them apart, but they differ
 *              by no more than a contestant from itself, see floor.h; else absent
 *   relative   {ratio, ci95_low, ci95_high}: how many times as much of it the best has
 */

struct build;

#define RANK_REASON 640 /* bytes of the longest reason for no rank, with its NUL */

#define RANK_FAILED_SHARE 0.01 /* of its requests: with more of them failed there is no rank */

/** struct rank_load - What loaded a contestant; 0 where that is not recorded. */
struct rank_load {
	double connections;
	double pipeline;
	double requests; /* planned; 0: as many as the duration gave */
	double rate;     /* requests a second; 0: closed loop */
	bool poisson;    /* its arrivals */
	double threads;  /* of each server */
};

#define RANK_LOAD_TEXT 64 /* bytes of the text below, with its NUL */

/** rank_load_text() - "10 × 1", "10 × 1 at 500/s", "10 × 1 at 500/s (Poisson)", "10 × 1, 2 threads"
 * for servers of several. Return: @out. */
const char *rank_load_text(const struct rank_load *load, char *out);

/** rank_load_of() - The load asked for; where that is not recorded, that of its first trial. */
struct rank_load rank_load_of(const json_t *contestant);

/** rank_put_load() - Add the fields from which rank_load_of() reads it. */
void rank_put_load(struct build *b, const struct rank_load *load);

/** rank_is_load() - True when two loads are the same; threads of 0 are the same as any. */
bool rank_is_load(const struct rank_load *a, const struct rank_load *b);

/** rank_same_load() - True when two may be compared. */
bool rank_same_load(const json_t *a, const json_t *b);

/** rank_is_called() - True when @name, which may be NULL, is the contestant's. */
bool rank_is_called(const json_t *contestant, const char *name);

/** rank_find_beside() - The contestant called @name under the load of @other; NULL: there is none.
 */
const json_t *rank_find_beside(const json_t *contestants, const char *name, const json_t *other);

/** rank_opens_load() - True when none of @contestants before @index was under the same load. */
bool rank_opens_load(const json_t *contestants, size_t index);

/**
 * rank_failure() - Why @contestant, which has a summary, cannot be ranked whatever the others do.
 * @out: RANK_REASON bytes.
 *
 * Return: false when it can.
 */
bool rank_failure(const json_t *contestant, char *out);

/**
 * rank_all() - Rank the contestants, which all have a summary.
 * @floors: record.noise_floor; NULL and null: not known.
 * @seed: of the intervals.
 *
 * Return: 0, or -1 without memory.
 */
int rank_all(json_t *contestants, const json_t *floors, uint64_t seed);

#endif
