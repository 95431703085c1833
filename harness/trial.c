/*
 * trial_run
 *   wait_for_ports -> server_start -> verify -> measure -> look_for_strangers -> verify
 *   -> server_stop
 *   measure: load_run, which calls back
 *     on_window, at both ends of it: a snapshot of the server's usage
 *     on_progress, ten times a second: has the server ended, was Ctrl-C pressed
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "harness/call.h"
#include "harness/interrupt.h"
#include "harness/load/load.h"
#include "harness/local_ports.h"
#include "harness/manifest.h"
#include "harness/pin.h"
#include "harness/plan.h"
#include "harness/progress.h"
#include "harness/proto.h"
#include "harness/reason.h"
#include "harness/report/build.h"
#include "harness/report/checks.h"
#include "harness/report/pick.h"
#include "harness/report/result.h"
#include "harness/server.h"
#include "harness/trial.h"
#include "harness/verify/verify.h"
#include "harness/window.h"
#include "lib/buf.h"
#include "lib/clock.h"
#include "lib/fail.h"
#include "lib/units.h"

#define PORTS_SPARE 64 /* local ports beside those of the load: for servers, verification */

/* One trial while it runs. */
struct run {
	const struct trial_params *params;
	struct local_ports_wait ports; /* before the start */
	struct server server;
	struct verify_seen seen;
	struct buf reference; /* what each reply must carry */
	char reason[REASON_MAX];
	bool crashed;
	cpu_set_t cpus; /* that server and client use */
	struct window window;
	uint64_t answered_before;   /* requests, as the server counts */
	char uncounted[REASON_MAX]; /* why it does not; empty when it does */
};

static void on_window(void *ctx, bool end)
{
	struct run *run = ctx;

	window_look(&run->window, &run->server, end);
}

/* Looks whether the server has ended by itself, and says when in run->reason. */
static bool look_for_crash(struct run *run)
{
	char how[REASON_MAX];

	if (run->crashed || !server_ended(&run->server, how))
		return run->crashed;
	run->crashed = true;
	if (run->window.opened_ns == 0)
		reason_set(run->reason, "%.400s during the warm-up", how);
	else
		reason_set(run->reason, "%.400s %.1f s after the window opened", how,
			(double)(clock_ns() - run->window.opened_ns) / NS_PER_S);
	return true;
}

static int on_progress(void *ctx, const struct load_progress *progress)
{
	struct run *run = ctx;

	window_tick(&run->window, &run->server);
	progress_load(run->params->progress, progress);
	return look_for_crash(run) || interrupt_signal() != 0;
}

/* Requests of connections made since could have been answered by somebody else. */
static int look_for_strangers(struct run *run)
{
	char who[REASON_MAX];

	if (!server_is_joined(&run->server, who))
		return 0;
	return reason_set(run->reason, "%.400s since the load began: it may have answered", who);
}

static int verify(struct run *run, const char *when)
{
	const struct verify_params params = {
		.contestant = run->params->entry->contestant,
		.call = run->params->entry->call,
		.expect = run->params->call,
		.port = run->server.process.port,
		.timeout_ns = run->params->round->timeout_ns,
		.seen = &run->seen,
	};
	char why[REASON_MAX];

	buf_clear(&run->reference);
	if (verify_call(&params, &run->reference, why) == 0)
		return 0;
	return reason_set(run->reason, "verify%s: %s", when, why);
}

/* True for the methods whose request is a body. */
static bool has_body(const struct manifest_call *call)
{
	return strcmp(call->method, "GET") != 0 && strcmp(call->method, "HEAD") != 0;
}

/* "Name: value" texts of a call, ended by NULL; owned by the caller with its texts. */
static char **make_headers(const struct manifest_call *call)
{
	char **headers = calloc(json_object_size(call->headers) + 2, sizeof(*headers));
	bool needs_type = has_body(call);
	const char *name;
	json_t *value;
	size_t n = 0;

	if (headers == NULL)
		return NULL;
	json_object_foreach (call->headers, name, value) {
		if (asprintf(&headers[n], "%s: %s", name, json_string_value(value)) >= 0)
			n++;
		if (strcasecmp(name, "content-type") == 0)
			needs_type = false;
	}
	if (needs_type)
		headers[n] = strdup("Content-Type: application/json");
	return headers;
}

static void free_headers(char **headers)
{
	for (char **header = headers; header != NULL && *header != NULL; header++)
		free(*header);
	free(headers);
}

int64_t trial_load_threads(const struct plan_entry *entry, const struct pin *pin)
{
	/* The engine takes less CPU for a request than any server does. */
	int64_t useful = 2 * entry->threads;
	int64_t threads = pin->client_count;

	threads = threads < useful ? threads : useful;
	threads = threads < entry->connections ? threads : entry->connections;
	return threads < LOAD_THREADS_MAX ? threads : LOAD_THREADS_MAX;
}

/* The server's count against ours. Return: a new reference. */
static json_t *server_counts(struct run *run, const struct load_result *result)
{
	uint64_t answered = 0;

	if (run->crashed && run->uncounted[0] == '\0')
		reason_set(run->uncounted, "the server had ended");
	if (run->uncounted[0] != '\0' || !server_count(&run->server, &answered, run->uncounted))
		return checks_server_counts(result, NULL, run->uncounted);
	answered -= run->answered_before;
	return checks_server_counts(result, &answered, NULL);
}

/* Return: the trial's numbers, or NULL with run->reason. */
static json_t *load(struct run *run, const struct load_params *params)
{
	const struct load_watch watch = {.ctx = run, .window = on_window, .progress = on_progress};
	const struct window_used *used = &run->window.used;
	struct load_result result;
	bool known;
	json_t *json;

	progress_clear(run->params->progress);
	server_count(&run->server, &run->answered_before, run->uncounted);
	if (load_run(params, &watch, &result) != 0) {
		reason_set(run->reason, "the load could not be started");
		return NULL;
	}
	look_for_crash(run);
	known = used->has_before && used->has_after && !run->crashed;
	json = result_trial(params, &result, known ? &used->before : NULL,
		known ? &used->after : NULL, known ? NULL : "the server had ended");
	if (json != NULL)
		json_object_set_new(json_object_get(json, "checks"), "server_counts",
			server_counts(run, &result));
	if (json_is_object(json_object_get(json, "server")))
		json_object_set_new(
			json_object_get(json, "server"), "per_second", window_per_second(used));
	if (json != NULL && run->server.companion_count > 0)
		json_object_set_new(json, "companions",
			window_companions(
				&run->window, &run->server, result.record->outcomes[OUT_OK]));
	load_result_free(&result);
	if (json == NULL)
		reason_set(run->reason, "out of memory");
	return json;
}

/* The request's bytes, as load_params.body takes them: protos/expect has what it asks. */
static int make_body(const struct run *run, struct buf *body)
{
	const struct plan_entry *entry = run->params->entry;
	const struct call *call = run->params->call;
	const struct proto_call *proto = proto_call_find(call->name);
	char *text = NULL;
	int status;

	switch (entry->contestant->protocol) {
	case MANIFEST_GRPC:
		return proto != NULL ? proto_encode(proto->request, call->request, body) : -1;
	case MANIFEST_THRIFT:
		text = call_thrift_arguments(call);
		break;
	case MANIFEST_HTTP1:
		if (!has_body(entry->call))
			return 0;
		text = call_json_body(call);
		break;
	}
	status = text != NULL ? buf_append(body, text, strlen(text)) : -1;
	free(text);
	return status;
}

/* As load(): sets up its parameters. */
static json_t *measure(struct run *run)
{
	const struct trial_params *p = run->params;
	const struct plan_entry *entry = p->entry;
	static const char *const schemes[] = {
		[MANIFEST_HTTP1] = "http", [MANIFEST_THRIFT] = "thrift", [MANIFEST_GRPC] = "grpc"};
	char **headers = make_headers(entry->call);
	struct buf body = {0};
	struct load_params params = {
		.connections = entry->connections,
		.pipeline = entry->pipeline,
		.requests = (uint64_t)entry->requests,
		.rate = entry->rate,
		.arrival = entry->arrival,
		.seed = p->seed,
		.threads = trial_load_threads(entry, p->pin),
		.duration_ns = p->round->duration_ns,
		.warmup_ns = p->round->warmup_ns,
		.until_steady = true,
		.timeout_ns = p->round->timeout_ns,
		.verify = VERIFY_FULL,
		.keep_alive = true,
		.method = entry->call->method,
		.headers = (const char *const *)headers,
		.expect_body = {.data = buf_head(&run->reference), .len = buf_len(&run->reference)},
		.pin = p->pin->on,
		.cpus = p->pin->client,
	};
	struct target target = {0};
	char url[PATH_MAX];
	json_t *json = NULL;

	run->window.cpus = pin_used(p->pin, (int)params.threads, &run->cpus);
	snprintf(url, sizeof(url), "%s://%s:%u%s", schemes[entry->contestant->protocol],
		MANIFEST_HOST, run->server.process.port, entry->call->url);
	if (headers == NULL || make_body(run, &body) != 0)
		reason_set(run->reason, "its request cannot be made");
	else if (target_parse(url, &target) != 0)
		reason_set(run->reason, "its url cannot be used: %.200s", url);
	params.target = &target;
	params.body = (struct slice){.data = buf_head(&body), .len = buf_len(&body)};
	if (run->reason[0] == '\0')
		json = load(run, &params);
	target_free(&target);
	free_headers(headers);
	buf_free(&body);
	return json;
}

static void tell_wait(void *ctx, const struct local_ports_wait *wait)
{
	const struct run *run = ctx;
	char text[UNITS_TEXT];

	progress_clear(run->params->progress);
	fail_msg("waits up to %s for local ports: %zu of %zu are free, %zu may be needed; "
		 "%zu connections that were closed are in TIME_WAIT",
		units_duration((double)LOCAL_PORTS_WAIT_NS, text), wait->seen.free,
		wait->seen.total, wait->needed, wait->seen.time_wait);
	progress_stage(run->params->progress, "waiting for local ports");
}

/* A contestant that closes connections takes a port for each that is set up again: as many as in
 * its last trial, if half of the range can do that. */
static void wait_for_ports(struct run *run)
{
	const struct plan_entry *entry = run->params->entry;
	const json_t *trials = json_object_get(entry->json, "trials");
	double again = pick_or(
		json_array_get(trials, json_array_size(trials) - 1), "connections.reconnects", 0);
	struct local_ports_wait *ports = &run->ports;

	if (again > 0 && local_ports_look("/proc", &ports->seen, ports->reason) == 0 &&
		again > (double)ports->seen.total / 2)
		again = (double)ports->seen.total / 2;
	ports->needed = (size_t)entry->connections + PORTS_SPARE + (size_t)again;
	local_ports_wait("/proc", LOCAL_PORTS_WAIT_NS, ports, tell_wait, run);
}

static void put_ports(json_t *trial, const struct local_ports_wait *ports)
{
	struct build b = {.object = trial};

	if (ports->known)
		build_put(&b, "ports", local_ports_object(ports));
	else
		build_absent(&b, "ports", ports->reason);
}

/* From start to the second verification. Return: the numbers, NULL when there are none. */
static json_t *conduct(struct run *run)
{
	const struct trial_params *p = run->params;
	json_t *json;

	wait_for_ports(run);
	progress_stage(p->progress, "starting");
	if (server_start(&run->server, p->suite, p->entry->contestant, p->entry->threads,
		    p->pin->on ? &p->pin->server : NULL, run->reason) != 0)
		return NULL;
	progress_stage(p->progress, "verifying");
	if (verify(run, "") != 0)
		return NULL;
	json = measure(run);
	progress_stage(p->progress, "stopping");
	if (json != NULL && run->reason[0] == '\0' && interrupt_signal() == 0 &&
		look_for_strangers(run) == 0)
		verify(run, " after the load");
	return json;
}

/* A reason may quote a path with any bytes; the record is UTF-8. */
static json_t *reason_json(const char *reason)
{
	json_t *text = json_string(reason);

	return text != NULL ? text : json_string("the reason is no UTF-8, see the log");
}

/* Its figures go into the record in any case. */
static void judge(const struct run *run, struct trial *trial)
{
	struct disturbance d;

	if (trial->json == NULL || !window_disturbance(&run->window, &d))
		return;
	disturbance_counts(&d, trial->disturbed);
	json_object_set_new(trial->json, "disturbance", disturbance_object(&d));
}

enum trial_end trial_run(const struct trial_params *params, struct trial *trial)
{
	struct run run = {.params = params};
	bool failed;

	*trial = (struct trial){.json = conduct(&run)};
	failed = run.reason[0] != '\0';
	judge(&run, trial);
	window_free(&run.window);
	if (!server_stop(&run.server, failed)) {
		progress_clear(params->progress);
		fail_msg("%s: did not end on SIGTERM and was killed",
			params->entry->contestant->name);
	}
	memcpy(trial->log, run.server.log, sizeof(trial->log));
	buf_free(&run.reference);
	if (interrupt_signal() != 0) {
		json_decref(trial->json);
		trial->json = NULL;
		return TRIAL_INTERRUPTED;
	}
	if (trial->json == NULL)
		trial->json = json_object();
	put_ports(trial->json, &run.ports);
	if (!failed)
		return TRIAL_MEASURED;
	json_object_set_new(trial->json, "failure", reason_json(run.reason));
	return TRIAL_FAILED;
}
