/*
 * compare_run
 *   find_sides, or start_server where clients are compared
 *   run_pairs: for each pair, both sides: run_server (trial_run) or run_client (client_run)
 *   summarise: medians and intervals of both sides and of the ratio
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/bench.h"
#include "harness/call.h"
#include "harness/client.h"
#include "harness/compare.h"
#include "harness/interrupt.h"
#include "harness/manifest.h"
#include "harness/pin.h"
#include "harness/plan.h"
#include "harness/progress.h"
#include "harness/proto.h"
#include "harness/reason.h"
#include "harness/report/build.h"
#include "harness/server.h"
#include "harness/stats/stats.h"
#include "harness/suite.h"
#include "harness/trial.h"
#include "lib/buf.h"
#include "lib/clock.h"
#include "lib/fail.h"
#include "lib/units.h"

#define TIMEOUT_NS (5 * NS_PER_S) /* of a request */

enum side { OURS, PEER, SIDES };

#define NAME_SIZE 64 /* bytes of a client with its options */

/* What one trial gave, of the server or of the client. */
struct sample {
	double window_s;
	uint64_t requests;
	uint64_t failed;
	double cpu_s;
	uint64_t max_rss_bytes;
	uint64_t half_rss_bytes; /* 0 = not known */
};

/* One comparison while it runs. */
struct compare {
	const struct compare_params *params;
	const struct bench_comparison *c;
	const char *names[SIDES];
	const struct contestant *contestants[SIDES]; /* where servers are compared */
	struct server server;                        /* where clients are */
	enum client_tool peer_tool;
	char own_names[SIDES][NAME_SIZE]; /* of rpcbench with options */
	char url[256];
	struct buf body; /* of its requests */
	struct call call;
	double *values[SIDES];
	double *ratios;
	json_t *trials;
	char reason[REASON_MAX];
};

/* Return: the contestant, or NULL with compare->reason. */
static const struct contestant *find(struct compare *compare, const char *name)
{
	const struct suite *suite = compare->params->suite;
	const struct contestant *found = manifest_find(&suite->manifests, name);
	char missing[REASON_MAX];

	if (found == NULL)
		reason_set(compare->reason, "no contestant is called %s", name);
	else if (manifest_call(found, compare->c->call) == NULL)
		reason_set(compare->reason, "%s has no call %s", name, compare->c->call);
	else if (manifest_missing(found, &suite->paths, missing, sizeof(missing)))
		reason_set(compare->reason, "%s %.400s", name, missing);
	else
		return found;
	return NULL;
}

static bool find_sides(struct compare *compare)
{
	compare->names[OURS] = compare->c->ours;
	compare->names[PEER] = compare->c->peer;
	for (int side = 0; side < SIDES; side++) {
		compare->contestants[side] = find(compare, compare->names[side]);
		if (compare->contestants[side] == NULL)
			return false;
	}
	return true;
}

/* "rpcbench --verify=off". @out: NAME_SIZE bytes. Return: @out. */
static const char *name_client(enum client_tool tool, const char *const *options, char *out)
{
	snprintf(out, NAME_SIZE, "%s", client_name(tool));
	for (; options != NULL && *options != NULL; options++)
		snprintf(out + strlen(out), NAME_SIZE - strlen(out), " %s", *options);
	return out;
}

/* The server that both clients load. */
static bool start_server(struct compare *compare)
{
	const struct compare_params *p = compare->params;
	const struct contestant *found = find(compare, compare->c->server);
	const struct proto_call *proto = proto_call_find(compare->c->call);
	bool grpc = found != NULL && found->protocol == MANIFEST_GRPC;

	compare->peer_tool = compare->c->peer_options != NULL ? CLIENT_RPCBENCH
			     : grpc                           ? CLIENT_H2LOAD
							      : CLIENT_WRK;
	compare->names[OURS] =
		name_client(CLIENT_RPCBENCH, compare->c->our_options, compare->own_names[OURS]);
	compare->names[PEER] =
		name_client(compare->peer_tool, compare->c->peer_options, compare->own_names[PEER]);
	if (grpc && (proto == NULL || proto_encode(proto->request, compare->call.request,
					      &compare->body) != 0))
		return reason_set(compare->reason, "its request cannot be made") == 0;
	if (found == NULL || server_start(&compare->server, p->suite, found, 1,
				     p->pin->on ? &p->pin->server : NULL, compare->reason) != 0)
		return false;
	snprintf(compare->url, sizeof(compare->url), "%s://%s:%u%s", grpc ? "grpc" : "http",
		MANIFEST_HOST, compare->server.process.port,
		manifest_call(found, compare->c->call)->url);
	return true;
}

/* The trial's numbers, as server_object() and others of the report name them. */
static int read_trial(const json_t *trial, struct sample *sample, char *reason)
{
	json_error_t error;
	json_int_t requests;
	json_int_t failed;
	json_int_t rss;
	double user_s;
	double system_s;

	if (json_unpack_ex((json_t *)trial, &error, 0, "{s:{s:I, s:I}, s:F, s:{s:F, s:F, s:I}}",
		    "requests", "ok", &requests, "failed", &failed, "duration_s", &sample->window_s,
		    "server", "cpu_user_s", &user_s, "cpu_system_s", &system_s, "max_rss_bytes",
		    &rss) != 0)
		return reason_set(reason, "the trial is incomplete: %.300s", error.text);
	sample->requests = (uint64_t)requests;
	sample->failed = (uint64_t)failed;
	sample->cpu_s = user_s + system_s;
	sample->max_rss_bytes = (uint64_t)rss;
	return 0;
}

static int run_server(
	const struct compare *compare, enum side side, struct sample *sample, char *reason)
{
	const struct compare_params *p = compare->params;
	const struct round round = {
		.duration_ns = p->bench->duration_ns,
		.warmup_ns = p->bench->warmup_ns,
		.timeout_ns = TIMEOUT_NS,
	};
	const struct plan_entry entry = {
		.contestant = compare->contestants[side],
		.call = manifest_call(compare->contestants[side], compare->c->call),
		.connections = compare->c->connections,
		.pipeline = compare->c->pipeline,
		.threads = 1,
	};
	const struct trial_params params = {
		.suite = p->suite,
		.round = &round,
		.call = &compare->call,
		.entry = &entry,
		.pin = p->pin,
		.progress = p->progress,
	};
	struct trial trial;
	int status = -1;

	switch (trial_run(&params, &trial)) {
	case TRIAL_MEASURED:
		status = read_trial(trial.json, sample, reason);
		break;
	case TRIAL_FAILED:
		reason_set(reason, "%.400s",
			json_string_value(json_object_get(trial.json, "failure")));
		break;
	case TRIAL_INTERRUPTED:
		break;
	}
	json_decref(trial.json);
	return status;
}

static int run_client(
	const struct compare *compare, enum side side, struct sample *sample, char *reason)
{
	const struct compare_params *p = compare->params;
	const struct client_params params = {
		.tool = side == OURS ? CLIENT_RPCBENCH : compare->peer_tool,
		.paths = &p->suite->paths,
		.url = compare->url,
		.body = {.data = buf_head(&compare->body), .len = buf_len(&compare->body)},
		.connections = compare->c->connections,
		.pipeline = compare->c->pipeline,
		.seconds = (p->bench->duration_ns + NS_PER_S - 1) / NS_PER_S,
		.cpus = p->pin->on ? &p->pin->client : NULL,
		.options = side == OURS ? compare->c->our_options : compare->c->peer_options,
	};
	struct client_result result;

	progress_stage(p->progress, "loading");
	if (client_run(&params, &result) != 0)
		return reason_set(reason, "it did not run");
	*sample = (struct sample){
		.window_s = (double)params.seconds,
		.requests = result.requests,
		.failed = result.failed,
		.cpu_s = result.cpu_s,
		.max_rss_bytes = result.max_rss_bytes,
		.half_rss_bytes = result.half_rss_bytes,
	};
	return 0;
}

/* Return: the value, or 0 when the sample does not give it. */
static double metric_of(const struct sample *sample, enum bench_metric metric)
{
	double requests = (double)sample->requests;

	if (sample->cpu_s <= 0 || requests <= 0)
		return 0;
	switch (metric) {
	case BENCH_REQUESTS_PER_CPU_S:
		return requests / sample->cpu_s;
	case BENCH_CPU_US_PER_REQUEST:
		return sample->cpu_s * 1e6 / requests;
	case BENCH_RPS:
		return requests / sample->window_s;
	case BENCH_MAX_RSS_BYTES:
		return (double)sample->max_rss_bytes;
	case BENCH_RSS_GROWTH:
		return sample->half_rss_bytes > 0
			       ? (double)sample->max_rss_bytes / (double)sample->half_rss_bytes
			       : 0;
	}
	return 0;
}

static json_t *sample_object(
	const struct sample *sample, const char *name, int64_t pair, int64_t order)
{
	struct build b = build_begin();

	build_count(&b, "pair", (uint64_t)pair);
	build_count(&b, "order", (uint64_t)order);
	build_text(&b, "name", name);
	build_count(&b, "requests", sample->requests);
	build_count(&b, "failed", sample->failed);
	build_number(&b, "window_s", sample->window_s);
	build_number(&b, "cpu_s", sample->cpu_s);
	for (int metric = 0; bench_metrics[metric] != NULL; metric++) {
		double value = metric_of(sample, (enum bench_metric)metric);

		if (value > 0)
			build_number(&b, bench_metrics[metric], value);
		else
			build_absent(&b, bench_metrics[metric], "not measured");
	}
	return build_end(&b);
}

/* Return: 0, or -1 with compare->reason, which stays empty after an interruption. */
static int run_one(struct compare *compare, enum side side, int64_t pair, int64_t order)
{
	const struct compare_params *p = compare->params;
	const char *name = compare->names[side];
	char reason[REASON_MAX] = "";
	char text[96];
	char value_text[UNITS_TEXT];
	struct sample sample = {0};
	double value;
	int status;

	snprintf(text, sizeof(text), "%.32s pair %d of %d: %.32s", compare->c->name, (int)pair,
		(int)p->bench->pairs, name);
	progress_trial(p->progress, text);
	status = compare->c->server != NULL ? run_client(compare, side, &sample, reason)
					    : run_server(compare, side, &sample, reason);
	value = metric_of(&sample, (enum bench_metric)compare->c->metric);
	if (status == 0 && sample.failed > 0)
		status = reason_set(
			reason, "%llu of its requests failed", (unsigned long long)sample.failed);
	else if (status == 0 && value <= 0)
		status = reason_set(reason, "no %s", bench_metrics[compare->c->metric]);
	progress_done(p->progress, status == 0               ? units_count(value, value_text)
				   : interrupt_signal() != 0 ? "interrupted"
							     : "failed");
	if (interrupt_signal() != 0)
		return -1;
	if (status != 0)
		return reason_set(compare->reason, "%s: %.400s", name, reason);
	compare->values[side][pair - 1] = value;
	return json_array_append_new(compare->trials, sample_object(&sample, name, pair, order));
}

static int run_pairs(struct compare *compare)
{
	int64_t pairs = compare->params->bench->pairs;

	for (int64_t pair = 1; pair <= pairs; pair++) {
		enum side first = pair % 2 == 1 ? OURS : PEER;

		if (run_one(compare, first, pair, 1) != 0 ||
			run_one(compare, first == OURS ? PEER : OURS, pair, 2) != 0)
			return -1;
	}
	return 0;
}

/* Sorts @values. Return: {median, ci95_low, ci95_high, n}, or NULL without memory. */
static json_t *interval_object(double *values, size_t n, double *median)
{
	struct build b = build_begin();
	struct stats_interval interval;

	stats_sort(values, n);
	*median = stats_median(values, n);
	if (stats_median_interval(values, n, COMPARE_SEED, &interval) != 0)
		return NULL;
	build_number(&b, "median", *median);
	build_number(&b, "ci95_low", interval.low);
	build_number(&b, "ci95_high", interval.high);
	build_count(&b, "n", n);
	return build_end(&b);
}

static void summarise(struct compare *compare, struct build *b)
{
	size_t n = (size_t)compare->params->bench->pairs;
	struct build summary = build_begin();
	double ours;
	double peer;
	double ratio;

	for (size_t i = 0; i < n; i++)
		compare->ratios[i] = compare->values[OURS][i] / compare->values[PEER][i];
	build_put(&summary, "ours", interval_object(compare->values[OURS], n, &ours));
	build_put(&summary, "peer", interval_object(compare->values[PEER], n, &peer));
	build_put(&summary, "ratio", interval_object(compare->ratios, n, &ratio));
	build_put(b, "summary", build_end(&summary));
	build_put(b, "reached", json_boolean(bench_meets(&compare->c->bar, ratio, ours)));
}

static json_t *bar_object(const struct bench_comparison *c)
{
	struct build b = build_begin();

	build_text(&b, "text", c->bar_text);
	build_text(&b, "of", c->bar.absolute ? "ours" : "ratio");
	build_number(&b, "value", c->bar.value);
	return build_end(&b);
}

static json_t *compare_object(struct compare *compare)
{
	const struct bench_comparison *c = compare->c;
	struct build b = build_begin();

	build_text(&b, "name", c->name);
	build_text(&b, "measured", c->server != NULL ? "client" : "server");
	build_text(&b, "ours", compare->names[OURS]);
	build_text(&b, "peer", compare->names[PEER]);
	build_text(&b, "server", c->server);
	build_text(&b, "call", c->call);
	build_count(&b, "connections", (uint64_t)c->connections);
	build_count(&b, "pipeline", (uint64_t)c->pipeline);
	build_text(&b, "metric", bench_metrics[c->metric]);
	build_put(&b, "bar", bar_object(c));
	build_text(&b, "note", c->note);
	build_put(&b, "trials", json_incref(compare->trials));
	if (compare->reason[0] == '\0')
		summarise(compare, &b);
	else
		build_absent(&b, "reached", compare->reason);
	return build_end(&b);
}

static bool conduct(struct compare *compare)
{
	const struct bench_comparison *c = compare->c;

	if (call_load(&compare->call, &compare->params->suite->paths, c->call) != 0)
		return reason_set(compare->reason, "the call cannot be read") == 0;
	if (!(c->server != NULL ? start_server(compare) : find_sides(compare)))
		return false;
	return run_pairs(compare) == 0;
}

json_t *compare_run(const struct compare_params *params, const struct bench_comparison *c)
{
	size_t pairs = (size_t)params->bench->pairs;
	double *values = calloc((SIDES + 1) * pairs, sizeof(*values));
	struct compare compare = {
		.params = params,
		.c = c,
		.trials = json_array(),
	};
	json_t *json = NULL;

	if (values == NULL || compare.trials == NULL) {
		fail_msg("out of memory");
		goto out;
	}
	compare.values[OURS] = values;
	compare.values[PEER] = values + pairs;
	compare.ratios = values + 2 * pairs;
	if (!conduct(&compare) && compare.reason[0] == '\0')
		reason_set(compare.reason, "it was not run to its end");
	server_stop(&compare.server, false);
	if (interrupt_signal() == 0)
		json = compare_object(&compare);
	call_free(&compare.call);
	buf_free(&compare.body);
out:
	json_decref(compare.trials);
	free(values);
	return json;
}
