#ifndef HARNESS_LOAD_HISTOGRAM_H
#define HARNESS_LOAD_HISTOGRAM_H

#include <stddef.h>
#include <stdint.h>

/**
 * DOC: A log-linear histogram of nanoseconds. Values below 2^HISTOGRAM_SUB_BITS have a bucket
 * each; above, every octave is cut into 2^HISTOGRAM_SUB_BITS equal buckets, so that a bucket is
 * at most 1/256 of its values wide and its middle is within 0.2 % of each. Count, sum, minimum
 * and maximum are exact. The largest bucket holds everything from HISTOGRAM_MAX up.
 * Source: the bucket layout of HdrHistogram (Tene), with 2^8 sub-buckets.
 */

#define HISTOGRAM_SUB_BITS 8
#define HISTOGRAM_MAX_BITS 42 /* 2^42 ns = 73 minutes */
#define HISTOGRAM_BUCKETS  ((HISTOGRAM_MAX_BITS - HISTOGRAM_SUB_BITS + 1) << HISTOGRAM_SUB_BITS)

struct histogram {
	uint64_t count;
	uint64_t sum_ns;
	int64_t min_ns; /* INT64_MAX while empty */
	int64_t max_ns; /* -1 while empty */
	uint64_t buckets[HISTOGRAM_BUCKETS];
};

/** histogram_init() - Make it empty. */
void histogram_init(struct histogram *h);

/** histogram_index() - The bucket of a value; @ns below zero counts as 0. */
static inline size_t histogram_index(int64_t ns)
{
	uint64_t value = ns > 0 ? (uint64_t)ns : 0;
	unsigned octave;

	if (value < 1U << HISTOGRAM_SUB_BITS)
		return value;
	if (value >= UINT64_C(1) << HISTOGRAM_MAX_BITS)
		return HISTOGRAM_BUCKETS - 1;
	octave = 63U - (unsigned)__builtin_clzll(value) - HISTOGRAM_SUB_BITS;
	return ((size_t)octave << HISTOGRAM_SUB_BITS) + (value >> octave);
}

/** histogram_add() - Count one value. Never allocates, never fails. */
static inline void histogram_add(struct histogram *h, int64_t ns)
{
	h->count++;
	h->sum_ns += ns > 0 ? (uint64_t)ns : 0;
	h->min_ns = ns < h->min_ns ? ns : h->min_ns;
	h->max_ns = ns > h->max_ns ? ns : h->max_ns;
	h->buckets[histogram_index(ns)]++;
}

/** histogram_low() - The smallest value of bucket @index; that of index + 1 is its end. */
int64_t histogram_low(size_t index);

/** histogram_merge() - Add the counts of @from to @into. Associative and commutative. */
void histogram_merge(struct histogram *into, const struct histogram *from);

/** histogram_find() - The bucket of the @rank-th smallest value; @rank is 1 to count. */
size_t histogram_find(const struct histogram *h, uint64_t rank);

/**
 * histogram_value() - The @rank-th smallest value: exact for the first and the last, else the
 * middle of its bucket, kept within [min, max].
 */
int64_t histogram_value(const struct histogram *h, uint64_t rank);

/** histogram_rank() - Which of @count values is their quantile @q: the ceil(q * count)-th, at
 * least 1. */
uint64_t histogram_rank(uint64_t count, double q);

/**
 * histogram_quantile() - The value below or at which a share @q of all values lie.
 * @q: 0 to 1. As histogram_value() of histogram_rank().
 *
 * Return: nanoseconds; -1 when the histogram is empty, which callers report as absent.
 */
int64_t histogram_quantile(const struct histogram *h, double q);

/** histogram_mean() - Exact mean in nanoseconds; -1 when empty. */
double histogram_mean(const struct histogram *h);

/** histogram_stddev() - Population standard deviation from bucket middles; -1 when empty. */
double histogram_stddev(const struct histogram *h);

#endif
