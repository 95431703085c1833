#include <jansson.h>
#include <math.h>
#include <string.h>

#include "harness/codec/codec.h"
#include "harness/condition.h"
#include "harness/find_max.h"
#include "harness/load/load.h"
#include "harness/report/curve.h"
#include "harness/report/pick.h"
#include "lib/clock.h"
#include "tests/unit/test.h"

/* A server in theory: latency rises with load, and above its capacity it achieves no more. */
struct model {
	double capacity;
	double limit_of_long; /* what a run above 5 s can do; 0 = the same */
	double failures;      /* share of the replies, from 5000/s on */
	double client_limit;  /* 0 = none */
	bool refuses;
	int stop_after; /* runs; 0 = never */
	int flaky_run;  /* the number of one that does not hold for no reason */
	int runs;
	double longest_s;
};

static const struct target target = {.url = (char *)"http://127.0.0.1:1/", .codec = NULL};

static json_t *measure(void *ctx, const struct load_params *params)
{
	struct model *m = ctx;
	double length_s = (double)params->duration_ns / NS_PER_S;
	double capacity = m->limit_of_long > 0 && length_s > 5 ? m->limit_of_long : m->capacity;
	double achieved = fmin(params->rate, capacity);
	double planned = round(params->rate * length_s);
	double failed = params->rate >= 5000 ? m->failures * planned : 0;
	double p99 = params->rate < capacity ? 1e6 / (1 - params->rate / capacity) : 1e9;

	m->runs++;
	m->longest_s = fmax(m->longest_s, length_s);
	if (m->stop_after > 0 && m->runs > m->stop_after)
		return NULL;
	if (m->runs == m->flaky_run)
		achieved /= 2;
	assert_true(params->warmup_ns > 0);
	return json_pack("{s:f, s:b, s:{s:i}, s:{s:f, s:f, s:f}, s:{s:f, s:f, s:f}, s:{s:f, s:f}}",
		"duration_s", length_s, "client_limited",
		m->client_limit > 0 && params->rate > m->client_limit, "connections", "established",
		m->refuses ? 0 : 1, "rate", "target", params->rate, "planned", planned, "achieved",
		achieved, "requests", "ok", achieved * length_s - failed, "failed", failed, "sent",
		achieved * length_s, "latency_ns", "p50", 1e6, "p99", p99);
}

static json_t *search(struct model *m, const char *text, double rate)
{
	static struct condition_list conditions;
	struct target at = target;
	struct load_params load = {
		.target = &at,
		.connections = 1,
		.pipeline = 1,
		.threads = 1,
		.rate = rate,
		.duration_ns = 2 * NS_PER_S,
	};
	struct find_max_params params = {
		.load = &load, .conditions = &conditions, .measure = measure, .ctx = m};
	json_t *record;

	at.codec = codec_by_scheme("http");
	conditions.count = 1;
	assert_int_equal(condition_parse(&conditions.items[0], "--find-max", text), 0);
	record = find_max(&params);
	assert_non_null(record);
	assert_string_equal(pick_text(record, "schema"), CURVE_SCHEMA);
	return record;
}

/* Whether max_rate is within the resolution below @truth. */
static void assert_found(json_t *record, double truth)
{
	double found = pick_or(record, "max_rate", 0);

	assert_true(found <= truth * 1.001);
	assert_true(found >= truth / 1.03);
}

static void test_finds_what_keeps_the_condition(void **state)
{
	/* p99 < 2 ms up to half of the capacity, < 10 ms up to nine tenths. */
	static const double capacities[] = {90, 1500, 40000, 3.3e6};

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		struct model m = {.capacity = capacities[i]};
		json_t *record = search(&m, "p99<2ms", 0);

		assert_found(record, capacities[i] / 2);
		assert_non_null(strstr(pick_text(record, "next_limit"), "p99"));
		json_decref(record);
		m = (struct model){.capacity = capacities[i]};
		record = search(&m, "p99<10ms", 3 * capacities[i]);
		assert_found(record, capacities[i] * 0.9);
		json_decref(record);
		assert_in_range(m.runs, 10, 60);
	}
}

static void test_achieved_rate_and_failures_limit(void **state)
{
	struct model slow = {.capacity = 7000};
	struct model failing = {.capacity = 1e5, .failures = 0.01};
	struct model client = {.capacity = 1e6, .client_limit = 30000};
	json_t *record;

	(void)state;
	record = search(&slow, "p50<1s", 0);
	assert_found(record, 7000 / 0.99);
	assert_non_null(strstr(pick_text(record, "next_limit"), "achieved"));
	json_decref(record);
	record = search(&failing, "p50<1s", 0);
	assert_found(record, 5000);
	assert_non_null(strstr(pick_text(record, "next_limit"), "failed"));
	json_decref(record);
	record = search(&client, "p50<1s", 0);
	assert_found(record, 30000);
	assert_non_null(strstr(pick_text(record, "next_limit"), "load generator"));
	json_decref(record);
}

static void test_a_longer_run_confirms(void **state)
{
	struct model m = {.capacity = 10000, .limit_of_long = 8000};
	json_t *record = search(&m, "p50<1s", 0);
	double found = pick_or(record, "max_rate", 0);

	(void)state;
	assert_true(found <= 8000 / 0.99 && found > 6500);
	assert_true(pick_or(record, "trial.duration_s", 0) >= 6);
	json_decref(record);
}

static void test_one_bad_run_does_not_decide(void **state)
{
	struct model m = {.capacity = 40000, .flaky_run = 2};
	json_t *record = search(&m, "p99<2ms", 0);

	(void)state;
	assert_found(record, 20000);
	json_decref(record);
}

static void test_percentiles_get_their_samples(void **state)
{
	struct model m = {.capacity = 400};
	json_t *record = search(&m, "p99<2ms", 100);

	(void)state;
	/* 1,000 samples at 100/s. */
	assert_true(pick_or(json_array_get(pick(record, "steps"), 0), "duration_s", 0) >= 10);
	assert_true(m.longest_s <= 60);
	json_decref(record);
}

static void test_curve_is_at_shares_of_the_peak(void **state)
{
	static const double shares[] = {0.1, 0.3, 0.5, 0.7, 0.9};
	struct model m = {.capacity = 40000};
	json_t *record = search(&m, "p99<2ms", 0);
	const json_t *curve = pick(record, "curve");
	double peak = pick_or(record, "max_rate", 0);

	(void)state;
	assert_int_equal(json_array_size(curve), 5);
	for (size_t i = 0; i < 5; i++) {
		const json_t *point = json_array_get(curve, i);

		assert_true(pick_or(point, "share", 0) == shares[i]);
		assert_true(
			fabs(pick_or(point, "trial.rate.target", 0) / peak / shares[i] - 1) < 0.01);
	}
	json_decref(record);
}

static void test_nothing_to_find(void **state)
{
	struct model slow = {.capacity = 0.1};
	struct model refusing = {.capacity = 1e4, .refuses = true};
	struct model stopped = {.capacity = 1e4, .stop_after = 3};
	json_t *record;

	(void)state;
	record = search(&slow, "p50<1s", 0);
	assert_true(json_is_null(pick(record, "max_rate")));
	assert_non_null(strstr(pick_reason(record, "max_rate"), "achieved"));
	assert_int_equal(json_array_size(pick(record, "curve")), 0);
	json_decref(record);
	record = search(&refusing, "p50<1s", 0);
	assert_string_equal(pick_reason(record, "max_rate"), "no connection could be set up");
	assert_int_equal(refusing.runs, 1);
	json_decref(record);
	record = search(&stopped, "p50<1s", 0);
	assert_true(json_is_null(pick(record, "max_rate")));
	assert_int_equal(stopped.runs, 4);
	assert_int_equal(json_array_size(pick(record, "steps")), 3);
	json_decref(record);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_finds_what_keeps_the_condition),
		cmocka_unit_test(test_achieved_rate_and_failures_limit),
		cmocka_unit_test(test_a_longer_run_confirms),
		cmocka_unit_test(test_one_bad_run_does_not_decide),
		cmocka_unit_test(test_percentiles_get_their_samples),
		cmocka_unit_test(test_curve_is_at_shares_of_the_peak),
		cmocka_unit_test(test_nothing_to_find),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
