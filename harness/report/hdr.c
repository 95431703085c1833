#include <inttypes.h>
#include <math.h>

#include "harness/load/histogram.h"
#include "harness/report/latency.h"
#include "harness/report/merged.h"
#include "harness/report/result.h"
#include "lib/clock.h"

#define TICKS 5 /* rows for each halving of what is left above: HdrHistogram's default */

static double ms(int64_t ns)
{
	return (double)ns / NS_PER_MS;
}

/* How many values are not above bucket @i. */
static uint64_t count_up_to(const struct merged *all, size_t i)
{
	uint64_t count = 0;

	for (size_t j = 0; j <= i && j < all->n; j++)
		count += all->buckets[j].count;
	return count;
}

/* The step behind @percent: a fifth of the half of what is left, of 100, 50, 25, … */
static double step_after(double percent)
{
	double halvings = floor(log2(100 / (100 - percent))) + 1;

	return 100 / (TICKS * exp2(halvings));
}

static void print_rows(const struct merged *all, FILE *out)
{
	double percent = 0;
	uint64_t count = 0;

	while (count < all->count && percent < 100) {
		uint64_t rank = histogram_rank(all->count, percent / 100);

		count = count_up_to(all, merged_find(all, rank));
		fprintf(out, "%12.6f %14.12f %10" PRIu64 " %14.2f\n", ms(merged_value(all, rank)),
			percent / 100, count, 1 / (1 - percent / 100));
		percent += step_after(percent);
	}
	fprintf(out, "%12.6f %14.12f %10" PRIu64 "\n", ms(all->max_ns), 1.0, all->count);
}

int report_hdr(const json_t *trial, FILE *out)
{
	struct merged all = {0};
	uint64_t ok;

	if (merged_add(&all, trial, "histogram") != 0)
		return -1;
	ok = all.count;
	if (merged_add(&all, trial, "timed_out_histogram") != 0) {
		merged_free(&all);
		return -1;
	}
	fprintf(out, "%12s %14s %10s %14s\n\n", "Value", "Percentile", "TotalCount",
		"1/(1-Percentile)");
	if (all.count > 0)
		print_rows(&all, out);
	fprintf(out, "#[Mean    = %12.6f, StdDeviation   = %12.6f]\n",
		all.count > 0 ? all.sum_ns / (double)all.count / NS_PER_MS : 0,
		merged_stddev(&all) / NS_PER_MS);
	fprintf(out, "#[Max     = %12.6f, Total count    = %12" PRIu64 "]\n", ms(all.max_ns),
		all.count);
	fprintf(out, "#[Buckets = %12d, SubBuckets     = %12d]\n",
		HISTOGRAM_MAX_BITS - LATENCY_SUB_BITS, 2 << LATENCY_SUB_BITS);
	if (all.count > ok)
		fprintf(out,
			"#[Timed out = %" PRIu64
			": counted with what they waited, a lower bound]\n",
			all.count - ok);
	merged_free(&all);
	return 0;
}
