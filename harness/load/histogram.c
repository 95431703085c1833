#include <math.h>
#include <string.h>

#include "harness/load/histogram.h"

void histogram_init(struct histogram *h)
{
	memset(h, 0, sizeof(*h));
	h->min_ns = INT64_MAX;
	h->max_ns = -1;
}

int64_t histogram_low(size_t index)
{
	size_t octave = index >> HISTOGRAM_SUB_BITS;

	if (octave <= 1)
		return (int64_t)index;
	octave--;
	return (int64_t)((index - (octave << HISTOGRAM_SUB_BITS)) << octave);
}

void histogram_merge(struct histogram *into, const struct histogram *from)
{
	into->count += from->count;
	into->sum_ns += from->sum_ns;
	if (from->min_ns < into->min_ns)
		into->min_ns = from->min_ns;
	if (from->max_ns > into->max_ns)
		into->max_ns = from->max_ns;
	for (size_t i = 0; i < HISTOGRAM_BUCKETS; i++)
		into->buckets[i] += from->buckets[i];
}

/* The middle of a bucket, kept within what was really seen. */
static int64_t bucket_value(const struct histogram *h, size_t index)
{
	int64_t low = histogram_low(index);
	int64_t middle = low + (histogram_low(index + 1) - low) / 2;

	if (middle < h->min_ns)
		return h->min_ns;
	return middle > h->max_ns ? h->max_ns : middle;
}

size_t histogram_find(const struct histogram *h, uint64_t rank)
{
	uint64_t seen = 0;

	for (size_t i = 0; i < HISTOGRAM_BUCKETS; i++) {
		seen += h->buckets[i];
		if (seen >= rank)
			return i;
	}
	return HISTOGRAM_BUCKETS - 1;
}

int64_t histogram_value(const struct histogram *h, uint64_t rank)
{
	if (rank <= 1)
		return h->min_ns;
	if (rank >= h->count)
		return h->max_ns;
	return bucket_value(h, histogram_find(h, rank));
}

uint64_t histogram_rank(uint64_t count, double q)
{
	/* 0.07 * 100 is a little above 7 in binary, and means 7. */
	uint64_t rank = (uint64_t)ceil(q * (double)count * (1 - 1e-12));

	return rank > 1 ? rank : 1;
}

int64_t histogram_quantile(const struct histogram *h, double q)
{
	return h->count > 0 ? histogram_value(h, histogram_rank(h->count, q)) : -1;
}

double histogram_mean(const struct histogram *h)
{
	return h->count > 0 ? (double)h->sum_ns / (double)h->count : -1;
}

double histogram_stddev(const struct histogram *h)
{
	double mean = histogram_mean(h);
	double squares = 0;

	if (h->count == 0)
		return -1;
	for (size_t i = 0; i < HISTOGRAM_BUCKETS; i++) {
		double distance;

		if (h->buckets[i] == 0)
			continue;
		distance = (double)bucket_value(h, i) - mean;
		squares += distance * distance * (double)h->buckets[i];
	}
	return sqrt(squares / (double)h->count);
}
