#include <string.h>

#include "harness/report/csv.h"
#include "harness/report/latency.h"
#include "harness/report/pick.h"

/* Fields of the contestant, on each row. */
static const char *const contestant_fields[] = {"name", "protocol", "class", "connections",
	"pipeline", "requests_planned", "rate", "arrival", "server_threads", "skipped", NULL};

/* Fields of the summary. */
static const char *const summary_fields[] = {"failure", "trials", "rank", "ranked_by",
	"relative.ratio", "relative.ci95_low", "relative.ci95_high", "tie.with", "tie.p",
	"tie.cliffs_delta", "limit", "client_limited", "server_cpu_share", "ceiling_share",
	"bytes_per_reply", "max_rss_bytes", "requests.sent", "requests.ok", "requests.failed",
	"connections.requested", "connections.established", "connections.served",
	"connections.reconnects", NULL};

/* Groups of the summary, each of the values below. */
static const char *const groups[] = {
	"rps", "rps_per_server_cpu_s", "server_cpu_us_per_request", "duration_s", NULL};
static const char *const values[] = {
	"median", "ci95_low", "ci95_high", "best", "min", "max", "mean", "stddev", "n", NULL};

static const char *const trial_fields[] = {"order", "started_s", "failure", "mode", "threads",
	"duration_s", "warmup_s", "stopped", "requests.sent", "requests.completed", "requests.ok",
	"requests.failed", "requests.inflight_at_end", "rps", "throughput_bytes_per_s.rx",
	"throughput_bytes_per_s.tx", "bytes_per_reply", "connections.established",
	"connections.served", "connections.reconnects", "client.cpu_user_s", "client.cpu_system_s",
	"client.requests_per_cpu_s", "client_limited", "server.cpu_user_s", "server.cpu_system_s",
	"server.requests_per_cpu_s", "server.cpu_us_per_request", "server.max_rss_bytes", NULL};

static const char *const latency_ends[] = {"count", "min", "mean", "stddev", "max", NULL};

static void put_text(const char *text, FILE *out)
{
	if (text[strcspn(text, ",\"\r\n")] == '\0') {
		fputs(text, out);
		return;
	}
	fputc('"', out);
	for (; *text != '\0'; text++) {
		if (*text == '"')
			fputc('"', out);
		fputc(*text, out);
	}
	fputc('"', out);
}

static void put_value(const json_t *value, FILE *out)
{
	if (json_is_string(value))
		put_text(json_string_value(value), out);
	else if (json_is_integer(value))
		fprintf(out, "%lld", (long long)json_integer_value(value));
	else if (json_is_real(value))
		fprintf(out, "%.9g", json_real_value(value));
	else if (json_is_boolean(value))
		fputs(json_is_true(value) ? "true" : "false", out);
}

/* The column at @path, after others: its name when @object is NULL, else its value. */
static void put(const json_t *object, const char *path, FILE *out)
{
	fputc(',', out);
	if (object == NULL)
		put_text(path, out);
	else
		put_value(pick(object, path), out);
}

static void put_all(const json_t *object, const char *const *paths, FILE *out)
{
	for (; *paths != NULL; paths++)
		put(object, *paths, out);
}

static void put_under(const json_t *object, const char *group, const char *name, FILE *out)
{
	char path[80];

	snprintf(path, sizeof(path), "%s.%s", group, name);
	put(object, path, out);
}

static void put_latency(const json_t *object, FILE *out)
{
	for (const char *const *end = latency_ends; *end != NULL; end++)
		put_under(object, "latency_ns", *end, out);
	for (const struct latency_percentile *p = latency_percentiles; p->name != NULL; p++)
		put_under(object, "latency_ns", p->name, out);
}

static void put_summary(const json_t *summary, FILE *out)
{
	put_all(summary, summary_fields, out);
	for (const char *const *group = groups; *group != NULL; group++)
		for (const char *const *value = values; *value != NULL; value++)
			put_under(summary, *group, *value, out);
	put_latency(summary, out);
	fputc('\n', out);
}

static void put_trial(const json_t *trial, FILE *out)
{
	put_all(trial, trial_fields, out);
	put_latency(trial, out);
	fputc('\n', out);
}

void csv_head(bool trials, FILE *out)
{
	fputs("round", out);
	put_all(NULL, contestant_fields, out);
	if (trials)
		put_trial(NULL, out);
	else
		put_summary(NULL, out);
}

static void begin_row(const json_t *record, const json_t *contestant, FILE *out)
{
	put_value(pick(record, "round"), out);
	put_all(contestant, contestant_fields, out);
}

void csv_rows(const json_t *record, bool trials, FILE *out)
{
	const json_t *contestant;
	const json_t *trial;
	size_t i;
	size_t j;

	json_array_foreach (pick(record, "contestants"), i, contestant) {
		if (!trials) {
			begin_row(record, contestant, out);
			put_summary(pick(contestant, "summary"), out);
			continue;
		}
		json_array_foreach (pick(contestant, "trials"), j, trial) {
			begin_row(record, contestant, out);
			put_trial(trial, out);
		}
	}
}
