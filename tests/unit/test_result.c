#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/codec/codec.h"
#include "harness/load/load.h"
#include "harness/report/build.h"
#include "harness/report/latency.h"
#include "harness/report/merged.h"
#include "harness/report/pick.h"
#include "harness/report/result.h"
#include "harness/usage.h"
#include "lib/clock.h"
#include "tests/unit/fake_load.h"
#include "tests/unit/test.h"

static void test_nothing_measured_is_null(void **state)
{
	json_t *trial = trial_of(*state);

	assert_true(number(trial, "rps") == 0);
	assert_absent(trial, "latency_ns", "no verified reply");
	assert_absent(trial, "latency_ns.p99", "no verified reply");
	assert_absent(trial, "failed_latency_ns", "no request failed");
	assert_absent(trial, "bytes_per_reply", "no whole reply");
	assert_absent(trial, "requests.oldest_inflight_s", "nothing in flight");
	assert_absent(trial, "server", "not ours");
	assert_absent(trial, "checks.littles_law.ok", "no verified reply");
	assert_int_equal(json_object_size(pick(trial, "errors")), 0);
	assert_int_equal(json_array_size(pick(trial, "histogram.buckets")), 0);
	json_decref(trial);
}

static void test_no_window_is_no_rate(void **state)
{
	struct run *run = *state;
	json_t *trial;

	run->result.window_ns = 0;
	trial = trial_of(run);
	assert_absent(trial, "rps", "the window never opened");
	json_decref(trial);
}

static void test_one_reply_is_its_own_median(void **state)
{
	json_t *trial;

	add(*state, 1, OUT_OK, 123456);
	trial = trial_of(*state);
	assert_true(number(trial, "latency_ns.p50") == 123456);
	assert_true(number(trial, "latency_ns.min") == 123456);
	assert_true(number(trial, "latency_ns.max") == 123456);
	assert_true(number(trial, "latency_ns.stddev") == 0);
	assert_absent(trial, "latency_ns.p99", "needs 1000 samples");
	assert_absent(trial, "latency_ns.p2_5", "needs 400 samples");
	json_decref(trial);
}

static void test_percentiles_need_ten_samples_beyond(void **state)
{
	json_t *trial;

	(void)state;
	assert_int_equal(latency_needed(0.5), 1);
	assert_int_equal(latency_needed(0.75), 40);
	assert_int_equal(latency_needed(0.9), 100);
	assert_int_equal(latency_needed(0.95), 200);
	assert_int_equal(latency_needed(0.975), 400);
	assert_int_equal(latency_needed(0.025), 400);
	assert_int_equal(latency_needed(0.99), 1000);
	assert_int_equal(latency_needed(0.999), 10000);

	add(*state, 999, OUT_OK, 5000);
	trial = trial_of(*state);
	assert_absent(trial, "latency_ns.p99", "needs 1000 samples");
	json_decref(trial);
	add(*state, 1, OUT_OK, 5000);
	trial = trial_of(*state);
	assert_in_range(number(trial, "latency_ns.p99"), 4980, 5020);
	json_decref(trial);
}

static void test_counts_and_rates(void **state)
{
	struct run *run = *state;
	json_t *trial;

	add(run, 900, OUT_OK, 1000000);
	add(run, 60, OUT_STATUS, 2000000);
	add(run, 40, OUT_TIMEOUT, NS_PER_S);
	run->result.record->outcomes[OUT_CONNECT_REFUSED] = 3;
	run->result.record->sent += 8;
	run->result.record->inflight_at_end = 8;
	run->result.record->oldest_inflight_ns = 1500000;
	trial = trial_of(run);

	assert_string_equal(pick_text(trial, "target"), "http://127.0.0.1:4000/test");
	assert_string_equal(pick_text(trial, "mode"), "closed");
	assert_true(number(trial, "requests.sent") == 1008);
	assert_true(number(trial, "requests.completed") == 960);
	assert_true(number(trial, "requests.ok") == 900);
	assert_true(number(trial, "requests.failed") == 100);
	assert_true(number(trial, "requests.oldest_inflight_s") == 0.0015);
	assert_true(number(trial, "rps") == 450);
	assert_true(number(trial, "bytes_per_reply") == 100);
	assert_true(number(trial, "throughput_bytes_per_s.rx") == 48000);
	assert_true(number(trial, "client.requests_per_cpu_s") == 900);
	assert_true(number(trial, "latency_ns.count") == 940);
	assert_true(number(trial, "latency_ns.timed_out") == 40);
	assert_true(number(trial, "latency_ns.p50") == 1000000);
	assert_true(number(trial, "failed_latency_ns.count") == 100);
	assert_int_equal(json_object_size(pick(trial, "errors")), 3);
	assert_true(number(trial, "errors.status") == 60);
	assert_true(number(trial, "errors.timeout") == 40);
	assert_true(number(trial, "errors.connect_refused") == 3);
	assert_true(number(trial, "status_codes.200") == 900);
	assert_true(number(trial, "status_codes.503") == 60);
	assert_int_equal(json_array_size(pick(trial, "series")), 2);
	assert_true(pick_true(trial, "checks.counts.ok"));
	assert_true(pick_true(trial, "checks.bytes.ok"));
	assert_false(pick_true(trial, "client_limited"));
	json_decref(trial);
}

/* 8 in flight for 2 s are 16 s of latency, here in 8000 requests of 2 ms each. */
static void test_littles_law(void **state)
{
	static const struct {
		int64_t latency_ns;
		bool ok;
	} cases[] = {
		{2000000, true}, {2200000, false}, /* more than were ever in flight */
		{1000000, false},                  /* half of the time is missing */
		{100000, false},                   /* 20 times off, as published by another suite */
	};
	struct run *run = *state;
	json_t *trial;

	for (size_t i = 0; i < COUNT(cases); i++) {
		record_free(run->result.record);
		run->result.record = record_new();
		run->result.record->served = 4;
		add(run, 8000, OUT_OK, cases[i].latency_ns);
		trial = trial_of(run);
		assert_true(number(trial, "checks.littles_law.expected_in_flight") == 8);
		assert_int_equal(pick_true(trial, "checks.littles_law.ok"), cases[i].ok);
		json_decref(trial);
	}
	run->result.record->reconnects = 1;
	trial = trial_of(run);
	assert_absent(trial, "checks.littles_law.ok", "connections were not always up");
	json_decref(trial);
}

static void test_client_limited(void **state)
{
	struct run *run = *state;
	json_t *trial;

	run->result.cpu_busiest = 0.95;
	trial = trial_of(run);
	assert_true(pick_true(trial, "client_limited"));
	json_decref(trial);
	/* CPU time is counted a little longer than the window lasts. */
	run->result.cpu_busiest = 1.01;
	trial = trial_of(run);
	assert_true(pick_or(trial, "client.cpu_busiest", 0) == 1);
	json_decref(trial);
}

/* A few microseconds hold more CPU time than they are long: nothing follows from that. */
static void test_a_brief_window_tells_no_share_of_a_cpu(void **state)
{
	static const char *const reason = "the window was too short to tell the share of a CPU";
	struct run *run = *state;
	json_t *trial;

	run->result.window_ns = 49 * NS_PER_MS;
	run->result.cpu_busiest = 3;
	trial = trial_of(run);
	assert_absent(trial, "client.cpu_busiest", reason);
	assert_absent(trial, "client_limited", reason);
	json_decref(trial);
	/* What was sent late was late. */
	for (int i = 0; i < 1000; i++)
		histogram_add(&run->result.record->send_lag, 2 * NS_PER_MS);
	trial = trial_of(run);
	assert_true(pick_true(trial, "client_limited"));
	json_decref(trial);
}

static void test_server_usage(void **state)
{
	struct run *run = *state;
	struct usage before = {.cpu_user_s = 1, .cpu_system_s = 2, .ctx_voluntary = 5};
	struct usage after = {
		.cpu_user_s = 1.5,
		.cpu_system_s = 3.5,
		.max_rss_bytes = 4096,
		.ctx_voluntary = 15,
		.ctx_involuntary = 2,
		.processes = 1,
		.threads = 3,
	};
	json_t *trial;

	add(run, 1000, OUT_OK, 5000);
	trial = result_trial(&run->params, &run->result, &before, &after, NULL);
	assert_non_null(trial);
	assert_true(number(trial, "server.cpu_user_s") == 0.5);
	assert_true(number(trial, "server.cpu_system_s") == 1.5);
	assert_true(number(trial, "server.requests_per_cpu_s") == 500);
	assert_true(number(trial, "server.cpu_us_per_request") == 2000);
	assert_true(number(trial, "server.max_rss_bytes") == 4096);
	assert_true(number(trial, "server.ctx_switches.voluntary") == 10);
	assert_true(number(trial, "server.threads") == 3);
	json_decref(trial);

	after.cpu_user_s = 0.5;
	trial = result_trial(&run->params, &run->result, &before, &after, NULL);
	assert_absent(
		trial, "server.cpu_user_s", "a process of the server ended within the window");
	json_decref(trial);
}

/* What is exported and read back has the same percentiles, to half the width of its buckets. */
static void test_distribution_survives_export(void **state)
{
	struct run *run = *state;
	struct merged merged = {0};
	json_t *trial;

	for (int i = 0; i < 20000; i++)
		add(run, 1, OUT_OK, 20 + (int64_t)i * i / 7);
	trial = trial_of(run);
	assert_int_equal(merged_add(&merged, trial, "histogram"), 0);
	assert_int_equal(merged.count, 20000);
	assert_int_equal(merged.min_ns, 20);
	assert_int_equal(merged.max_ns, 20 + INT64_C(19999) * 19999 / 7);
	for (int percent = 1; percent < 100; percent++) {
		int64_t exact = 20 + (int64_t)(percent * 200 - 1) * (percent * 200 - 1) / 7;
		int64_t found = merged_quantile(&merged, percent / 100.0);

		assert_in_range(found, exact - exact / 200 - 1, exact + exact / 200 + 1);
	}
	assert_true(merged_within(&merged, 0, 1e12) == 1);
	assert_true(merged_within(&merged, 0, 1) == 0);
	merged_free(&merged);
	json_decref(trial);
}

static void test_numbers_are_finite(void **state)
{
	struct build b = build_begin();

	(void)state;
	build_number(&b, "x", 0.0 / (double)json_object_size(b.object));
	assert_null(build_end(&b));
	b = build_begin();
	build_number(&b, "x", 1.0 / (double)json_object_size(b.object));
	assert_null(build_end(&b));
}

static char *read_all(const char *path)
{
	FILE *in = fopen(path, "r");
	char *text = calloc(1, 65536);

	assert_non_null(in);
	assert_non_null(text);
	fread(text, 1, 65535, in);
	fclose(in);
	return text;
}

static void test_save_replaces_or_leaves(void **state)
{
	char folder[] = "/tmp/rpcbench-test.XXXXXX";
	char path[64];
	char link_path[64];
	char other[64];
	json_t *record = json_pack("{s:s, s:f}", "schema", RESULT_SCHEMA, "x", 0.1);
	struct stat info;
	char *text;

	(void)state;
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/r.json", folder);
	snprintf(link_path, sizeof(link_path), "%s/link.json", folder);
	snprintf(other, sizeof(other), "%s/none/r.json", folder);
	assert_int_equal(result_save(record, path), 0);
	text = read_all(path);
	assert_string_equal(text, "{\"schema\":\"rpcbench/1\",\"x\":0.1}\n");
	free(text);

	/* Through a link, and to a device, neither of which is replaced itself. */
	assert_int_equal(symlink("r.json", link_path), 0);
	json_object_set_new(record, "x", json_integer(2));
	assert_int_equal(result_save(record, link_path), 0);
	assert_int_equal(lstat(link_path, &info), 0);
	assert_true(S_ISLNK(info.st_mode));
	text = read_all(path);
	assert_string_equal(text, "{\"schema\":\"rpcbench/1\",\"x\":2}\n");
	free(text);
	assert_int_equal(result_save(record, "/dev/null"), 0);
	assert_int_equal(stat("/dev/null", &info), 0);
	assert_true(S_ISCHR(info.st_mode));

	assert_int_equal(result_save(record, "/dev/full"), -1);
	assert_int_equal(result_save(record, other), -1);
	unlink(link_path);
	unlink(path);
	assert_int_equal(rmdir(folder), 0);
	json_decref(record);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_nothing_measured_is_null, setup, teardown),
		cmocka_unit_test_setup_teardown(test_no_window_is_no_rate, setup, teardown),
		cmocka_unit_test_setup_teardown(test_one_reply_is_its_own_median, setup, teardown),
		cmocka_unit_test_setup_teardown(
			test_percentiles_need_ten_samples_beyond, setup, teardown),
		cmocka_unit_test_setup_teardown(test_counts_and_rates, setup, teardown),
		cmocka_unit_test_setup_teardown(test_littles_law, setup, teardown),
		cmocka_unit_test_setup_teardown(test_client_limited, setup, teardown),
		cmocka_unit_test_setup_teardown(
			test_a_brief_window_tells_no_share_of_a_cpu, setup, teardown),
		cmocka_unit_test_setup_teardown(test_server_usage, setup, teardown),
		cmocka_unit_test_setup_teardown(test_distribution_survives_export, setup, teardown),
		cmocka_unit_test(test_numbers_are_finite),
		cmocka_unit_test(test_save_replaces_or_leaves),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
