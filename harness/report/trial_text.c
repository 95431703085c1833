#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/condition.h"
#include "harness/report/latency.h"
#include "harness/report/merged.h"
#include "harness/report/pick.h"
#include "harness/report/result.h"
#include "harness/report/text.h"
#include "harness/stats/stats.h"
#include "lib/clock.h"
#include "lib/units.h"

#define BUSY_SHARE    0.5 /* of the time on a CPU; below, a late client was kept from it */
#define ABSENT        "n/a"
#define AT_LEAST      "≥ "
#define DURATION      (UNITS_TEXT + sizeof(AT_LEAST))
#define ERRORS_SIZE   256
#define SLOW_CLOCK_NS 500 /* of one reading; METHOD.md "Self-checks" */
#define SHORT_WINDOW  10  /* mean latencies that a window should be longer than */

/* The duration in ns at @path, or its lower bound, or n/a. @out: DURATION bytes. Return: @out. */
static const char *duration_at(const json_t *trial, const char *path, char *out)
{
	double ns;

	if (pick_number(trial, path, &ns))
		return units_duration(ns, out);
	if (!pick_bound(trial, path, &ns))
		return strcpy(out, ABSENT);
	strcpy(out, AT_LEAST);
	units_duration(ns, out + strlen(AT_LEAST));
	return out;
}

static const char *seconds_at(const json_t *trial, const char *path, char *out)
{
	return units_duration(pick_or(trial, path, 0) * NS_PER_S, out);
}

static bool is_open(const json_t *trial)
{
	return json_is_object(pick(trial, "rate"));
}

static const char *rate_at(const json_t *trial, const char *path, char *out)
{
	double rate;

	if (!pick_number(trial, path, &rate))
		return strcpy(out, ABSENT);
	snprintf(out, UNITS_TEXT, "%.*f", rate == floor(rate) || rate >= 1000 ? 0 : 1, rate);
	return out;
}

/* @text aligned to the right of @columns. */
static void print_right(const char *text, size_t columns, FILE *out)
{
	size_t width = text_width(text);

	fprintf(out, "%*s%s", width < columns ? (int)(columns - width) : 0, "", text);
}

static void print_plan(const json_t *trial, FILE *out)
{
	double threads = pick_or(trial, "threads", 0);
	double connections = pick_or(trial, "connections.requested", 0);
	double pipeline = pick_or(trial, "pipeline", 1);
	char duration[UNITS_TEXT];

	fprintf(out, "Running %s test @ ", seconds_at(trial, "duration_s", duration));
	text_plain(pick_text(trial, "target") != NULL ? pick_text(trial, "target") : "?", out);
	fprintf(out, "\n  %.0f thread%s and %.0f connection%s", threads, threads == 1 ? "" : "s",
		connections, connections == 1 ? "" : "s");
	if (pipeline > 1)
		fprintf(out, ", %.0f requests in flight on each", pipeline);
	if (is_open(trial))
		fprintf(out, "\n  open loop: %s requests/s, %s arrivals",
			rate_at(trial, "rate.target", duration), pick_text(trial, "rate.arrival"));
	fputc('\n', out);
}

/* With the share of latencies within one standard deviation of their mean. */
static void print_latency_row(const json_t *trial, FILE *out)
{
	double mean = pick_or(trial, "latency_ns.mean", 0);
	struct merged merged = {0};
	char within[UNITS_TEXT] = ABSENT;
	char text[DURATION];
	double stddev;

	if (pick_number(trial, "latency_ns.stddev", &stddev) &&
		merged_add(&merged, trial, "histogram") == 0 && merged.count > 0)
		snprintf(within, sizeof(within), "%.2f%%",
			100 * merged_within(&merged, mean - stddev, mean + stddev));
	fputs("    Latency", out);
	print_right(duration_at(trial, "latency_ns.mean", text), 11, out);
	print_right(duration_at(trial, "latency_ns.stddev", text), 10, out);
	print_right(duration_at(trial, "latency_ns.max", text), 10, out);
	fprintf(out, " %9s\n", within);
	merged_free(&merged);
}

static void print_service_row(const json_t *trial, FILE *out)
{
	char text[DURATION];

	fputs("    Service", out);
	print_right(duration_at(trial, "service_time_ns.mean", text), 11, out);
	print_right(duration_at(trial, "service_time_ns.stddev", text), 10, out);
	print_right(duration_at(trial, "service_time_ns.max", text), 10, out);
	fputc('\n', out);
}

/* Verified replies in each whole second. Return: how many; @rates is owned by the caller. */
static size_t whole_seconds(const json_t *trial, double **rates)
{
	const json_t *series = pick(trial, "series");
	double duration_s = pick_or(trial, "duration_s", 0);
	const json_t *second;
	size_t n = 0;
	size_t i;

	*rates = calloc(json_array_size(series) + 1, sizeof(**rates));
	if (*rates == NULL)
		return 0;
	json_array_foreach (series, i, second)
		if (pick_or(second, "t_s", 0) + 1 <= duration_s)
			(*rates)[n++] = pick_or(second, "ok", 0);
	return n;
}

static void print_rate_row(const json_t *trial, FILE *out)
{
	double *rates;
	size_t n = whole_seconds(trial, &rates);
	size_t within = 0;
	double mean;
	double stddev;
	char text[3][UNITS_TEXT];

	if (n >= 2) {
		stats_sort(rates, n);
		mean = stats_mean(rates, n);
		stddev = stats_stddev(rates, n);
		for (size_t i = 0; i < n; i++)
			within += fabs(rates[i] - mean) <= stddev;
		fprintf(out, "    Req/Sec %10s %9s %9s %8.2f%%\n", units_count(mean, text[0]),
			units_count(stddev, text[1]), units_count(rates[n - 1], text[2]),
			100 * (double)within / (double)n);
	}
	free(rates);
}

static void print_percentiles(const json_t *trial, FILE *out)
{
	char path[64];
	char service[64];
	char duration[DURATION];
	double ns;

	if (!json_is_object(pick(trial, "latency_ns"))) {
		fprintf(out, "  Latency " ABSENT ": %s\n", pick_reason(trial, "latency_ns"));
		return;
	}
	fputs(is_open(trial) ? "  Latency Distribution   Service\n" : "  Latency Distribution\n",
		out);
	for (const struct latency_percentile *p = latency_percentiles; p->name != NULL; p++) {
		if (p->share < 0.5)
			continue;
		snprintf(path, sizeof(path), "latency_ns.%s", p->name);
		fprintf(out, "  %5g%%", 100 * p->share);
		print_right(duration_at(trial, path, duration), 10, out);
		snprintf(service, sizeof(service), "service_time_ns.%s", p->name);
		if (is_open(trial))
			print_right(duration_at(trial, service, duration), 11, out);
		if (!pick_number(trial, path, &ns) && !pick_bound(trial, path, &ns))
			fprintf(out, " (%s)", pick_reason(trial, path));
		fputc('\n', out);
	}
}

/* "Non-2xx or 3xx responses: 24,171 (404: 24,170, 500: 1)", the total as wrk prints it. */
static void print_bad_statuses(const json_t *trial, FILE *out)
{
	json_t *codes = json_object_get(trial, "status_codes");
	const char *code;
	json_t *count;
	double bad = 0;
	char kinds[160] = "";

	json_object_foreach (codes, code, count) {
		size_t len = strlen(kinds);

		if (code[0] == '2' || code[0] == '3')
			continue;
		bad += json_number_value(count);
		text_format(kinds + len, sizeof(kinds) - len, "%s%s: %.0f", len > 0 ? ", " : "",
			code, json_number_value(count));
	}
	if (bad > 0)
		fprintf(out, "  Non-2xx or 3xx responses: %.0f (%s)\n", bad, kinds);
}

/* Those of their percentiles that there are enough of. */
static void print_failed(const json_t *trial, FILE *out)
{
	static const char *const shown[] = {"p50", "p90", "p99", "max"};
	const json_t *failed = pick(trial, "failed_latency_ns");
	char text[UNITS_TEXT];
	double ns;

	if (!json_is_object(failed))
		return;
	fputs("  Failed requests took:", out);
	for (size_t i = 0; i < sizeof(shown) / sizeof(shown[0]); i++)
		if (pick_number(failed, shown[i], &ns))
			fprintf(out, "%s %s %s", i > 0 ? "," : "", shown[i],
				units_duration(ns, text));
	fputc('\n', out);
}

static void print_totals(const json_t *trial, FILE *out)
{
	double rx_bytes =
		pick_or(trial, "throughput_bytes_per_s.rx", 0) * pick_or(trial, "duration_s", 0);
	double inflight = pick_or(trial, "requests.inflight_at_end", 0);
	const json_t *errors = pick(trial, "errors");
	char duration[DURATION];
	char size[UNITS_TEXT];
	char kinds[ERRORS_SIZE];

	fprintf(out, "  %.0f requests in %s, %s read\n", pick_or(trial, "requests.completed", 0),
		seconds_at(trial, "duration_s", duration), units_size(rx_bytes, size));
	if (inflight > 0)
		fprintf(out, "  %.0f in flight at the end, the oldest for %s\n", inflight,
			seconds_at(trial, "requests.oldest_inflight_s", duration));
	if (json_object_size(errors) > 0) {
		fputs("  Errors: ", out);
		text_plain(text_errors(errors, kinds, sizeof(kinds)), out);
		fputc('\n', out);
	}
	print_failed(trial, out);
	print_bad_statuses(trial, out);
}

static void print_schedule(const json_t *trial, FILE *out)
{
	char text[3][UNITS_TEXT];

	if (!is_open(trial))
		return;
	fprintf(out, "  Sent after the planned instant: median %s, p99 %s, at most %s\n",
		duration_at(trial, "send_lag_ns.p50", text[0]),
		duration_at(trial, "send_lag_ns.p99", text[1]),
		duration_at(trial, "send_lag_ns.max", text[2]));
	fprintf(out, "  Waiting for a connection: %.0f at most, %.0f at the end",
		pick_or(trial, "backlog.max", 0), pick_or(trial, "backlog.at_end", 0));
	if (pick_or(trial, "backlog.at_end", 0) > 0)
		fprintf(out, ", the oldest for %s", seconds_at(trial, "backlog.oldest_s", text[0]));
	if (pick_or(trial, "backlog.dropped", 0) > 0)
		fprintf(out, "; %.0f more found no room and were dropped",
			pick_or(trial, "backlog.dropped", 0));
	fputc('\n', out);
}

static void print_rates(const json_t *trial, FILE *out)
{
	char transfer[UNITS_TEXT] = ABSENT;
	double value;

	if (pick_number(trial, "rps", &value))
		fprintf(out, "Requests/sec: %10.2f\n", value);
	else
		fprintf(out, "Requests/sec: %10s (%s)\n", ABSENT, pick_reason(trial, "rps"));
	if (pick_number(trial, "throughput_bytes_per_s.rx", &value))
		units_size(value, transfer);
	fprintf(out, "Transfer/sec: %10s\n", transfer);
	if (pick_number(trial, "client.requests_per_cpu_s", &value))
		fprintf(out, "Requests per client CPU-second: %.0f\n", value);
	if (pick_number(trial, "server.requests_per_cpu_s", &value))
		fprintf(out, "Requests per server CPU-second: %.0f\n", value);
}

static void warn_of_connections(const json_t *trial, FILE *out)
{
	double requested = pick_or(trial, "connections.requested", 0);
	double established = pick_or(trial, "connections.established", requested);
	double served = pick_or(trial, "connections.served", requested);

	if (established < requested)
		fprintf(out, "Warning: only %.0f of %.0f connections were set up\n", established,
			requested);
	else if (served < requested && served < pick_or(trial, "requests.sent", 0))
		fprintf(out, "Warning: only %.0f of %.0f connections were ever served\n", served,
			requested);
}

/* A figure or its lower bound, 0 without. */
static double known_of(const json_t *trial, const char *path)
{
	double value = 0;

	if (!pick_number(trial, path, &value))
		pick_bound(trial, path, &value);
	return value;
}

static void warn_of_latency(const json_t *trial, FILE *out)
{
	double timed_out = pick_or(trial, "latency_ns.timed_out", 0);
	double mean_s = known_of(trial, "latency_ns.mean") / NS_PER_S;
	double max_s = known_of(trial, "latency_ns.max") / NS_PER_S;
	char text[UNITS_TEXT];

	if (timed_out > 0)
		fprintf(out,
			"Warning: %.0f of %.0f requests timed out: their replies would have taken "
			"longer, so latencies with ≥ are lower bounds\n",
			timed_out, pick_or(trial, "latency_ns.count", 0));
	if (pick(trial, "requests_planned") == NULL &&
		mean_s * SHORT_WINDOW > pick_or(trial, "duration_s", 0))
		fprintf(out,
			"Warning: the window is short for a mean latency of %s; requests that it "
			"cuts off are missing\n",
			units_duration(mean_s * NS_PER_S, text));
	if (pick_or(trial, "requests.oldest_inflight_s", 0) > max_s && max_s > 0)
		fprintf(out,
			"Warning: a request in flight at the end had waited longer than any reply "
			"took; no latency tells of it\n");
}

static void warn_of_clock(const json_t *trial, FILE *out)
{
	const char *source = pick_text(trial, "client.clock_source");
	double cost_ns = pick_or(trial, "client.clock_cost_ns", 0);
	char text[UNITS_TEXT];

	if (cost_ns < SLOW_CLOCK_NS)
		return;
	fprintf(out, "Warning: one reading of the clock takes %s (", units_duration(cost_ns, text));
	text_plain(source != NULL ? source : "of unknown source", out);
	fputs("): it slows the client down, and latencies hold it\n", out);
}

static void warn_of_checks(const json_t *trial, FILE *out)
{
	if (json_is_false(pick(trial, "checks.littles_law.ok")))
		fprintf(out,
			"Warning: inconsistent: %.1f requests in flight by their latencies, %.0f "
			"expected (Little's law)\n",
			pick_or(trial, "checks.littles_law.measured", 0),
			pick_or(trial, "checks.littles_law.expected_in_flight", 0));
	if (json_is_false(pick(trial, "checks.counts.ok")))
		fprintf(out, "Warning: inconsistent: the counts of requests do not add up\n");
	if (json_is_false(pick(trial, "checks.arrivals.ok")))
		fprintf(out, "Warning: inconsistent: arrivals do not follow the schedule\n");
	if (json_is_false(pick(trial, "checks.bytes.ok")))
		fprintf(out, "Warning: inconsistent: the counts of bytes do not add up\n");
	if (json_is_false(pick(trial, "checks.percentiles.ok")))
		fprintf(out, "Warning: inconsistent: the percentiles do not follow each other\n");
}

/* The client was too busy, or others kept it from a CPU when a request was due. */
static void warn_of_client(const json_t *trial, FILE *out)
{
	char text[UNITS_TEXT];
	char busy[80] = "";
	double share = 0;

	if (pick_number(trial, "client.cpu_busiest", &share))
		snprintf(busy, sizeof(busy),
			", its busiest thread on a CPU for %.0f %% of the time", 100 * share);
	fprintf(out, "Warning: the client was the limit%s%s%s: ", busy,
		is_open(trial) ? ", p99 of its send lag " : "",
		is_open(trial) ? duration_at(trial, "send_lag_ns.p99", text) : "");
	if (share > 0 && share < BUSY_SHARE)
		fputs("it did not get a CPU in time, and latencies hold that; rpcbench doctor says "
		      "what else this machine does\n",
			out);
	else
		fputs("the server could do more (-t adds threads)\n", out);
}

/* Whether the client was the limit, or the server did not keep up with the rate. */
static void warn_of_load(const json_t *trial, FILE *out)
{
	char text[2][UNITS_TEXT];

	if (pick_true(trial, "client_limited"))
		warn_of_client(trial, out);
	if (pick_true(trial, "saturated"))
		fprintf(out,
			"Warning: saturated: target %s/s, achieved %s/s, backlog %.0f at the end; "
			"latencies tell how long the run was, not how fast the server is\n",
			rate_at(trial, "rate.target", text[0]),
			rate_at(trial, "rate.achieved", text[1]),
			pick_or(trial, "backlog.at_end", 0));
}

static void print_warnings(const json_t *trial, FILE *out)
{
	if (pick_true(trial, "stopped"))
		fprintf(out, "Warning: stopped before its planned end\n");
	warn_of_load(trial, out);
	warn_of_connections(trial, out);
	warn_of_latency(trial, out);
	warn_of_clock(trial, out);
	warn_of_checks(trial, out);
	if (pick_true(trial, "body_learned") && pick_or(trial, "errors.mismatch", 0) > 0)
		fprintf(out,
			"Warning: each body was compared with that of the first reply; if they may "
			"differ, use --verify=length or --verify=status\n");
}

static void print_conditions(const json_t *trial, FILE *out)
{
	char line[CONDITION_LINE];
	const json_t *outcome;
	size_t i;

	json_array_foreach (pick(trial, "conditions"), i, outcome) {
		fputs("fail-if: ", out);
		text_plain(condition_line(outcome, line), out);
		fputc('\n', out);
	}
}

void report_trial(const json_t *trial, FILE *out)
{
	print_plan(trial, out);
	if (json_is_object(pick(trial, "latency_ns"))) {
		fprintf(out, "  Stats          Avg     Stdev       Max  +/- Stdev\n");
		print_latency_row(trial, out);
		if (is_open(trial))
			print_service_row(trial, out);
		print_rate_row(trial, out);
	}
	print_percentiles(trial, out);
	print_totals(trial, out);
	print_schedule(trial, out);
	print_rates(trial, out);
	print_warnings(trial, out);
	print_conditions(trial, out);
}
