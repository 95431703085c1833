/* The plan of rpcbench bench, what clients print, and the report. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/client.h"
#include "harness/paths.h"
#include "harness/bench.h"
#include "harness/report/peers.h"
#include "tests/unit/catch.h"
#include "tests/unit/test.h"

static const struct paths here = {.root = "."};

#define PLAN(row)                                                                                  \
	"{\"name\": \"p\", \"title\": \"P\", \"pairs\": 2, \"duration\": \"1s\", \"warmup\": "     \
	"\"0\", \"comparisons\": [\n{\"name\": \"a\", \"call\": \"hello\", \"connections\": 1, "   \
	"\"pipeline\": 1, " row "}]}"

static const char *load_text(const char *text, struct catch *c)
{
	char file[] = "/tmp/rpcbench-plan-XXXXXX.json";
	int fd = mkstemps(file, 5);
	struct bench bench;
	const char *printed;

	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
	catch_begin(c);
	if (bench_load(&bench, &here, file) == 0)
		bench_free(&bench);
	printed = catch_end(c);
	unlink(file);
	return strstr(printed, file) != NULL ? strstr(printed, file) + strlen(file) : printed;
}

static void test_bad_plans(void **state)
{
	static const struct {
		const char *text;
		const char *message;
	} bad[] = {
		{PLAN("\"metric\": \"rps\", \"server\": \"s\", \"bar\": \"> 1\""),
			":2: comparisons[0].bar: expected a condition like \">= 1.3\" or \"<= "
			"32MiB\", got \"> 1\""},
		{PLAN("\"metric\": \"rps\", \"server\": \"s\", \"bar\": \"<= 0\""),
			":2: comparisons[0].bar: expected a condition like \">= 1.3\" or \"<= "
			"32MiB\", got \"<= 0\""},
		{PLAN("\"metric\": \"rps\", \"server\": \"s\", \"ours\": \"o\", \"bar\": \">= 1\""),
			":2: comparisons[0]: expected either ours and peer, or server"},
		{PLAN("\"metric\": \"rps\", \"ours\": \"o\", \"bar\": \">= 1\""),
			":2: comparisons[0]: expected either ours and peer, or server"},
		{PLAN("\"metric\": \"rps\", \"ours\": \"o\", \"peer\": \"p\", \"bar\": \">= 1\", "
		      "\"peer_options\": [\"--verify=off\"]"),
			":2: comparisons[0]: expected options only beside a server"},
		{PLAN("\"metric\": \"rss_growth\", \"ours\": \"o\", \"peer\": \"p\", \"bar\": \">= "
		      "1\""),
			":2: comparisons[0].metric: rss_growth is known of clients only"},
		{PLAN("\"metric\": \"rps\", \"server\": \"s\", \"bar\": \">= 1\"},\n{\"name\": "
		      "\"a\", \"call\": \"hello\", \"connections\": 1, \"pipeline\": 1, "
		      "\"metric\": \"rps\", \"server\": \"s\", \"bar\": \">= 1\""),
			":3: comparisons[1]: expected a name of its own, 'a' is there twice"},
		{PLAN("\"metric\": \"rps\", \"server\": \"s\", \"bar\": \">= 1\""), ""},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct catch c;

		assert_string_equal(load_text(bad[i].text, &c), bad[i].message);
	}
}

/* The plan that make bench runs. */
static void test_own_plan(void **state)
{
	struct bench bench;

	(void)state;
	assert_int_equal(bench_load(&bench, &here, "harness/plans/peers.json"), 0);
	assert_true(bench.pairs >= 5);
	assert_true(bench.count > 10);
	bench_free(&bench);
}

static void test_bars(void **state)
{
	const struct bench_bar at_least = {.at_least = true, .value = 1.3};
	const struct bench_bar at_most = {.value = 0.9};
	const struct bench_bar memory = {.absolute = true, .value = 32 << 20};

	(void)state;
	assert_true(bench_meets(&at_least, 1.3, 0));
	assert_false(bench_meets(&at_least, 1.29, 9));
	assert_true(bench_meets(&at_most, 0.9, 9));
	assert_false(bench_meets(&at_most, 0.91, 0));
	assert_true(bench_meets(&memory, 100, 32 << 20));
	assert_false(bench_meets(&memory, 0.1, 33 << 20));
}

/* As wrk 4.1.0 prints it. */
static void test_wrk_output(void **state)
{
	static const char clean[] = "Running 1s test @ http://127.0.0.1:18101/\n"
				    "  1 threads and 20 connections\n"
				    "  Thread Stats   Avg      Stdev     Max   +/- Stdev\n"
				    "    Latency   176.11us  221.44us   4.20ms   59.84%\n"
				    "    Req/Sec     1.65M   108.46k    1.77M    70.00%\n"
				    "  1641150 requests in 1.00s, 205.03MB read\n"
				    "Requests/sec: 1639191.17\n"
				    "Transfer/sec:    204.79MB\n";
	static const char errors[] = "  1 requests in 1.00s, 0.92KB read\n"
				     "  Socket errors: connect 1, read 20, write 0, timeout 3\n"
				     "  Non-2xx or 3xx responses: 12\n"
				     "Requests/sec:      1.00\n";
	struct client_result r = {0};

	(void)state;
	assert_int_equal(client_parse(CLIENT_WRK, clean, &r), 0);
	assert_int_equal(r.requests, 1641150);
	assert_int_equal(r.failed, 0);
	assert_int_equal(client_parse(CLIENT_WRK, errors, &r), 0);
	assert_int_equal(r.requests, 1);
	assert_int_equal(r.failed, 36);
	assert_int_equal(client_parse(CLIENT_WRK, "unable to connect\n", &r), -1);
}

static void test_h2load_output(void **state)
{
	/* Of h2load 1.52.0. */
	static const char output[] =
		"finished in 1.00s, 89011.00 req/s, 4.52MB/s\n"
		"requests: 89011 total, 89171 started, 89011 done, 88999 succeeded, 12 failed, "
		"3 errored, 1 timeout\n"
		"status codes: 89011 2xx, 0 3xx, 0 4xx, 0 5xx\n";
	struct client_result r = {0};

	(void)state;
	assert_int_equal(client_parse(CLIENT_H2LOAD, output, &r), 0);
	assert_int_equal(r.requests, 88999);
	assert_int_equal(r.failed, 16);
	assert_int_equal(client_parse(CLIENT_H2LOAD, "requests: none\n", &r), -1);
}

static void test_rpcbench_output(void **state)
{
	struct client_result r = {0};

	(void)state;
	assert_int_equal(client_parse(CLIENT_RPCBENCH,
				 "{\"requests\": {\"completed\": 7, \"failed\": 2}}", &r),
		0);
	assert_int_equal(r.requests, 7);
	assert_int_equal(r.failed, 2);
	assert_int_equal(client_parse(CLIENT_RPCBENCH, "{\"requests\": {}}", &r), -1);
	assert_int_equal(client_parse(CLIENT_RPCBENCH, "", &r), -1);
}

static void test_report(void **state)
{
	static const char text[] =
		"{\"title\": \"T\", \"pairs\": 5, \"duration_s\": 3.0, \"comparisons\": "
		"[{\"name\": "
		"\"a\", \"measured\": \"server\", \"ours\": \"o\", \"peer\": \"p\", "
		"\"connections\": 10, \"pipeline\": 2, \"metric\": \"cpu_us_per_request\", "
		"\"bar\": {\"text\": \"<= 0.9\", \"of\": \"ratio\"}, \"summary\": {\"ours\": "
		"{\"median\": 5.0}, \"peer\": {\"median\": 4.0}, \"ratio\": {\"median\": 1.25, "
		"\"ci95_low\": 1.2, \"ci95_high\": 1.3}}, \"reached\": false}, {\"name\": \"b\", "
		"\"reached\": null, \"reached_reason\": \"p is not built\"}]}";
	static const char row[] =
		"| a          | o    | p    | 10 x 2 | server cpu_us_per_request | "
		"5.00us       | 4.00us       | 1.25 [1.20, 1.30] | ratio <= 0.9 | **not reached** "
		"|";
	json_t *record = json_loads(text, 0, NULL);
	char *out = NULL;
	size_t len;
	FILE *stream = open_memstream(&out, &len);

	(void)state;
	peers_print(record, stream);
	fclose(stream);
	assert_non_null(strstr(out, row));
	assert_non_null(strstr(out, "- b: left out, p is not built\n"));
	free(out);
	json_decref(record);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bad_plans),
		cmocka_unit_test(test_own_plan),
		cmocka_unit_test(test_bars),
		cmocka_unit_test(test_wrk_output),
		cmocka_unit_test(test_h2load_output),
		cmocka_unit_test(test_rpcbench_output),
		cmocka_unit_test(test_report),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
