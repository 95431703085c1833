#ifndef HARNESS_REPORT_MERGED_H
#define HARNESS_REPORT_MERGED_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

/**
 * DOC: Latency distributions read from trials and added up. Percentiles of several trials come
 * from this and never from averaging those of each.
 */

/** struct merged_bucket - One [low, count] pair; see latency_width(). */
struct merged_bucket {
	int64_t low;
	uint64_t count;
};

/** struct merged - A distribution; a zeroed struct is an empty one. */
struct merged {
	struct merged_bucket *buckets; /* ascending, owned */
	size_t n;
	uint64_t count;
	double sum_ns;
	int64_t min_ns; /* exact; valid when count is above 0 */
	int64_t max_ns;
};

/**
 * merged_add() - Add the distribution @name of @trial, if it has that: "histogram",
 *   "timed_out_histogram" or "failed_histogram".
 *
 * Return: 0, or -1 without memory.
 */
int merged_add(struct merged *merged, const json_t *trial, const char *name);

/** merged_free() - Let go of what it owns. */
void merged_free(struct merged *merged);

/** merged_find() - The index of the bucket of the @rank-th smallest of at least one value. */
size_t merged_find(const struct merged *merged, uint64_t rank);

/** merged_stddev() - As histogram_stddev(); 0 of nothing. */
double merged_stddev(const struct merged *merged);

/** merged_value() - As histogram_value(), of at least one value. */
int64_t merged_value(const struct merged *merged, uint64_t rank);

/** merged_quantile() - As histogram_quantile(), of at least one value. */
int64_t merged_quantile(const struct merged *merged, double share);

/** merged_within() - The share of values in buckets whose middle lies from @low to @high. */
double merged_within(const struct merged *merged, double low, double high);

/**
 * merged_object() - {count, min, mean, stddev, p2_5 … p99_9, max} of @ok, at least one value.
 * @timed_out: what censors them, see latency.h; the field timed_out says how many. NULL: such
 *   cannot be.
 *
 * Return: a new reference, or NULL without memory.
 */
json_t *merged_object(const struct merged *ok, const struct merged *timed_out);

#endif
