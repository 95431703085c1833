#include <math.h>
#include <stdio.h>
#include <stdlib.h>

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

void latency_put_at_least(struct build *b, const char *name, double ns)
{
	char bound[64];

	snprintf(bound, sizeof(bound), "%s_at_least", name);
	build_absent(b, name, LATENCY_TIMED_OUT);
	build_put(b, bound, ns == floor(ns) ? json_integer((json_int_t)ns) : build_real(ns));
}

void latency_put_none(
	struct build *b, const char *name, uint64_t failed, uint64_t timed_out, int64_t least_ns)
{
	char bound[64];

	build_absent(b, name,
		timed_out > 0 && timed_out == failed ? "all requests timed out"
						     : "no verified reply");
	snprintf(bound, sizeof(bound), "%s_at_least", name);
	if (timed_out > 0)
		build_count(b, bound, (uint64_t)least_ns);
}

void latency_put_figure(struct build *b, const struct latency_percentile *p, uint64_t count,
	struct latency_figure figure)
{
	if (figure.known || count < latency_needed(p->share))
		latency_put(b, p, count, figure.ns);
	else
		latency_put_at_least(b, p->name, (double)figure.ns);
}

/** struct censored - A distribution with its time-outs. */
struct censored {
	const struct histogram *ok;
	const struct histogram *timed_out;
	struct histogram all; /* both */
};

/* The value at @rank is known when replies of any length instead of the time-outs would leave it in
 * its bucket. Else it is at least where that bucket, or the first time-out in it, begins. */
static struct latency_figure figure_of(const struct censored *c, uint64_t rank)
{
	size_t bucket = histogram_find(&c->all, rank);

	if (rank <= c->ok->count && histogram_find(c->ok, rank) == bucket)
		return (struct latency_figure){histogram_value(c->ok, rank), true};
	if (histogram_index(c->timed_out->min_ns) == bucket)
		return (struct latency_figure){c->timed_out->min_ns, false};
	return (struct latency_figure){histogram_low(bucket), false};
}

static json_t *censored_object(const struct censored *c)
{
	struct build b = build_begin();

	build_count(&b, "count", c->all.count);
	build_count(&b, "timed_out", c->timed_out->count);
	if (c->all.min_ns == c->ok->min_ns)
		build_count(&b, "min", (uint64_t)c->ok->min_ns);
	else
		latency_put_at_least(&b, "min", (double)c->all.min_ns);
	latency_put_at_least(&b, "mean", histogram_mean(&c->all));
	build_absent(&b, "stddev", LATENCY_TIMED_OUT);
	for (const struct latency_percentile *p = latency_percentiles; p->name != NULL; p++)
		latency_put_figure(
			&b, p, c->all.count, figure_of(c, histogram_rank(c->all.count, p->share)));
	latency_put_at_least(&b, "max", (double)c->all.max_ns);
	return build_end(&b);
}

json_t *latency_censored(const struct histogram *ok, const struct histogram *timed_out)
{
	struct censored *c;
	json_t *object;

	if (timed_out->count == 0) {
		object = latency_object(ok);
		if (object != NULL)
			json_object_set_new(object, "timed_out", json_integer(0));
		return object;
	}
	c = malloc(sizeof(*c));
	if (c == NULL)
		return NULL;
	*c = (struct censored){ok, timed_out, *ok};
	histogram_merge(&c->all, timed_out);
	object = censored_object(c);
	free(c);
	return object;
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
	if (h->count > 0) {
		build_count(&b, "min", (uint64_t)h->min_ns);
		build_count(&b, "max", (uint64_t)h->max_ns);
		build_count(&b, "sum", h->sum_ns);
	}
	build_put(&b, "buckets", pairs);
	return build_end(&b);
}
