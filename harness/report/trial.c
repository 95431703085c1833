#include <math.h>
#include <stdio.h>
#include <string.h>

#include "harness/codec/codec.h"
#include "harness/load/load.h"
#include "harness/load/pace.h"
#include "harness/report/build.h"
#include "harness/report/checks.h"
#include "harness/report/latency.h"
#include "harness/report/result.h"
#include "harness/usage.h"
#include "lib/clock.h"
#include "lib/fail.h"

#define CLIENT_LIMIT  0.95             /* share of the window; METHOD.md "What limited it" */
#define CPU_WINDOW_NS (50 * NS_PER_MS) /* five ticks; below, CPU time tells nothing */
#define LAG_LIMIT_NS  (1 * NS_PER_MS)  /* 99th percentile of the send lag, likewise */
#define BEHIND_SHARE  0.01             /* of what was planned; METHOD.md "Open loop" */

static const char NO_REPLY[] = "no verified reply";
static const char NO_WINDOW[] = "the window never opened";
static const char CLOSED_SERVICE[] = "closed loop: the same as latency_ns";
static const char CLOSED_LAG[] = "closed loop: nothing is sent on a schedule";
static const char BRIEF[] = "the window was too short to tell the share of a CPU";
static const char NO_LAG[] = "each request waited for a connection";

static double seconds(int64_t ns)
{
	return (double)ns / NS_PER_S;
}

static json_t *connections_object(const struct load_params *params, const struct record *r)
{
	struct build b = build_begin();

	build_count(&b, "requested", (uint64_t)params->connections);
	build_count(&b, "established", r->established);
	build_count(&b, "served", r->served);
	build_count(&b, "reconnects", r->reconnects);
	return build_end(&b);
}

static json_t *warmup_object(const struct load_result *result)
{
	const struct warmup *warmup = &result->warmup;
	struct build b = build_begin();

	build_number(&b, "s", seconds(result->warmup_ns));
	build_count(&b, "windows", warmup->windows);
	if (warmup->end != WARMUP_UNKNOWN)
		build_put(&b, "steady", json_boolean(warmup->end == WARMUP_STEADY));
	else
		build_absent(&b, "steady",
			warmup->reason != NULL ? warmup->reason : "it was broken off");
	return build_end(&b);
}

static void put_plan(
	struct build *b, const struct load_params *params, const struct load_result *result)
{
	static const char *const verify[] = {"full", "length", "status", "off"};

	build_text(b, "target", params->target->url);
	build_text(b, "protocol", params->target->codec->name);
	build_text(b, "mode", params->rate > 0 ? "open" : "closed");
	build_put(b, "connections", connections_object(params, result->record));
	build_count(b, "pipeline", (uint64_t)params->pipeline);
	build_count(b, "threads", (uint64_t)params->threads);
	build_put(b, "keep_alive", json_boolean(params->keep_alive));
	build_text(b, "verify", verify[params->verify]);
	build_put(b, "body_learned", json_boolean(result->learned));
	if (params->requests > 0)
		build_count(b, "requests_planned", params->requests);
	build_number(b, "duration_s", seconds(result->window_ns));
	build_number(b, "warmup_s", seconds(params->warmup_ns));
	build_put(b, "warmup", warmup_object(result));
	build_put(b, "stopped", json_boolean(result->stopped));
}

static json_t *requests_object(const struct record *r)
{
	struct build b = build_begin();

	build_count(&b, "sent", r->sent);
	build_count(&b, "completed", r->completed);
	build_count(&b, "ok", r->outcomes[OUT_OK]);
	build_count(&b, "failed", record_failed(r));
	build_count(&b, "inflight_at_end", r->inflight_at_end);
	if (r->inflight_at_end > 0)
		build_number(&b, "oldest_inflight_s", seconds(r->oldest_inflight_ns));
	else
		build_absent(&b, "oldest_inflight_s", "nothing in flight");
	return build_end(&b);
}

static json_t *throughput_object(const struct record *r, double window_s)
{
	struct build b = build_begin();

	build_ratio(&b, "rx", (double)r->rx_bytes, window_s, NO_WINDOW);
	build_ratio(&b, "tx", (double)r->tx_bytes, window_s, NO_WINDOW);
	return build_end(&b);
}

static void put_rates(struct build *b, const struct record *r, double window_s)
{
	build_put(b, "requests", requests_object(r));
	build_ratio(b, "rps", (double)r->outcomes[OUT_OK], window_s, NO_WINDOW);
	build_put(b, "throughput_bytes_per_s", throughput_object(r, window_s));
	build_ratio(
		b, "bytes_per_reply", (double)r->rx_bytes, (double)r->completed, "no whole reply");
}

static void put_latencies(struct build *b, const struct record *r)
{
	if (r->ok.count > 0)
		build_put(b, "latency_ns", latency_censored(&r->ok, &r->timed_out));
	else
		latency_put_none(
			b, "latency_ns", r->failed.count, r->timed_out.count, r->timed_out.min_ns);
	if (r->failed.count > 0)
		build_put(b, "failed_latency_ns", latency_object(&r->failed));
	else
		build_absent(b, "failed_latency_ns", "no request failed");
}

/* ------------------------------------------------------------------ open loop */

static json_t *rate_object(const struct load_params *params, const struct load_result *result)
{
	const struct record *r = result->record;
	struct build b = build_begin();

	build_number(&b, "target", params->rate);
	build_ratio(&b, "achieved", (double)r->answered, seconds(result->window_ns), NO_WINDOW);
	build_text(&b, "arrival", params->arrival == PACE_POISSON ? "poisson" : "constant");
	build_count(&b, "planned", r->pace.planned);
	if (params->arrival == PACE_POISSON)
		build_count(&b, "seed", params->seed);
	else
		build_absent(&b, "seed", "constant arrivals have nothing random");
	return build_end(&b);
}

static json_t *backlog_object(const struct pace_counts *counts)
{
	struct build b = build_begin();

	build_count(&b, "max", counts->backlog_max);
	build_count(&b, "at_end", counts->at_end);
	if (counts->at_end > 0)
		build_number(&b, "oldest_s", seconds(counts->oldest_ns));
	else
		build_absent(&b, "oldest_s", "nothing waits");
	build_count(&b, "dropped", counts->dropped);
	return build_end(&b);
}

static json_t *send_lag_object(const struct histogram *lag)
{
	static const struct latency_percentile shown[] = {{"p50", 0.5}, {"p99", 0.99}, {NULL, 0}};
	struct build b = build_begin();

	build_count(&b, "count", lag->count);
	for (const struct latency_percentile *p = shown; p->name != NULL; p++)
		latency_put(&b, p, lag->count, histogram_quantile(lag, p->share));
	build_count(&b, "max", (uint64_t)lag->max_ns);
	return build_end(&b);
}

/* Replies did not keep up: more is without one than those planned within the last median service
 * time, one for each thread, and a small share. */
static bool is_saturated(const struct load_params *params, const struct record *r)
{
	double behind = (double)(r->unfinished + r->pace.dropped + r->outcomes[OUT_TIMEOUT]);
	double recent = r->service.count > 0
				? params->rate * seconds(histogram_quantile(&r->service, 0.5))
				: 0;

	return r->pace.dropped > 0 ||
	       behind > (double)params->threads + recent + BEHIND_SHARE * (double)r->pace.planned;
}

static void put_open_loop(
	struct build *b, const struct load_params *params, const struct load_result *result)
{
	static const char *const fields[] = {"rate", "backlog", "saturated", "send_lag_ns", NULL};
	const struct record *r = result->record;

	for (const char *const *field = fields; params->rate <= 0 && *field != NULL; field++)
		build_absent(b, *field, CLOSED_LAG);
	if (params->rate <= 0) {
		build_absent(b, "service_time_ns", CLOSED_SERVICE);
		return;
	}
	build_put(b, "rate", rate_object(params, result));
	build_put(b, "backlog", backlog_object(&r->pace));
	build_put(b, "saturated", json_boolean(is_saturated(params, r)));
	if (r->service.count > 0)
		build_put(
			b, "service_time_ns", latency_censored(&r->service, &r->service_timed_out));
	else
		latency_put_none(b, "service_time_ns", r->failed.count, r->service_timed_out.count,
			r->service_timed_out.min_ns);
	if (r->send_lag.count > 0)
		build_put(b, "send_lag_ns", send_lag_object(&r->send_lag));
	else
		build_absent(b, "send_lag_ns", NO_LAG);
}

/* ------------------------------------------------------------------ who was the limit */

/* The generator had no time left, or sent later than it should have. */
static void put_client_limited(struct build *b, const struct load_result *result)
{
	const struct histogram *lag = &result->record->send_lag;
	bool late =
		lag->count >= latency_needed(0.99) && histogram_quantile(lag, 0.99) > LAG_LIMIT_NS;

	if (!late && result->window_ns < CPU_WINDOW_NS)
		build_absent(b, "client_limited", BRIEF);
	else
		build_put(b, "client_limited",
			json_boolean(late || result->cpu_busiest >= CLIENT_LIMIT));
}

/* Failures of gRPC by their code, which the engine counts as it counts HTTP's. */
static void put_grpc_errors(struct build *b, const struct record *r)
{
	static const char *const names[] = {NULL, "cancelled", "unknown", "invalid_argument",
		"deadline_exceeded", "not_found", "already_exists", "permission_denied",
		"resource_exhausted", "failed_precondition", "aborted", "out_of_range",
		"unimplemented", "internal", "unavailable", "data_loss", "unauthenticated"};
	char name[40];

	for (size_t code = 1; code < sizeof(names) / sizeof(names[0]); code++) {
		if (r->status_codes[code] == 0)
			continue;
		snprintf(name, sizeof(name), "grpc_%s", names[code]);
		build_count(b, name, r->status_codes[code]);
	}
}

static json_t *errors_object(const struct record *r)
{
	struct build b = build_begin();

	for (int kind = OUT_OK + 1; kind < OUT_KINDS; kind++) {
		if (r->outcomes[kind] == 0)
			continue;
		if (kind == OUT_GRPC)
			put_grpc_errors(&b, r);
		else
			build_count(&b, outcome_name((enum outcome)kind), r->outcomes[kind]);
	}
	return build_end(&b);
}

/* Of HTTP alone. Codes of 600 and above count at 0. */
static json_t *status_codes_object(const struct record *r, const struct codec_ops *codec)
{
	struct build b = build_begin();
	char name[16];

	if ((codec->flags & CODEC_HTTP_STATUS) == 0)
		return build_end(&b);
	for (unsigned code = 1; code < RECORD_STATUS_MAX; code++) {
		if (r->status_codes[code] == 0)
			continue;
		snprintf(name, sizeof(name), "%u", code);
		build_count(&b, name, r->status_codes[code]);
	}
	if (r->status_codes[0] > 0)
		build_count(&b, "other", r->status_codes[0]);
	return build_end(&b);
}

static json_t *client_object(const struct load_result *result)
{
	struct build b = build_begin();

	build_number(&b, "cpu_user_s", result->cpu_user_s);
	build_number(&b, "cpu_system_s", result->cpu_system_s);
	build_ratio(&b, "requests_per_cpu_s", (double)result->record->outcomes[OUT_OK],
		result->cpu_user_s + result->cpu_system_s, "no CPU time was seen");
	if (result->window_ns >= CPU_WINDOW_NS)
		build_number(&b, "cpu_busiest", fmin(result->cpu_busiest, 1));
	else
		build_absent(&b, "cpu_busiest", BRIEF);
	build_number(&b, "cpu_pacing_s", result->spun_s);
	if (result->clock_source[0] != '\0')
		build_text(&b, "clock_source", result->clock_source);
	else
		build_absent(&b, "clock_source", "the kernel does not say");
	build_count(&b, "clock_cost_ns", (uint64_t)result->clock_cost_ns);
	return build_end(&b);
}

static json_t *switches_object(const struct usage *before, const struct usage *after)
{
	struct build b = build_begin();

	build_count(&b, "voluntary", after->ctx_voluntary - before->ctx_voluntary);
	build_count(&b, "involuntary", after->ctx_involuntary - before->ctx_involuntary);
	return build_end(&b);
}

static json_t *server_object(
	const struct usage *before, const struct usage *after, const struct record *r)
{
	double user_s = after->cpu_user_s - before->cpu_user_s;
	double system_s = after->cpu_system_s - before->cpu_system_s;
	double ok = (double)r->outcomes[OUT_OK];
	struct build b = build_begin();

	build_number(&b, "cpu_user_s", user_s);
	build_number(&b, "cpu_system_s", system_s);
	build_ratio(&b, "requests_per_cpu_s", ok, user_s + system_s, "no CPU time was seen");
	build_ratio(&b, "cpu_us_per_request", (user_s + system_s) * 1e6, ok, NO_REPLY);
	build_count(&b, "max_rss_bytes", after->max_rss_bytes);
	build_put(&b, "ctx_switches", switches_object(before, after));
	build_count(&b, "processes", after->processes);
	build_count(&b, "threads", after->threads);
	return build_end(&b);
}

/* A process that ended takes its numbers along: the difference would then mean nothing. */
static bool usage_shrank(const struct usage *before, const struct usage *after)
{
	return after->cpu_user_s < before->cpu_user_s ||
	       after->cpu_system_s < before->cpu_system_s ||
	       after->ctx_voluntary < before->ctx_voluntary ||
	       after->ctx_involuntary < before->ctx_involuntary;
}

static void put_server(struct build *b, const struct usage *before, const struct usage *after,
	const char *unknown_reason, const struct record *r)
{
	if (before == NULL || after == NULL)
		build_absent(b, "server", unknown_reason != NULL ? unknown_reason : "not measured");
	else if (usage_shrank(before, after))
		build_absent(b, "server", "a process of the server ended within the window");
	else
		build_put(b, "server", server_object(before, after, r));
}

/* A second's own histogram is coarse: its percentiles are kept within what was really seen. */
static void put_second_percentile(struct build *b, const char *name,
	const struct record_second *second, double share, const struct histogram *all)
{
	struct latency_percentile p = {name, share};
	int64_t value = record_second_quantile(second, share);
	uint64_t count = second->ok + second->timed_out;

	if (second->ok == 0) {
		build_absent(b, name, NO_REPLY);
		return;
	}
	if (second->timed_out > 0 && count >= latency_needed(share)) {
		build_absent(b, name, "requests timed out");
		return;
	}
	if (value < all->min_ns)
		value = all->min_ns;
	latency_put(b, &p, count, value > all->max_ns ? all->max_ns : value);
}

static json_t *series_array(const struct record *r)
{
	json_t *series = json_array();

	for (size_t i = 0; i < r->seconds; i++) {
		const struct record_second *second = &r->series[i];
		struct build b = build_begin();

		build_count(&b, "t_s", i);
		build_count(&b, "ok", second->ok);
		build_count(&b, "failed", second->failed);
		build_count(&b, "timed_out", second->timed_out);
		build_count(&b, "rx_bytes", second->rx_bytes);
		put_second_percentile(&b, "p50_ns", second, 0.5, &r->ok);
		put_second_percentile(&b, "p99_ns", second, 0.99, &r->ok);
		if (json_array_append_new(series, build_end(&b)) != 0) {
			json_decref(series);
			return NULL;
		}
	}
	return series;
}

static void put_histogram(
	struct build *b, const char *name, const struct histogram *h, const char *reason)
{
	if (h->count > 0)
		build_put(b, name, latency_export(h));
	else
		build_absent(b, name, reason);
}

json_t *result_trial(const struct load_params *params, const struct load_result *result,
	const struct usage *before, const struct usage *after, const char *unknown_reason)
{
	const struct record *r = result->record;
	struct build b = build_begin();
	json_t *trial;

	put_plan(&b, params, result);
	put_rates(&b, r, seconds(result->window_ns));
	put_latencies(&b, r);
	put_open_loop(&b, params, result);
	build_put(&b, "errors", errors_object(r));
	build_put(&b, "status_codes", status_codes_object(r, params->target->codec));
	build_put(&b, "client", client_object(result));
	put_server(&b, before, after, unknown_reason, r);
	put_client_limited(&b, result);
	build_put(&b, "checks", checks_object(params, result));
	build_put(&b, "series", series_array(r));
	build_put(&b, "histogram", latency_export(&r->ok));
	put_histogram(&b, "failed_histogram", &r->failed, "no request failed");
	put_histogram(&b, "timed_out_histogram", &r->timed_out, "no request timed out");
	trial = build_end(&b);
	if (trial == NULL)
		fail_msg("no memory for the record of this trial");
	return trial;
}
