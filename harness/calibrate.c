/*
 * calibrate: for each load of the round once
 *   start the null server -> a few times load_run -> the numbers of the best
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/calibrate.h"
#include "harness/interrupt.h"
#include "harness/load/load.h"
#include "harness/manifest.h"
#include "harness/pin.h"
#include "harness/plan.h"
#include "harness/process.h"
#include "harness/report/build.h"
#include "harness/suite.h"
#include "harness/trial.h"

#define RUNS        3 /* of which the best counts: METHOD.md "The client's ceiling" */
#define DURATION_NS (300 * NS_PER_MS)
#define WARMUP_NS   (100 * NS_PER_MS)

/* What a run has reached; zeroed: nothing. */
struct reached {
	double ok;
	double cpu_s;
	double window_s;
};

static bool is_better(const struct reached *a, const struct reached *b)
{
	/* ok / window_s, where the windows may be of no length. */
	return a->ok * b->window_s > b->ok * a->window_s || b->window_s <= 0;
}

static struct reached reached_by(const struct load_result *result)
{
	return (struct reached){
		.ok = (double)result->record->outcomes[OUT_OK],
		.cpu_s = result->cpu_user_s + result->cpu_system_s,
		.window_s = (double)result->window_ns / NS_PER_S,
	};
}

static void put_rates(struct build *b, const struct reached *best)
{
	build_count(b, "runs", RUNS);
	build_ratio(b, "rps", best->ok, best->window_s, "the window never opened");
	build_ratio(b, "requests_per_client_cpu_s", best->ok, best->cpu_s, "no CPU time was seen");
}

/* Return: 0, or -1 with @reason. */
static int measure(struct build *b, const struct load_params *wanted, uint16_t port, char *reason)
{
	struct load_params params = *wanted;
	struct target target;
	struct reached best = {0};
	struct load_result result;
	char url[64];
	int status = 0;

	snprintf(url, sizeof(url), "null://%s:%u", MANIFEST_HOST, port);
	if (target_parse(url, &target) != 0)
		return reason_set(reason, "the null server's address cannot be used");
	params.target = &target;
	for (int i = 0; i < RUNS && status == 0 && interrupt_signal() == 0; i++) {
		struct reached now;

		status = load_run(&params, NULL, &result);
		if (status != 0)
			break;
		now = reached_by(&result);
		if (is_better(&now, &best))
			best = now;
		load_result_free(&result);
	}
	target_free(&target);
	if (status != 0)
		return reason_set(reason, "the load could not be started");
	put_rates(b, &best);
	return 0;
}

/* Starts the null server and measures it. Return: 0, or -1 with @reason. */
static int run(struct build *b, const struct suite *suite, const struct load_params *params,
	const struct pin *pin, int64_t server_threads, char *reason)
{
	struct process process = {0};
	char program[PATH_MAX];
	char log[PATH_MAX];
	char threads[24];
	char *argv[] = {program, "--port", "0", "--threads", threads, NULL};
	const struct process_params how = {
		.argv = argv,
		.log = log,
		.prints_ready = true,
		.ready_ns = PROCESS_READY_NS,
		.stop_ns = PROCESS_STOP_NS,
		.cpus = pin->on ? &pin->server : NULL,
	};
	int status;

	snprintf(threads, sizeof(threads), "%lld", (long long)server_threads);
	if (paths_make(suite->paths.logs) != 0 ||
		snprintf(program, sizeof(program), "%s/null", suite->paths.bin) >= PATH_MAX ||
		snprintf(log, sizeof(log), "%s/null-%d.log", suite->paths.logs, getpid()) >=
			PATH_MAX)
		return reason_set(reason, "the null server's log cannot be written");
	if (process_start(&process, &how, reason) != 0)
		return -1;
	status = measure(b, params, process.port, reason);
	process_stop(&process);
	unlink(log);
	return status;
}

static json_t *level(const struct suite *suite, const struct plan *plan, const struct pin *pin,
	const struct plan_entry *entry)
{
	const struct load_params params = {
		.connections = entry->connections,
		.pipeline = entry->pipeline,
		.threads = trial_load_threads(entry, pin),
		.duration_ns = DURATION_NS,
		.warmup_ns = WARMUP_NS,
		.timeout_ns = plan->round.timeout_ns,
		.verify = VERIFY_OFF,
		.keep_alive = true,
		.pin = pin->on,
		.cpus = pin->client,
	};
	struct build b = build_begin();
	char reason[REASON_MAX] = "";

	build_count(&b, "connections", (uint64_t)entry->connections);
	build_count(&b, "pipeline", (uint64_t)entry->pipeline);
	build_count(&b, "server_threads", (uint64_t)entry->threads);
	build_count(&b, "threads", (uint64_t)params.threads);
	if (run(&b, suite, &params, pin, entry->threads, reason) != 0) {
		build_absent(&b, "rps", reason);
		build_absent(&b, "requests_per_client_cpu_s", reason);
	}
	return build_end(&b);
}

/* Whether an entry before this one has the same load. */
static bool is_repeated(const struct plan *plan, size_t index)
{
	const struct plan_entry *entries = plan->entries;

	for (size_t i = 0; i < index; i++)
		if (!entries[i].out && entries[i].connections == entries[index].connections &&
			entries[i].pipeline == entries[index].pipeline &&
			entries[i].threads == entries[index].threads)
			return true;
	return false;
}

json_t *calibrate(const struct suite *suite, const struct plan *plan, const struct pin *pin)
{
	json_t *list = json_array();

	for (size_t i = 0; i < plan->count && interrupt_signal() == 0; i++)
		if (!plan->entries[i].out && !is_repeated(plan, i) &&
			json_array_append_new(list, level(suite, plan, pin, &plan->entries[i])) !=
				0) {
			json_decref(list);
			return NULL;
		}
	return list;
}
