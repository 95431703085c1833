#include <jansson.h>
#include <string.h>

#include "harness/condition.h"
#include "tests/unit/catch.h"
#include "tests/unit/test.h"

static const char FIGURES[] =
	"{\"rps\": 10000.5,"
	" \"requests\": {\"sent\": 1000, \"completed\": 999, \"ok\": 998, \"failed\": 2},"
	" \"errors\": {\"timeout\": 1, \"status\": 1},"
	" \"throughput_bytes_per_s\": {\"rx\": 2097152, \"tx\": 1000},"
	" \"latency_ns\": {\"p50\": 900000, \"p99\": null, \"p99_reason\": \"timed out\","
	"   \"p99_at_least\": 1e9, \"p99_9\": null, \"p99_9_reason\": \"needs 10000 samples\"},"
	" \"client\": {\"cpu_busiest\": 0.5, \"clock_cost_ns\": 25, \"cpu_user_s\": 1.5},"
	" \"service_time_ns\": null, \"service_time_ns_reason\": \"closed loop\"}";

static const char SUMMARY[] = "{\"rps\": {\"median\": 500, \"min\": 400},"
			      " \"rps_per_server_cpu_s\": {\"median\": 800},"
			      " \"max_rss_bytes\": 1048576}";

static bool holds_in(const char *text, const char *figures)
{
	struct condition condition;
	json_t *json = json_loads(figures, 0, NULL);
	bool held;

	assert_non_null(json);
	assert_int_equal(condition_parse(&condition, "--fail-if", text), 0);
	held = condition_holds(&condition, json);
	json_decref(json);
	return held;
}

#define HOLDS(text)     assert_true(holds_in(text, FIGURES))
#define HOLDS_NOT(text) assert_false(holds_in(text, FIGURES))

static void test_operators(void **state)
{
	(void)state;
	HOLDS("requests.sent<1001");
	HOLDS_NOT("requests.sent<1000");
	HOLDS("requests.sent<=1000");
	HOLDS_NOT("requests.sent<=999");
	HOLDS("requests.sent>999");
	HOLDS_NOT("requests.sent>1000");
	HOLDS("requests.sent>=1000");
	HOLDS_NOT("requests.sent>=1001");
	HOLDS("requests.sent==1000");
	HOLDS_NOT("requests.sent==1001");
	HOLDS("  sent\t>=  1k ");
}

static void test_units(void **state)
{
	(void)state;
	HOLDS("p50<901us");
	HOLDS_NOT("p50<899us");
	HOLDS("p50<0.901ms");
	HOLDS_NOT("p50<900000ns");
	HOLDS("p50<1s");
	HOLDS("latency_ns.p50==900000");
	HOLDS("latency_ns.p50==0.9ms");
	HOLDS("rps>10k");
	HOLDS_NOT("rps>10.1k");
	HOLDS_NOT("rps>1M");
	HOLDS("rx>=2MB");
	HOLDS_NOT("rx>2MiB");
	HOLDS("client_cpu<=50%");
	HOLDS_NOT("client_cpu<50%");
	HOLDS("client.cpu_busiest==0.5");
	HOLDS("client.cpu_user_s==1500ms");
	HOLDS("client.clock_cost_ns<26ns");
}

static void test_shares_of_the_requests_sent(void **state)
{
	(void)state;
	HOLDS("failed<=0.2%");
	HOLDS_NOT("failed<0.2%");
	HOLDS("failed==2");
	HOLDS("errors==2");
	HOLDS("timeouts==1");
	HOLDS("timeouts<=0.1%");
	HOLDS("errors.reset==0");
	assert_false(holds_in("failed<1%", "{\"requests\": {\"sent\": 0, \"failed\": 0}}"));
}

static void test_absent_satisfies_nothing(void **state)
{
	(void)state;
	HOLDS_NOT("p99.9<1s");
	HOLDS_NOT("p99_9>1ns");
	HOLDS_NOT("service_p99<1s");
	HOLDS_NOT("bytes_per_reply>=0");
	HOLDS_NOT("timeouts==0.5");
	assert_false(holds_in("timeouts==0", "{}"));
}

static void test_a_lower_bound_satisfies_what_it_can(void **state)
{
	(void)state;
	HOLDS("p99>999ms");
	HOLDS("p99>=1s");
	HOLDS_NOT("p99>1s");
	HOLDS_NOT("p99<2s");
	HOLDS_NOT("p99<=1s");
	HOLDS_NOT("p99==1s");
}

static void test_a_summary_has_medians(void **state)
{
	(void)state;
	assert_true(holds_in("rps==500", SUMMARY));
	assert_true(holds_in("rps.min==400", SUMMARY));
	assert_true(holds_in("server_rps_per_cpu==800", SUMMARY));
	assert_true(holds_in("server_rss<=1MB", SUMMARY));
}

static void assert_refused(const char *text, const char *why)
{
	struct condition condition;
	struct catch c;
	const char *message;

	catch_begin(&c);
	assert_int_equal(condition_parse(&condition, "--fail-if", text), -1);
	message = catch_end(&c);
	if (strstr(message, why) == NULL || strstr(message, text) == NULL)
		fail_msg("'%s' was refused with: %s", text, message);
}

static void test_what_is_none_is_refused(void **state)
{
	(void)state;
	assert_refused("", "expected FIGURE, one of < <= > >= ==");
	assert_refused("p99", "expected FIGURE");
	assert_refused("<5ms", "expected FIGURE");
	assert_refused("p99=5ms", "expected FIGURE");
	assert_refused("p99!=5ms", "expected FIGURE");
	assert_refused("P99<5ms", "expected FIGURE");
	assert_refused("p98<5ms", "unknown figure 'p98'");
	assert_refused("p98<5ms", "p95 p97_5 p99");
	assert_refused("nosuch.p99<5ms", "unknown figure 'nosuch.p99'");
	assert_refused("p99<5", "expected a time in ns, us, ms or s");
	assert_refused("p99<5MB", "expected a time in ns, us, ms or s");
	assert_refused("p99<", "expected a number");
	assert_refused("p99<<5ms", "expected a number");
	assert_refused("p99<-5ms", "expected a number");
	assert_refused("rps>0x10", "expected a number");
	assert_refused("rps>nan", "expected a number");
	assert_refused("rps>1e999", "expected a finite number");
	assert_refused("rps>10ms", "expected a number, with k, M or G");
	assert_refused("rps>1%", "expected a number, with k, M or G");
	assert_refused("rx>1ms", "expected bytes");
	assert_refused("client_cpu<1", "expected a share in %");
	assert_refused("failed<1ms", "a share of the requests sent");
}

static void assert_line(const char *text, const char *expected)
{
	struct condition condition;
	json_t *json = json_loads(FIGURES, 0, NULL);
	char line[CONDITION_LINE];
	json_t *outcome;

	assert_int_equal(condition_parse(&condition, "--fail-if", text), 0);
	outcome = condition_outcome(&condition, json);
	assert_non_null(outcome);
	assert_string_equal(condition_line(outcome, line), expected);
	json_decref(outcome);
	json_decref(json);
}

/* No reply at all: every figure of them is at least what was waited for. */
static void test_all_timed_out(void **state)
{
	static const struct {
		const char *text;
		bool holds;
		const char *line;
	} cases[] = {
		{"p99<1s", false, "p99<1s did not hold: p99 is at least 1.00s: all timed out"},
		{"p50<=2s", false, "p50<=2s did not hold: p50 is at least 1.00s: all timed out"},
		{"max>0.5s", true, "max>0.5s held: max is at least 1.00s: all timed out"},
		{"stddev<1s", false, "stddev<1s did not hold: stddev is not known: all timed out"},
		{"service_p99<1s", false,
			"service_p99<1s did not hold: service_p99 is not known: not recorded"},
	};
	json_t *figures = json_pack("{s:n, s:s, s:I}", "latency_ns", "latency_ns_reason",
		"all timed out", "latency_ns_at_least", (json_int_t)1000000000);

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct condition condition;
		char line[CONDITION_LINE];
		json_t *outcome;

		assert_int_equal(condition_parse(&condition, "--fail-if", cases[i].text), 0);
		assert_int_equal(condition_holds(&condition, figures), cases[i].holds);
		outcome = condition_outcome(&condition, figures);
		assert_string_equal(condition_line(outcome, line), cases[i].line);
		json_decref(outcome);
	}
	json_decref(figures);
}

static void test_lines(void **state)
{
	(void)state;
	assert_line("p50<1ms", "p50<1ms held: p50 = 900us");
	assert_line("p50<0.1ms", "p50<0.1ms did not hold: p50 = 900us");
	assert_line("p99<5ms", "p99<5ms did not hold: p99 is at least 1.00s: timed out");
	assert_line("p99.9<5ms", "p99.9<5ms did not hold: p99_9 is not known: needs 10000 samples");
	assert_line("service_p99<5ms",
		"service_p99<5ms did not hold: service_p99 is not known: closed loop");
	assert_line("failed<0.1%", "failed<0.1% did not hold: failed = 0.2%");
	assert_line("failed<1", "failed<1 did not hold: failed = 2");
	assert_line("rx<1MB", "rx<1MB did not hold: rx = 2.00MB");
	assert_line("client.cpu_user_s<1",
		"client.cpu_user_s<1 did not hold: client.cpu_user_s = 1.50s");
}

static void test_a_list_counts_what_did_not_hold(void **state)
{
	const struct opt_list texts = {.items = {"p50<1ms", "p99<5ms", "rps<1"}, .count = 3};
	struct condition_list list;
	json_t *json = json_loads(FIGURES, 0, NULL);

	(void)state;
	assert_int_equal(condition_list_parse(&list, "--fail-if", &texts), 0);
	assert_int_equal(condition_list_check(&list, json, json), 2);
	assert_int_equal(json_array_size(json_object_get(json, "conditions")), 3);
	json_decref(json);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_operators),
		cmocka_unit_test(test_units),
		cmocka_unit_test(test_shares_of_the_requests_sent),
		cmocka_unit_test(test_absent_satisfies_nothing),
		cmocka_unit_test(test_a_lower_bound_satisfies_what_it_can),
		cmocka_unit_test(test_a_summary_has_medians),
		cmocka_unit_test(test_what_is_none_is_refused),
		cmocka_unit_test(test_lines),
		cmocka_unit_test(test_all_timed_out),
		cmocka_unit_test(test_a_list_counts_what_did_not_hold),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
