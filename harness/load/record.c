#include <math.h>
#include <stdlib.h>

#include "harness/load/record.h"

struct record *record_new(void)
{
	/* calloc() of this much comes from the kernel as untouched zero pages. */
	struct record *r = calloc(1, sizeof(*r));

	if (r == NULL)
		return NULL;
	histogram_init(&r->ok);
	histogram_init(&r->failed);
	histogram_init(&r->timed_out);
	histogram_init(&r->service);
	histogram_init(&r->service_timed_out);
	histogram_init(&r->send_lag);
	return r;
}

void record_free(struct record *r)
{
	free(r);
}

static void series_add(
	struct record *r, size_t second, enum outcome outcome, int64_t latency_ns, size_t bytes)
{
	struct record_second *s = &r->series[second];

	if (second >= r->seconds)
		r->seconds = second + 1;
	s->rx_bytes += bytes;
	if (outcome != OUT_OK) {
		s->failed++;
		s->timed_out += outcome == OUT_TIMEOUT;
		return;
	}
	s->ok++;
	s->latency[histogram_index(latency_ns) >> (HISTOGRAM_SUB_BITS - RECORD_COARSE_BITS)]++;
}

void record_done(struct record *r, enum outcome outcome, int64_t start_ns, int64_t end_ns,
	size_t second, size_t bytes)
{
	int64_t latency_ns = end_ns - start_ns;

	r->outcomes[outcome]++;
	r->rx_bytes += bytes;
	if (bytes > 0)
		r->completed++;
	histogram_add(outcome == OUT_OK ? &r->ok : &r->failed, latency_ns);
	if (outcome == OUT_TIMEOUT)
		histogram_add(&r->timed_out, latency_ns);
	if (second < RECORD_SERIES_MAX)
		series_add(r, second, outcome, latency_ns, bytes);
}

static void second_merge(struct record_second *into, const struct record_second *from)
{
	into->ok += from->ok;
	into->failed += from->failed;
	into->timed_out += from->timed_out;
	into->rx_bytes += from->rx_bytes;
	for (size_t i = 0; i < RECORD_COARSE; i++)
		into->latency[i] += from->latency[i];
}

/* Of different threads: backlog_max becomes the sum of what each had at its own worst moment. */
static void pace_merge(struct pace_counts *into, const struct pace_counts *from)
{
	into->planned += from->planned;
	into->dropped += from->dropped;
	into->backlog_max += from->backlog_max;
	into->at_end += from->at_end;
	if (from->oldest_ns > into->oldest_ns)
		into->oldest_ns = from->oldest_ns;
}

void record_merge(struct record *into, const struct record *from)
{
	into->sent += from->sent;
	into->completed += from->completed;
	for (size_t i = 0; i < OUT_KINDS; i++)
		into->outcomes[i] += from->outcomes[i];
	for (size_t i = 0; i < RECORD_STATUS_MAX; i++)
		into->status_codes[i] += from->status_codes[i];
	into->inflight_at_end += from->inflight_at_end;
	if (from->oldest_inflight_ns > into->oldest_inflight_ns)
		into->oldest_inflight_ns = from->oldest_inflight_ns;
	into->inflight_sum_ns += from->inflight_sum_ns;
	into->carried_sum_ns += from->carried_sum_ns;
	into->rx_bytes += from->rx_bytes;
	into->tx_bytes += from->tx_bytes;
	into->established += from->established;
	into->served += from->served;
	into->reconnects += from->reconnects;
	histogram_merge(&into->ok, &from->ok);
	histogram_merge(&into->failed, &from->failed);
	histogram_merge(&into->timed_out, &from->timed_out);
	pace_merge(&into->pace, &from->pace);
	into->answered += from->answered;
	into->unfinished += from->unfinished;
	histogram_merge(&into->service, &from->service);
	histogram_merge(&into->service_timed_out, &from->service_timed_out);
	histogram_merge(&into->send_lag, &from->send_lag);
	if (from->seconds > into->seconds)
		into->seconds = from->seconds;
	for (size_t i = 0; i < from->seconds; i++)
		second_merge(&into->series[i], &from->series[i]);
}

uint64_t record_failed(const struct record *r)
{
	uint64_t failed = 0;

	for (size_t i = OUT_OK + 1; i < OUT_REQUEST_KINDS; i++)
		failed += r->outcomes[i];
	return failed;
}

int64_t record_second_quantile(const struct record_second *second, double q)
{
	uint64_t rank = (uint64_t)ceil(q * (double)second->ok);
	uint64_t seen = 0;

	if (second->ok == 0)
		return -1;
	for (size_t i = 0; i < RECORD_COARSE; i++) {
		size_t fine = i << (HISTOGRAM_SUB_BITS - RECORD_COARSE_BITS);
		size_t next = (i + 1) << (HISTOGRAM_SUB_BITS - RECORD_COARSE_BITS);

		seen += second->latency[i];
		if (seen >= rank && seen > 0)
			return (histogram_low(fine) + histogram_low(next)) / 2;
	}
	return -1;
}
