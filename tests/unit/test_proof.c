/* Self-checks find each wrong figure, and time-outs are never taken for fast replies. */
#include <stdio.h>
#include <string.h>

#include "harness/report/checks.h"
#include "tests/unit/fake_load.h"

static void test_checks_find_what_does_not_add_up(void **state)
{
	struct run *run = *state;
	json_t *trial;

	add(run, 10, OUT_OK, 1000);
	run->result.record->sent++;
	run->result.record->rx_bytes--;
	trial = trial_of(run);
	assert_true(json_is_false(pick(trial, "checks.counts.ok")));
	assert_true(json_is_false(pick(trial, "checks.bytes.ok")));
	json_decref(trial);
}

/* Each figure that a check looks at, made wrong by one: that check, and no other, fails. */
enum wrong {
	NOTHING,
	SENT,
	ENDED,
	SERIES,
	RX,
	SHORT_BODY,
	BUCKET,
	FAILED_BUCKET,
	MAXIMUM,
	SUM,
	TIMEOUTS
};

static void make_wrong(struct run *run, enum wrong what)
{
	struct record *r = run->result.record;

	switch (what) {
	case NOTHING:
		break;
	case SENT:
		r->sent++;
		break;
	case ENDED:
		r->outcomes[OUT_STATUS]++;
		r->sent++;
		break;
	case SERIES:
		r->series[0].ok++;
		break;
	case RX:
		r->rx_bytes++;
		break;
	case SHORT_BODY:
		run->params.expect_body = (struct slice){"", 200};
		break;
	case BUCKET:
		r->ok.buckets[histogram_index(1000)]--;
		break;
	case FAILED_BUCKET:
		r->failed.buckets[histogram_index(2000)]++;
		break;
	case MAXIMUM:
		r->ok.max_ns = 999;
		break;
	case SUM:
		r->ok.sum_ns = 11000;
		break;
	case TIMEOUTS:
		histogram_add(&r->timed_out, 5000);
		break;
	}
}

static void test_each_check_finds_its_wrong_figure(void **state)
{
	static const char *const names[] = {"counts", "bytes", "percentiles", NULL};
	static const struct {
		enum wrong what;
		const char *failing;
	} cases[] = {
		{NOTHING, ""},
		{SENT, "counts"},
		{ENDED, "counts"},
		{SERIES, "counts"},
		{RX, "bytes"},
		{SHORT_BODY, "bytes"},
		{BUCKET, "percentiles"},
		{FAILED_BUCKET, "percentiles"},
		{MAXIMUM, "percentiles"},
		{SUM, "percentiles"},
		{TIMEOUTS, "percentiles"},
	};
	struct run *run = *state;

	for (size_t i = 0; i < COUNT(cases); i++) {
		json_t *trial;

		record_free(run->result.record);
		run->result.record = record_new();
		run->params.expect_body = (struct slice){0};
		add(run, 9, OUT_OK, 1000);
		add(run, 1, OUT_STATUS, 2000);
		make_wrong(run, cases[i].what);
		trial = trial_of(run);
		assert_int_equal(checks_failed(trial), cases[i].what != NOTHING);
		for (const char *const *name = names; *name != NULL; name++) {
			char path[64];

			snprintf(path, sizeof(path), "checks.%s.ok", *name);
			assert_int_equal(json_is_false(pick(trial, path)),
				strcmp(*name, cases[i].failing) == 0);
		}
		json_decref(trial);
	}
}

/* 90 replies to 100 requests: the server has answered from 90 to 100. */
static void test_counts_of_both_ends(void **state)
{
	const struct load_result result = {.begun_total = 100, .replied_total = 90};

	(void)state;
	for (uint64_t answered = 89; answered <= 101; answered++) {
		json_t *check = checks_server_counts(&result, &answered, NULL);

		assert_int_equal(pick_true(check, "ok"), answered >= 90 && answered <= 100);
		assert_true(number(check, "answered") == (double)answered);
		json_decref(check);
	}
}

static void test_counts_that_are_not_told(void **state)
{
	const struct load_result result = {.begun_total = 100, .replied_total = 90};
	json_t *check = checks_server_counts(&result, NULL, "it does not count");

	(void)state;
	assert_absent(check, "ok", "it does not count");
	assert_true(number(check, "sent") == 100);
	json_decref(check);
}

/* Five of a hundred time out after 1 s: p90 is what it was, p99 is 1 s or more. */
static void test_timeouts_are_censored(void **state)
{
	static const char WHY[] = "requests timed out: only a lower bound is known";
	struct run *run = *state;
	json_t *trial;

	add(run, 950, OUT_OK, 1000000);
	add(run, 950, OUT_OK, 2000000);
	add(run, 50, OUT_TIMEOUT, NS_PER_S);
	add(run, 50, OUT_TIMEOUT, NS_PER_S + 5);
	trial = trial_of(run);
	assert_true(number(trial, "latency_ns.count") == 2000);
	assert_true(number(trial, "latency_ns.timed_out") == 100);
	assert_true(number(trial, "latency_ns.min") == 1000000);
	assert_in_range(number(trial, "latency_ns.p90"), 1990000, 2010000);
	assert_in_range(number(trial, "latency_ns.p95"), 1990000, 2010000);
	assert_absent(trial, "latency_ns.p97_5", WHY);
	assert_true(number(trial, "latency_ns.p97_5_at_least") == NS_PER_S);
	assert_absent(trial, "latency_ns.p99", WHY);
	assert_true(number(trial, "latency_ns.p99_at_least") == NS_PER_S);
	assert_absent(trial, "latency_ns.max", WHY);
	assert_true(number(trial, "latency_ns.max_at_least") == NS_PER_S + 5);
	assert_absent(trial, "latency_ns.mean", WHY);
	assert_true(number(trial, "latency_ns.mean_at_least") > 50e6);
	assert_absent(trial, "latency_ns.p99_9", "needs 10000 samples");
	assert_null(pick(trial, "latency_ns.p99_9_at_least"));
	assert_true(number(trial, "failed_latency_ns.count") == 100);
	assert_true(number(trial, "failed_latency_ns.max") == NS_PER_S + 5);
	json_decref(trial);
}

/* What waited behind a time-out ended early: it may have taken anything from there on. */
static void test_early_timeouts_leave_little_known(void **state)
{
	struct run *run = *state;
	json_t *trial;

	add(run, 1000, OUT_OK, 1000000);
	add(run, 1000, OUT_OK, 2000000);
	add(run, 600, OUT_TIMEOUT, 500000);
	trial = trial_of(run);
	assert_true(number(trial, "latency_ns.min_at_least") == 500000);
	assert_in_range(number(trial, "latency_ns.p50_at_least"), 990000, 1010000);
	assert_in_range(number(trial, "latency_ns.p99_at_least"), 1990000, 2010000);
	json_decref(trial);
}

/* Nothing but time-outs, and few of them: whatever is asked of them, it is not below the first. */
static void test_all_timed_out(void **state)
{
	struct run *run = *state;
	json_t *trial;
	json_t *record;
	const json_t *summary;

	add(run, 4, OUT_TIMEOUT, NS_PER_S);
	trial = trial_of(run);
	record = json_pack(
		"{s:i, s:[{s:s, s:[O]}]}", "seed", 1, "contestants", "name", "x", "trials", trial);
	assert_int_equal(result_summarise(record), 0);
	summary = pick(json_array_get(json_object_get(record, "contestants"), 0), "summary");
	assert_absent(trial, "latency_ns", "all requests timed out");
	assert_absent(summary, "latency_ns", "all requests timed out");
	assert_true(number(trial, "latency_ns_at_least") == NS_PER_S);
	assert_true(number(summary, "latency_ns_at_least") == NS_PER_S);
	json_decref(trial);
	json_decref(record);
	/* Beside other failures, which have no latency either. */
	add(run, 1, OUT_STATUS, 3000000);
	trial = trial_of(run);
	assert_absent(trial, "latency_ns", "no verified reply");
	assert_true(number(trial, "latency_ns_at_least") == NS_PER_S);
	json_decref(trial);
}

/* As of one trial, from what three have recorded. */
static void test_timeouts_of_trials_merge(void **state)
{
	struct run *run = *state;
	json_t *record = json_pack(
		"{s:i, s:[{s:s, s:[]}]}", "seed", 1, "contestants", "name", "x", "trials");
	json_t *contestant = json_array_get(json_object_get(record, "contestants"), 0);
	const json_t *summary;

	add(run, 950, OUT_OK, 2000000);
	for (int i = 0; i < 2; i++)
		json_array_append_new(json_object_get(contestant, "trials"), trial_of(run));
	add(run, 150, OUT_TIMEOUT, NS_PER_S);
	add(run, 30, OUT_STATUS, 3000000);
	json_array_append_new(json_object_get(contestant, "trials"), trial_of(run));
	assert_int_equal(result_summarise(record), 0);
	summary = json_object_get(contestant, "summary");
	assert_true(number(summary, "latency_ns.count") == 3000);
	assert_true(number(summary, "latency_ns.timed_out") == 150);
	assert_true(number(summary, "latency_ns.min") == 2000000);
	assert_in_range(number(summary, "latency_ns.p95"), 1990000, 2010000);
	assert_true(number(summary, "latency_ns.p99_at_least") >= 995000000);
	assert_true(number(summary, "latency_ns.max_at_least") == NS_PER_S);
	assert_true(number(summary, "failed_latency_ns.count") == 180);
	assert_true(number(summary, "failed_latency_ns.min") == 3000000);
	assert_true(number(summary, "failed_latency_ns.max") == NS_PER_S);
	json_decref(record);
}

/* The share of the ceiling is of the same load; a load without one, and a failed run, have none. */
static void test_shares_of_the_ceiling(void **state)
{
	json_t *record =
		json_loads("{\"seed\": 1, \"calibration\": ["
			   " {\"connections\": 10, \"pipeline\": 1, \"threads\": 1, \"rps\": 1000},"
			   " {\"connections\": 10, \"pipeline\": 2, \"threads\": 1, \"rps\": null,"
			   "  \"rps_reason\": \"no null server\"}],"
			   "\"contestants\": ["
			   " {\"name\": \"a\", \"connections\": 10, \"pipeline\": 1, \"trials\": "
			   "[{\"rps\": 250}]},"
			   " {\"name\": \"b\", \"connections\": 10, \"pipeline\": 2, \"trials\": "
			   "[{\"rps\": 250}]},"
			   " {\"name\": \"c\", \"connections\": 20, \"pipeline\": 1, \"trials\": "
			   "[{\"rps\": 250}]}]}",
			0, NULL);
	json_t *rows = json_object_get(record, "contestants");

	(void)state;
	assert_non_null(record);
	assert_int_equal(result_summarise(record), 0);
	assert_true(number(json_array_get(rows, 0), "summary.ceiling_share") == 0.25);
	assert_absent(json_array_get(rows, 1), "summary.ceiling_share", "no null server");
	assert_null(pick(json_array_get(rows, 2), "summary.ceiling_share"));
	json_decref(record);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			test_checks_find_what_does_not_add_up, setup, teardown),
		cmocka_unit_test_setup_teardown(
			test_each_check_finds_its_wrong_figure, setup, teardown),
		cmocka_unit_test(test_counts_of_both_ends),
		cmocka_unit_test(test_counts_that_are_not_told),
		cmocka_unit_test_setup_teardown(test_timeouts_are_censored, setup, teardown),
		cmocka_unit_test_setup_teardown(test_all_timed_out, setup, teardown),
		cmocka_unit_test_setup_teardown(
			test_early_timeouts_leave_little_known, setup, teardown),
		cmocka_unit_test_setup_teardown(test_timeouts_of_trials_merge, setup, teardown),
		cmocka_unit_test(test_shares_of_the_ceiling),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
