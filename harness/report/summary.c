#include <math.h>

#include "harness/report/build.h"
#include "harness/report/latency.h"
#include "harness/report/merged.h"
#include "harness/report/pick.h"
#include "harness/report/summary.h"
#include "harness/report/values.h"

#define SERVER_LIMIT 0.95 /* share of the CPUs it can use; METHOD.md "What limited it" */

/** struct totals - Sums over trials. */
struct totals {
	unsigned trials; /* without a failure: */
	unsigned client_limited;
	double completed;
	double rx_bytes;
	double duration_s;   /* of trials where the server's CPU time is known */
	double server_cpu_s; /* in these */
	double requested;    /* connections, the least of any trial */
	double established;  /* likewise */
	double served;       /* likewise */
	double reconnects;
	double max_rss_bytes; /* -1 while unknown */
	double sent;          /* of all trials: */
	double ok;
	double failed;
	const char *no_server; /* why the server's numbers are unknown */
};

static double least(double so_far, const json_t *trial, const char *path)
{
	return fmin(so_far, pick_or(trial, path, so_far));
}

static void add_server(struct totals *t, const json_t *trial)
{
	double cpu_user_s;

	if (!pick_number(trial, "server.cpu_user_s", &cpu_user_s)) {
		t->no_server = pick_reason(trial, "server.cpu_user_s");
		return;
	}
	t->server_cpu_s += cpu_user_s + pick_or(trial, "server.cpu_system_s", 0);
	t->duration_s += pick_or(trial, "duration_s", 0);
	t->max_rss_bytes = fmax(t->max_rss_bytes, pick_or(trial, "server.max_rss_bytes", -1));
}

static void add_counted(struct totals *t, const json_t *trial)
{
	double completed = pick_or(trial, "requests.completed", 0);

	t->trials++;
	t->client_limited += pick_true(trial, "client_limited");
	t->completed += completed;
	t->rx_bytes += completed * pick_or(trial, "bytes_per_reply", 0);
	t->requested = least(t->requested, trial, "connections.requested");
	t->established = least(t->established, trial, "connections.established");
	t->served = least(t->served, trial, "connections.served");
	t->reconnects += pick_or(trial, "connections.reconnects", 0);
	add_server(t, trial);
}

static struct totals add_trials(const json_t *trials)
{
	struct totals t = {
		.requested = INFINITY,
		.established = INFINITY,
		.served = INFINITY,
		.max_rss_bytes = -1,
		.no_server = "no trial was finished",
	};
	const json_t *trial;
	size_t i;

	json_array_foreach (trials, i, trial) {
		t.sent += pick_or(trial, "requests.sent", 0);
		t.ok += pick_or(trial, "requests.ok", 0);
		t.failed += pick_or(trial, "requests.failed", 0);
		if (values_trial_counts(trial))
			add_counted(&t, trial);
	}
	return t;
}

/** struct column - A number of each trial that is summarised. */
struct column {
	const char *name;
	const char *path; /* in the trial */
	bool more_is_better;
};

static const struct column columns[] = {
	{"rps", "rps", true},
	{"rps_per_server_cpu_s", "server.requests_per_cpu_s", true},
	{"server_cpu_us_per_request", "server.cpu_us_per_request", false},
	{"duration_s", "duration_s", false},
};

static void put_column(
	struct build *b, const struct column *column, const json_t *contestant, uint64_t seed)
{
	struct values v;

	if (values_read(&v, contestant, column->path) != 0) {
		b->failed = true;
		return;
	}
	if (v.n > 0)
		build_put(b, column->name, values_summary(&v, column->more_is_better, seed));
	else
		build_absent(b, column->name, v.reason);
	values_free(&v);
}

static void put_latency(struct build *b, const struct totals *t, const json_t *trials)
{
	struct merged ok = {0};
	struct merged timed_out = {0};
	struct merged failed = {0};
	const json_t *trial;
	size_t i;

	json_array_foreach (trials, i, trial) {
		if (!values_trial_counts(trial))
			continue;
		if (merged_add(&ok, trial, "histogram") != 0 ||
			merged_add(&timed_out, trial, "timed_out_histogram") != 0 ||
			merged_add(&failed, trial, "failed_histogram") != 0)
			b->failed = true;
	}
	if (ok.count > 0)
		build_put(b, "latency_ns", merged_object(&ok, &timed_out));
	else if (t->trials > 0)
		latency_put_none(b, "latency_ns", failed.count, timed_out.count, timed_out.min_ns);
	else
		build_absent(b, "latency_ns", "no trial was finished");
	if (failed.count > 0)
		build_put(b, "failed_latency_ns", merged_object(&failed, NULL));
	else
		build_absent(b, "failed_latency_ns",
			t->failed > 0 ? "not recorded" : "no request failed");
	merged_free(&ok);
	merged_free(&timed_out);
	merged_free(&failed);
}

static json_t *requests_object(const struct totals *t)
{
	struct build b = build_begin();

	build_count(&b, "sent", (uint64_t)t->sent);
	build_count(&b, "ok", (uint64_t)t->ok);
	build_count(&b, "failed", (uint64_t)t->failed);
	return build_end(&b);
}

/* The counts of @name, an object of counts, added up over all trials. */
static json_t *sum_objects(const json_t *trials, const char *name)
{
	struct build b = build_begin();
	const json_t *trial;
	size_t i;

	json_array_foreach (trials, i, trial) {
		json_t *counts = json_object_get(trial, name);
		json_t *count;
		const char *kind;

		json_object_foreach (counts, kind, count) {
			double so_far = json_number_value(json_object_get(b.object, kind));

			build_count(&b, kind, (uint64_t)(so_far + json_number_value(count)));
		}
	}
	return build_end(&b);
}

static json_t *checks_failed(const json_t *trials)
{
	struct build b = build_begin();
	const json_t *trial;
	size_t i;

	json_array_foreach (trials, i, trial) {
		json_t *checks = json_object_get(trial, "checks");
		json_t *check;
		const char *name;

		json_object_foreach (checks, name, check) {
			double so_far = json_number_value(json_object_get(b.object, name));

			if (json_is_false(pick(check, "ok")))
				build_count(&b, name, (uint64_t)so_far + 1);
		}
	}
	return build_end(&b);
}

static void put_least(struct build *b, const char *name, double value)
{
	if (isfinite(value))
		build_count(b, name, (uint64_t)value);
	else
		build_absent(b, name, "no trial was finished");
}

static json_t *connections_object(const struct totals *t)
{
	struct build b = build_begin();

	put_least(&b, "requested", t->requested);
	put_least(&b, "established", t->established);
	put_least(&b, "served", t->served);
	build_count(&b, "reconnects", (uint64_t)t->reconnects);
	return build_end(&b);
}

static void put_limit(struct build *b, const struct totals *t, const json_t *contestant)
{
	double cpus = pick_or(contestant, "server_cpus", 0);
	double share = t->duration_s > 0 && cpus > 0 ? t->server_cpu_s / t->duration_s / cpus : -1;
	const char *reason =
		t->duration_s > 0 ? "how many CPUs it could use is not recorded" : t->no_server;
	bool client = t->trials > 0 && 2 * t->client_limited >= t->trials;

	build_ratio(b, "server_cpu_percent", 100 * t->server_cpu_s, t->duration_s, t->no_server);
	if (share >= 0)
		build_number(b, "server_cpu_share", share);
	else
		build_absent(b, "server_cpu_share", reason);
	build_put(b, "client_limited", json_boolean(client));
	if (client)
		build_text(b, "limit", "client");
	else if (share >= 0)
		build_text(b, "limit", share >= SERVER_LIMIT ? "server" : "neither");
	else
		build_absent(b, "limit", reason);
}

json_t *summary_object(const json_t *contestant, uint64_t seed)
{
	const json_t *trials = pick(contestant, "trials");
	struct totals t = add_trials(trials);
	struct build b = build_begin();

	build_count(&b, "trials", t.trials);
	for (size_t i = 0; i < sizeof(columns) / sizeof(columns[0]); i++)
		put_column(&b, &columns[i], contestant, seed);
	put_latency(&b, &t, trials);
	build_ratio(&b, "bytes_per_reply", t.rx_bytes, t.completed, "no whole reply");
	build_put(&b, "requests", requests_object(&t));
	build_put(&b, "errors", sum_objects(trials, "errors"));
	build_put(&b, "connections", connections_object(&t));
	if (t.max_rss_bytes >= 0)
		build_count(&b, "max_rss_bytes", (uint64_t)t.max_rss_bytes);
	else
		build_absent(&b, "max_rss_bytes", t.no_server);
	put_limit(&b, &t, contestant);
	build_put(&b, "checks_failed", checks_failed(trials));
	return build_end(&b);
}

bool summary_is_whole(const json_t *record)
{
	const json_t *contestants = pick(record, "contestants");
	const json_t *contestant;
	size_t i;

	json_array_foreach (contestants, i, contestant)
		if (!json_is_object(pick(contestant, "summary")))
			return false;
	return true;
}
