#include <math.h>
#include <stdlib.h>

#include "harness/report/build.h"
#include "harness/report/latency.h"
#include "harness/report/merged.h"
#include "harness/report/pick.h"

static int by_low(const void *a, const void *b)
{
	int64_t x = ((const struct merged_bucket *)a)->low;
	int64_t y = ((const struct merged_bucket *)b)->low;

	return (x > y) - (x < y);
}

/* Sorts, and makes one bucket of those that begin at the same value. */
static void settle(struct merged *merged)
{
	size_t kept = 0;

	if (merged->n > 0)
		qsort(merged->buckets, merged->n, sizeof(*merged->buckets), by_low);
	for (size_t i = 0; i < merged->n; i++) {
		if (kept > 0 && merged->buckets[kept - 1].low == merged->buckets[i].low)
			merged->buckets[kept - 1].count += merged->buckets[i].count;
		else
			merged->buckets[kept++] = merged->buckets[i];
	}
	merged->n = kept;
}

static int append(struct merged *merged, const json_t *pairs)
{
	size_t n = merged->n + json_array_size(pairs);
	struct merged_bucket *buckets = realloc(merged->buckets, n * sizeof(*buckets));
	const json_t *pair;
	size_t i;

	if (buckets == NULL)
		return -1;
	merged->buckets = buckets;
	json_array_foreach (pairs, i, pair) {
		json_int_t low = json_integer_value(json_array_get(pair, 0));
		json_int_t count = json_integer_value(json_array_get(pair, 1));

		merged->buckets[merged->n++] = (struct merged_bucket){low, (uint64_t)count};
		merged->count += (uint64_t)count;
	}
	settle(merged);
	return 0;
}

int merged_add(struct merged *merged, const json_t *trial)
{
	const json_t *pairs = pick(trial, "histogram.buckets");
	int64_t min_ns = (int64_t)pick_or(trial, "latency_ns.min", 0);
	int64_t max_ns = (int64_t)pick_or(trial, "latency_ns.max", 0);

	if (json_array_size(pairs) == 0)
		return 0;
	if (merged->count == 0 || min_ns < merged->min_ns)
		merged->min_ns = min_ns;
	if (merged->count == 0 || max_ns > merged->max_ns)
		merged->max_ns = max_ns;
	merged->sum_ns +=
		pick_or(trial, "latency_ns.mean", 0) * pick_or(trial, "latency_ns.count", 0);
	return append(merged, pairs);
}

void merged_free(struct merged *merged)
{
	free(merged->buckets);
	*merged = (struct merged){0};
}

static int64_t middle(const struct merged *merged, size_t i)
{
	int64_t low = merged->buckets[i].low;
	int64_t value = low + latency_width(low) / 2;

	if (value < merged->min_ns)
		return merged->min_ns;
	return value > merged->max_ns ? merged->max_ns : value;
}

int64_t merged_quantile(const struct merged *merged, double share)
{
	uint64_t rank = (uint64_t)ceil(share * (double)merged->count);
	uint64_t seen = 0;

	if (rank <= 1)
		return merged->min_ns;
	if (rank >= merged->count)
		return merged->max_ns;
	for (size_t i = 0; i < merged->n; i++) {
		seen += merged->buckets[i].count;
		if (seen >= rank)
			return middle(merged, i);
	}
	return merged->max_ns;
}

double merged_within(const struct merged *merged, double low, double high)
{
	uint64_t within = 0;

	for (size_t i = 0; i < merged->n; i++)
		if ((double)middle(merged, i) >= low && (double)middle(merged, i) <= high)
			within += merged->buckets[i].count;
	return (double)within / (double)merged->count;
}

json_t *merged_object(const struct merged *merged)
{
	struct build b = build_begin();

	build_count(&b, "count", merged->count);
	build_count(&b, "min", (uint64_t)merged->min_ns);
	build_number(&b, "mean", merged->sum_ns / (double)merged->count);
	for (const struct latency_percentile *p = latency_percentiles; p->name != NULL; p++)
		latency_put(&b, p, merged->count, merged_quantile(merged, p->share));
	build_count(&b, "max", (uint64_t)merged->max_ns);
	return build_end(&b);
}
