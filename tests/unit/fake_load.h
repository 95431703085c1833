#ifndef TESTS_UNIT_FAKE_LOAD_H
#define TESTS_UNIT_FAKE_LOAD_H

#include <stdlib.h>

#include "harness/codec/codec.h"
#include "harness/load/load.h"
#include "harness/report/pick.h"
#include "harness/report/result.h"
#include "lib/clock.h"
#include "tests/unit/test.h"

/* A run of load that never took place, for tests of what is made of its numbers. */

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/** struct run - One run of load that never took place. */
struct run {
	struct target target;
	struct load_params params;
	struct load_result result;
};

static inline int setup(void **state)
{
	struct run *run = calloc(1, sizeof(*run));
	static char url[] = "http://127.0.0.1:4000/test";

	assert_non_null(run);
	run->target.url = url;
	run->target.codec = codec_by_scheme("http");
	run->params = (struct load_params){
		.target = &run->target,
		.connections = 4,
		.pipeline = 2,
		.threads = 1,
		.duration_ns = 2 * NS_PER_S,
		.warmup_ns = NS_PER_S / 2,
		.keep_alive = true,
	};
	run->result = (struct load_result){
		.record = record_new(),
		.window_ns = 2 * NS_PER_S,
		.cpu_user_s = 0.25,
		.cpu_system_s = 0.75,
		.cpu_busiest = 0.5,
		.clock_cost_ns = 27,
	};
	assert_non_null(run->result.record);
	run->result.record->established = 4;
	run->result.record->served = 4;
	*state = run;
	return 0;
}

static inline int teardown(void **state)
{
	struct run *run = *state;

	record_free(run->result.record);
	free(run);
	return 0;
}

/* @n requests that took @latency_ns each, one after another on each of the slots. */
static inline void add(struct run *run, unsigned n, enum outcome outcome, int64_t latency_ns)
{
	struct record *r = run->result.record;

	for (unsigned i = 0; i < n; i++) {
		int64_t end_ns = (int64_t)(i + 1) * run->result.window_ns / (n + 1);

		r->sent++;
		if (outcome <= OUT_MISMATCH)
			r->status_codes[outcome == OUT_STATUS ? 503 : 200]++;
		record_done(r, outcome, end_ns - latency_ns, end_ns, (size_t)(end_ns / NS_PER_S),
			outcome <= OUT_MISMATCH ? 100 : 0);
	}
}

static inline json_t *trial_of(const struct run *run)
{
	json_t *trial = result_trial(&run->params, &run->result, NULL, NULL, "not ours");

	assert_non_null(trial);
	return trial;
}

static inline double number(const json_t *object, const char *path)
{
	double value;

	if (!pick_number(object, path, &value))
		fail_msg("%s is absent: %s", path, pick_reason(object, path));
	return value;
}

static inline void assert_absent(const json_t *object, const char *path, const char *reason)
{
	const json_t *value = pick(object, path);

	if (value != NULL && !json_is_null(value))
		fail_msg("%s is not absent", path);
	assert_string_equal(pick_reason(object, path), reason);
}

#endif
