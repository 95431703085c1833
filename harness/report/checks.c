#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "harness/load/load.h"
#include "harness/load/pace.h"
#include "harness/report/build.h"
#include "harness/report/checks.h"
#include "harness/report/latency.h"
#include "lib/clock.h"

#define LITTLE_TOLERANCE 0.05             /* share; METHOD.md "Self-checks" */
#define START_NS         (20 * NS_PER_MS) /* that a load thread may wait for a CPU at first */
#define ARRIVALS_SIGMAS  5                /* beyond these by chance: once in a million runs */

/* Mean number of requests in flight, from what was measured of each. */
static double measured_in_flight(const struct record *r, int64_t window_ns)
{
	return ((double)r->ok.sum_ns + (double)r->failed.sum_ns + (double)r->inflight_sum_ns +
		       (double)r->carried_sum_ns) /
	       (double)window_ns;
}

/*
 * By how much the mean may lie below connections × pipeline, as a share: without a warm-up a load
 * thread may get its CPU late when all begin, and with a planned number of requests the last of
 * them are fewer.
 */
static double allowed_below(const struct load_params *params, const struct load_result *result)
{
	double lacking_ns = params->warmup_ns == 0 ? START_NS : 0;

	if (params->requests > 0)
		lacking_ns += (double)result->record->ok.max_ns;
	return fmin(LITTLE_TOLERANCE + lacking_ns / (double)result->window_ns, 1);
}

/* Why the law says nothing here, or NULL. */
static const char *not_saturated(const struct load_params *params, const struct load_result *result)
{
	const struct record *r = result->record;

	if (params->rate > 0)
		return "open loop: the number in flight is not planned";
	if (result->window_ns <= 0 || r->ok.count == 0)
		return "no verified reply";
	if (r->reconnects > 0 || r->served < (uint64_t)params->connections)
		return "connections were not always up";
	if (params->requests > 0 &&
		params->requests < 10 * (uint64_t)params->connections * (uint64_t)params->pipeline)
		return "too few requests to keep all connections busy";
	return NULL;
}

static json_t *littles_law(const struct load_params *params, const struct load_result *result)
{
	const char *reason = not_saturated(params, result);
	double expected = (double)params->connections * (double)params->pipeline;
	struct build b = build_begin();
	double measured;
	double below;

	if (reason != NULL) {
		build_absent(&b, "ok", reason);
		return build_end(&b);
	}
	measured = measured_in_flight(result->record, result->window_ns);
	below = allowed_below(params, result);
	build_put(&b, "ok",
		json_boolean(measured >= expected * (1 - below) &&
			     measured <= expected * (1 + LITTLE_TOLERANCE)));
	build_number(&b, "expected_in_flight", expected);
	build_number(&b, "measured", measured);
	build_number(&b, "allowed_below", below);
	return build_end(&b);
}

/* Every request begun ended once or is in flight, and is in one histogram and one second. */
static json_t *counts(const struct record *r)
{
	uint64_t failed = record_failed(r);
	uint64_t ended = r->outcomes[OUT_OK] + failed;
	uint64_t in_series = 0;
	struct build b = build_begin();
	bool ok;

	for (size_t i = 0; i < r->seconds; i++)
		in_series += r->series[i].ok + r->series[i].failed;
	ok = r->sent == ended + r->inflight_at_end && r->completed <= ended &&
	     r->ok.count == r->outcomes[OUT_OK] && r->failed.count == failed &&
	     (in_series == ended || r->seconds == RECORD_SERIES_MAX);
	build_put(&b, "ok", json_boolean(ok));
	build_count(&b, "sent", r->sent);
	build_count(&b, "ended", ended);
	build_count(&b, "in_series", in_series);
	return build_end(&b);
}

/* All that was planned was sent, dropped, or waits; and it was as many as the rate says: with
 * constant gaps but for one a thread, with Poisson arrivals within five standard deviations. */
static json_t *arrivals(const struct load_params *params, const struct load_result *result)
{
	const struct record *r = result->record;
	double expected = params->rate * (double)result->window_ns / NS_PER_S;
	double allowed = (double)params->threads +
			 (params->arrival == PACE_POISSON ? ARRIVALS_SIGMAS * sqrt(expected) : 0);
	const char *unexpected = params->requests > 0 ? "the number was given"
				 : result->stopped    ? "stopped before its planned end"
						      : NULL;
	struct build b = build_begin();

	if (params->rate <= 0) {
		build_absent(&b, "ok", "closed loop: nothing is sent on a schedule");
		return build_end(&b);
	}
	build_put(&b, "ok",
		json_boolean(r->pace.planned == r->sent + r->pace.dropped + r->pace.at_end &&
			     (unexpected != NULL ||
				     fabs((double)r->pace.planned - expected) <= allowed)));
	build_count(&b, "planned", r->pace.planned);
	if (unexpected != NULL)
		build_absent(&b, "expected", unexpected);
	else
		build_number(&b, "expected", expected);
	return build_end(&b);
}

/* Received bytes are in one second each, and are at least the bodies that were asked for. */
static json_t *bytes(const struct load_params *params, const struct record *r)
{
	bool length_known = params->verify <= VERIFY_LENGTH;
	uint64_t bodies = length_known ? r->outcomes[OUT_OK] * params->expect_body.len : 0;
	uint64_t in_series = 0;
	struct build b = build_begin();

	for (size_t i = 0; i < r->seconds; i++)
		in_series += r->series[i].rx_bytes;
	build_put(&b, "ok",
		json_boolean(r->rx_bytes >= bodies && r->rx_bytes >= r->completed &&
			     (in_series == r->rx_bytes || r->seconds == RECORD_SERIES_MAX)));
	build_count(&b, "received", r->rx_bytes);
	build_count(&b, "in_series", in_series);
	return build_end(&b);
}

json_t *checks_server_counts(
	const struct load_result *result, const uint64_t *counted, const char *reason)
{
	struct build b = build_begin();

	if (counted != NULL)
		build_put(&b, "ok",
			json_boolean(*counted >= result->replied_total &&
				     *counted <= result->begun_total));
	else
		build_absent(&b, "ok", reason);
	build_count(&b, "sent", result->begun_total);
	build_count(&b, "replies", result->replied_total);
	if (counted != NULL)
		build_count(&b, "answered", *counted);
	return build_end(&b);
}

/* Percentiles rise from the minimum to the maximum, and so does the mean lie between them. */
static bool is_monotone(const struct histogram *h)
{
	int64_t last_ns = h->min_ns;
	double mean = histogram_mean(h);

	if (h->count == 0)
		return true;
	for (const struct latency_percentile *p = latency_percentiles; p->name != NULL; p++) {
		int64_t ns = histogram_quantile(h, p->share);

		if (ns < last_ns)
			return false;
		last_ns = ns;
	}
	return last_ns <= h->max_ns && (double)h->min_ns <= mean && mean <= (double)h->max_ns;
}

static uint64_t in_buckets(const struct histogram *h)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < HISTOGRAM_BUCKETS; i++)
		sum += h->buckets[i];
	return sum;
}

static json_t *percentiles(const struct record *r)
{
	uint64_t ok = in_buckets(&r->ok);
	uint64_t failed = in_buckets(&r->failed);
	struct build b = build_begin();

	build_put(&b, "ok",
		json_boolean(is_monotone(&r->ok) && is_monotone(&r->failed) && ok == r->ok.count &&
			     failed == r->failed.count &&
			     r->timed_out.count == r->outcomes[OUT_TIMEOUT]));
	build_count(&b, "in_histogram", ok);
	build_count(&b, "in_failed_histogram", failed);
	return build_end(&b);
}

json_t *checks_object(const struct load_params *params, const struct load_result *result)
{
	struct build b = build_begin();

	build_put(&b, "littles_law", littles_law(params, result));
	build_put(&b, "counts", counts(result->record));
	build_put(&b, "arrivals", arrivals(params, result));
	build_put(&b, "server_counts",
		checks_server_counts(result, NULL, "not a server of this command"));
	build_put(&b, "bytes", bytes(params, result->record));
	build_put(&b, "percentiles", percentiles(result->record));
	return build_end(&b);
}

size_t checks_failed(const json_t *trial)
{
	json_t *checks = json_object_get(trial, "checks");
	size_t failed = 0;
	const char *name;
	json_t *check;

	json_object_foreach (checks, name, check)
		failed += json_is_false(json_object_get(check, "ok"));
	return failed;
}
