#include <math.h>
#include <stdio.h>

#include "harness/load/histogram.h"
#include "harness/report/build.h"
#include "harness/report/latency.h"

const struct latency_percentile latency_percentiles[] = {
	{"p2_5", 0.025},
	{"p50", 0.5},
	{"p75", 0.75},
	{"p90", 0.9},
	{"p95", 0.95},
	{"p97_5", 0.975},
	{"p99", 0.99},
	{"p99_9", 0.999},
	{NULL, 0},
};

uint64_t latency_needed(double share)
{
	double rarer = share < 0.5 ? share : 1 - share;

	return share == 0.5 ? 1 : (uint64_t)llround(LATENCY_BEYOND / rarer);
}

void latency_put(
	struct build *b, const struct latency_percentile *p, uint64_t count, int64_t value_ns)
{
	char reason[64];

	if (count >= latency_needed(p->share)) {
		build_count(b, p->name, (uint64_t)value_ns);
		return;
	}
	snprintf(reason, sizeof(reason), "needs %llu samples",
		(unsigned long long)latency_needed(p->share));
	build_absent(b, p->name, reason);
}

json_t *latency_object(const struct histogram *h)
{
	struct build b = build_begin();

	build_count(&b, "count", h->count);
	build_count(&b, "min", (uint64_t)h->min_ns);
	build_number(&b, "mean", histogram_mean(h));
	build_number(&b, "stddev", histogram_stddev(h));
	for (const struct latency_percentile *p = latency_percentiles; p->name != NULL; p++)
		latency_put(&b, p, h->count, histogram_quantile(h, p->share));
	build_count(&b, "max", (uint64_t)h->max_ns);
	return build_end(&b);
}

int64_t latency_width(int64_t low)
{
	unsigned top = low > 0 ? 63U - (unsigned)__builtin_clzll((unsigned long long)low) : 0;

	return top > LATENCY_SUB_BITS ? INT64_C(1) << (top - LATENCY_SUB_BITS) : 1;
}

static json_t *bucket_pair(int64_t low, uint64_t count)
{
	return json_pack("[I, I]", (json_int_t)low, (json_int_t)count);
}

json_t *latency_export(const struct histogram *h)
{
	struct build b = build_begin();
	json_t *pairs = json_array();

	for (size_t i = 0; i < HISTOGRAM_BUCKETS;) {
		int64_t width = latency_width(histogram_low(i));
		int64_t low = histogram_low(i) / width * width;
		uint64_t count = 0;

		for (; i < HISTOGRAM_BUCKETS && histogram_low(i) < low + width; i++)
			count += h->buckets[i];
		if (count > 0 && json_array_append_new(pairs, bucket_pair(low, count)) != 0)
			b.failed = true;
	}
	build_text(&b, "unit", "ns");
	build_text(&b, "encoding",
		"[low, count]: values v with low <= v < low + 2^max(0, floor(log2(low)) - 7)");
	build_put(&b, "buckets", pairs);
	return build_end(&b);
}
