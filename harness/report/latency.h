#ifndef HARNESS_REPORT_LATENCY_H
#define HARNESS_REPORT_LATENCY_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

struct build;
struct histogram;

/**
 * DOC: Latencies in the record. A percentile is reported when at least LATENCY_BEYOND samples
 * are to be expected beyond it, on its rarer side: p90 needs 100 samples, p99 1,000, p99_9
 * 10,000. The median, minimum and maximum are reported from one sample on.
 */

#define LATENCY_BEYOND 10

/** struct latency_percentile - A field of latency_ns. */
struct latency_percentile {
	const char *name; /* "p97_5" */
	double share;     /* 0.975 */
};

/** latency_percentiles - All that are reported, ascending, ended by a NULL name. */
extern const struct latency_percentile latency_percentiles[];

/** latency_needed() - How many samples a percentile needs. */
uint64_t latency_needed(double share);

/**
 * DOC: A request that timed out has no latency, but a bound: its reply would have taken longer
 * than it was waited for. Such a value is censored. A percentile is known when it is the same
 * whatever these replies would have taken. Where it is not, the record has null, the reason, and
 * NAME_at_least, the percentile if each had come at the last moment: the true one is not below.
 */

/** LATENCY_TIMED_OUT - Why such a figure is absent. */
#define LATENCY_TIMED_OUT "requests timed out: only a lower bound is known"

/**
 * latency_put_none() - Add that @name, a distribution, has no reply; and where some @timed_out, of
 *   all that @failed, @name_at_least: none of them came before the first was given up.
 * @least_ns: when that was.
 */
void latency_put_none(
	struct build *b, const char *name, uint64_t failed, uint64_t timed_out, int64_t least_ns);

/** struct latency_figure - A value of a distribution with censored ones. */
struct latency_figure {
	int64_t ns;
	bool known; /* else the true value is @ns or more */
};

/** latency_put() - Add percentile @p of @count samples, absent when that is not enough of them. */
void latency_put(
	struct build *b, const struct latency_percentile *p, uint64_t count, int64_t value_ns);

/** latency_put_figure() - Likewise of a distribution with censored values. */
void latency_put_figure(struct build *b, const struct latency_percentile *p, uint64_t count,
	struct latency_figure figure);

/** latency_put_at_least() - Add a figure of which only a lower bound is known. */
void latency_put_at_least(struct build *b, const char *name, double ns);

/**
 * latency_object() - {count, min, mean, stddev, p2_5 … p99_9, max} in nanoseconds; @h is not
 *   empty.
 *
 * Return: a new reference, or NULL without memory.
 */
json_t *latency_object(const struct histogram *h);

/**
 * latency_censored() - As latency_object() of the replies @ok, at least one, and of those that
 *   @timed_out; with a field timed_out, how many these are.
 *
 * Return: a new reference, or NULL without memory.
 */
json_t *latency_censored(const struct histogram *ok, const struct histogram *timed_out);

/**
 * DOC: The distribution in the record is log-linear like the engine's, with half as many
 * buckets: every octave is cut into 2^LATENCY_SUB_BITS, so that a bucket's middle is within
 * 0.4 % of its values.
 */

#define LATENCY_SUB_BITS 7

/** latency_width() - How many whole nanoseconds the bucket that begins at @low holds. */
int64_t latency_width(int64_t low);

/**
 * latency_export() - {unit, encoding, min, max, sum, buckets}: [low, count] pairs, ascending,
 * without empty ones; min, max and sum are exact, and not there for an empty one.
 *
 * Return: a new reference, or NULL without memory.
 */
json_t *latency_export(const struct histogram *h);

#endif
