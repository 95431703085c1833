#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/load/histogram.h"
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

/* Adds @from, whose buckets the caller has, to @into. Return: 0, or -1 without memory. */
static int join(struct merged *into, const struct merged *from)
{
	struct merged_bucket *buckets;

	if (from->count == 0)
		return 0;
	buckets = realloc(into->buckets, (into->n + from->n) * sizeof(*buckets));
	if (buckets == NULL)
		return -1;
	memcpy(buckets + into->n, from->buckets, from->n * sizeof(*buckets));
	into->buckets = buckets;
	into->n += from->n;
	if (into->count == 0 || from->min_ns < into->min_ns)
		into->min_ns = from->min_ns;
	if (into->count == 0 || from->max_ns > into->max_ns)
		into->max_ns = from->max_ns;
	into->count += from->count;
	into->sum_ns += from->sum_ns;
	settle(into);
	return 0;
}

/* The distribution of these [low, count] pairs but for its extremes. */
static int read_pairs(struct merged *merged, const json_t *pairs)
{
	const json_t *pair;
	size_t i;

	merged->buckets = calloc(json_array_size(pairs) + 1, sizeof(*merged->buckets));
	if (merged->buckets == NULL)
		return -1;
	json_array_foreach (pairs, i, pair) {
		json_int_t low = json_integer_value(json_array_get(pair, 0));
		json_int_t count = json_integer_value(json_array_get(pair, 1));

		merged->buckets[merged->n++] = (struct merged_bucket){low, (uint64_t)count};
		merged->count += (uint64_t)count;
	}
	return 0;
}

/* What is exact of a distribution. Earlier records have it in latency_ns alone. */
static void read_exact(struct merged *merged, const json_t *trial, const json_t *distribution)
{
	const json_t *latency = pick(trial, "latency_ns");

	merged->min_ns = (int64_t)pick_or(distribution, "min", pick_or(latency, "min", 0));
	merged->max_ns = (int64_t)pick_or(distribution, "max", pick_or(latency, "max", 0));
	merged->sum_ns = pick_or(
		distribution, "sum", pick_or(latency, "mean", 0) * pick_or(latency, "count", 0));
}

int merged_add(struct merged *merged, const json_t *trial, const char *name)
{
	const json_t *distribution = pick(trial, name);
	struct merged one = {0};
	int ret = -1;

	read_exact(&one, trial, distribution);
	if (read_pairs(&one, pick(distribution, "buckets")) == 0)
		ret = join(merged, &one);
	merged_free(&one);
	return ret;
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

size_t merged_find(const struct merged *merged, uint64_t rank)
{
	uint64_t seen = 0;

	for (size_t i = 0; i < merged->n; i++) {
		seen += merged->buckets[i].count;
		if (seen >= rank)
			return i;
	}
	return merged->n - 1;
}

int64_t merged_value(const struct merged *merged, uint64_t rank)
{
	if (rank <= 1)
		return merged->min_ns;
	if (rank >= merged->count)
		return merged->max_ns;
	return middle(merged, merged_find(merged, rank));
}

int64_t merged_quantile(const struct merged *merged, double share)
{
	return merged_value(merged, histogram_rank(merged->count, share));
}

double merged_stddev(const struct merged *merged)
{
	double mean = merged->sum_ns / (double)merged->count;
	double squares = 0;

	for (size_t i = 0; i < merged->n; i++)
		squares +=
			(double)merged->buckets[i].count * pow((double)middle(merged, i) - mean, 2);
	return merged->count > 0 ? sqrt(squares / (double)merged->count) : 0;
}

double merged_within(const struct merged *merged, double low, double high)
{
	uint64_t within = 0;

	for (size_t i = 0; i < merged->n; i++)
		if ((double)middle(merged, i) >= low && (double)middle(merged, i) <= high)
			within += merged->buckets[i].count;
	return (double)within / (double)merged->count;
}

/** struct censored - As of one histogram: see latency.c. */
struct censored {
	const struct merged *ok;
	const struct merged *timed_out;
	struct merged all; /* both */
};

static struct latency_figure figure_of(const struct censored *c, uint64_t rank)
{
	int64_t low = c->all.buckets[merged_find(&c->all, rank)].low;
	int64_t first;

	if (rank <= c->ok->count && c->ok->buckets[merged_find(c->ok, rank)].low == low)
		return (struct latency_figure){merged_value(c->ok, rank), true};
	first = c->timed_out != NULL ? c->timed_out->min_ns : low;
	return (struct latency_figure){
		first >= low && first < low + latency_width(low) ? first : low, false};
}

static void put_extreme(struct build *b, const char *name, int64_t ns, bool known)
{
	if (known)
		build_count(b, name, (uint64_t)ns);
	else
		latency_put_at_least(b, name, (double)ns);
}

json_t *merged_object(const struct merged *ok, const struct merged *timed_out)
{
	struct censored c = {.ok = ok, .timed_out = timed_out};
	struct build b = build_begin();

	if (join(&c.all, ok) != 0 || (timed_out != NULL && join(&c.all, timed_out) != 0)) {
		b.failed = true;
		merged_free(&c.all);
		return build_end(&b);
	}
	build_count(&b, "count", c.all.count);
	if (timed_out != NULL)
		build_count(&b, "timed_out", timed_out->count);
	put_extreme(&b, "min", c.all.min_ns, c.all.min_ns == ok->min_ns);
	if (c.all.count == ok->count)
		build_number(&b, "mean", ok->sum_ns / (double)ok->count);
	else
		latency_put_at_least(&b, "mean", c.all.sum_ns / (double)c.all.count);
	if (c.all.count == ok->count)
		build_number(&b, "stddev", merged_stddev(ok));
	else
		build_absent(&b, "stddev", LATENCY_TIMED_OUT);
	for (const struct latency_percentile *p = latency_percentiles; p->name != NULL; p++)
		latency_put_figure(
			&b, p, c.all.count, figure_of(&c, histogram_rank(c.all.count, p->share)));
	put_extreme(&b, "max", c.all.max_ns, c.all.count == ok->count);
	merged_free(&c.all);
	return build_end(&b);
}
