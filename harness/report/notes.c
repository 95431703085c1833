#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "harness/condition.h"
#include "harness/report/environment.h"
#include "harness/report/notes.h"
#include "harness/report/pick.h"
#include "harness/report/table.h"
#include "harness/report/text.h"
#include "harness/report/trend.h"
#include "harness/stats/rank_test.h"
#include "lib/clock.h"
#include "lib/units.h"

#define NOTE_SIZE   512  /* bytes of a note; a longer one is cut */
#define NOISY_SHARE 0.05 /* standard deviation of the trials, of their mean */
#define SIZES_SHARE 0.02 /* of the smallest reply; METHOD.md "Bytes per reply" */

/** struct pen - Where notes go. */
struct pen {
	notes_print *print;
	void *ctx;
};

static void note(const struct pen *pen, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void note(const struct pen *pen, const char *format, ...)
{
	char text[NOTE_SIZE];
	va_list args;

	va_start(args, format);
	text_vformat(text, sizeof(text), format, args);
	va_end(args);
	pen->print(pen->ctx, text);
}

static const char *name_of(const struct table_row *row)
{
	return row->cells[COLUMN_NAME].text;
}

static bool has_rank(const struct table_row *row)
{
	return pick_or(row->summary, "rank", 0) > 0;
}

static void note_order(const struct table *table, const struct pen *pen)
{
	char names[NOTE_SIZE / 2] = "";

	if (!table->by_server_cpu) {
		note(pen, "Ordered by requests per second; only verified replies count.");
		return;
	}
	if (table->load.rate > 0) {
		note(pen, "Ordered by requests per server CPU-second, since in an open loop the "
			  "schedule decides on the requests per second.");
		return;
	}
	for (size_t i = 0; i < table->n; i++) {
		const struct table_row *row = &table->rows[i];
		size_t len = strlen(names);

		if (has_rank(row) && pick_true(row->summary, "client_limited"))
			text_format(names + len, sizeof(names) - len, "%s%s", len > 0 ? ", " : "",
				name_of(row));
	}
	note(pen,
		"Ordered by requests per server CPU-second, not by requests per second: the client "
		"was the limit of %s, which could answer more than it asked.",
		names);
}

static void note_relative(const struct table *table, const struct pen *pen)
{
	if (table->n > 1 && has_rank(&table->rows[1]) && table_shows(table, COLUMN_RELATIVE))
		note(pen,
			"Relative: how many times as many requests per %s the first row serves, "
			"± half the 95 %% interval of that ratio.",
			table->by_server_cpu ? "server CPU-second" : "second");
}

/* That rows share a rank, and whether the trials could have told any two of them apart. */
static void note_ties(const struct table *table, const struct pen *pen)
{
	size_t ranked = 0;
	double least = INFINITY;
	bool shared = false;

	for (size_t i = 0; i < table->n && has_rank(&table->rows[i]); i++) {
		ranked++;
		least = fmin(least, pick_or(table->rows[i].summary, "trials", 0));
		shared |= json_is_object(pick(table->rows[i].summary, "tie"));
	}
	if (!shared)
		return;
	if (table_shows(table, COLUMN_RANK))
		note(pen, "Rows that share a rank (=) are not told apart by their trials "
			  "(Mann-Whitney test, "
			  "corrected for the number of pairs).");
	if (least < (double)rank_test_least(ranked * (ranked - 1) / 2))
		note(pen,
			"With %.0f trial%s no difference between %zu rows can be shown, however "
			"large it is: that takes %zu trials of each.",
			least, least == 1 ? "" : "s", ranked,
			rank_test_least(ranked * (ranked - 1) / 2));
}

/* Rows that only the noise floor keeps together. */
static void note_below_floor(const struct table *table, const struct pen *pen)
{
	for (size_t i = 0; i < table->n; i++) {
		const json_t *tie = pick(table->rows[i].summary, "tie");

		if (pick_true(tie, "below_noise_floor"))
			note(pen,
				"%s: shares its rank with %s, since they differ by no more than "
				"the "
				"noise floor, though the test tells them apart (p = %.2g).",
				name_of(&table->rows[i]), pick_text(tie, "with"),
				pick_or(tie, "p", 0));
	}
}

/* More threads than CPUs are no scaling. */
static void note_threads(const struct table *table, const struct pen *pen)
{
	double cpus = pick_or(table->rows[0].contestant, "server_cpus", table->load.threads);

	if (cpus < table->load.threads)
		note(pen, "More threads than CPUs: the server's %.0f threads share %.0f CPU%s.",
			table->load.threads, cpus, cpus == 1 ? "" : "s");
}

/* By how much a contestant differs from itself: what a difference must exceed. */
static void note_floor(const struct table *table, const struct pen *pen)
{
	const char *metric = table->by_server_cpu ? "rps_per_server_cpu_s" : "rps";
	const char *unit = table->by_server_cpu ? "server CPU-second" : "second";
	const char *name = pick_text(table->floor, "contestant");
	const json_t *values = pick(table->floor, metric);
	double percent = 100 * pick_or(values, "floor", 0);
	double p = pick_or(values, "p", 1);

	if (table->floor == NULL)
		return;
	if (!json_is_object(values))
		note(pen, "Noise floor: unknown (%s).", pick_reason(table->floor, metric));
	else if (p >= RANK_TEST_LEVEL)
		note(pen,
			"Noise floor: %s measured twice differs by %.1f %% in requests per %s (p = "
			"%.2g); smaller differences are not shown.",
			name, percent, unit, p);
	else
		note(pen,
			"Noise floor: %s measured twice came out as two: it differs from itself by "
			"%.1f %% in requests per %s (p = %.2g), so that differences up to %.1f %% "
			"mean nothing.",
			name, percent, unit, p, percent);
}

static void note_ceiling(const struct table *table, const struct pen *pen)
{
	char rps[TEXT_COUNT];
	char per_cpu[TEXT_COUNT];
	double value;

	if (!pick_number(table->ceiling, "rps", &value))
		return;
	text_count(value, rps);
	text_count(pick_or(table->ceiling, "requests_per_client_cpu_s", 0), per_cpu);
	note(pen,
		"The client's ceiling at this load: %s requests/s, %s per client CPU-second, of "
		"one "
		"byte each, with a server that sends them back.",
		rps, per_cpu);
}

static void note_above_ceiling(const struct table_row *row, const struct pen *pen)
{
	double share = pick_or(row->summary, "ceiling_share", 0);

	if (share > 1)
		note(pen,
			"%s: reached %.0f %% of the client's ceiling, so that was measured too "
			"low: take it as a row that the client limits.",
			name_of(row), 100 * share);
}

/* Rows of one protocol whose replies differ in size are not compared on equal terms. */
static void note_sizes(const struct table *table, const char *protocol, const struct pen *pen)
{
	const struct table_row *smallest = NULL;
	const struct table_row *largest = NULL;
	double least = INFINITY;
	double most = 0;

	for (size_t i = 0; i < table->n; i++) {
		const struct table_row *row = &table->rows[i];
		const char *own = pick_text(row->contestant, "protocol");
		double size;

		if (!has_rank(row) || own == NULL || strcmp(own, protocol) != 0 ||
			!pick_number(row->summary, "bytes_per_reply", &size))
			continue;
		if (size < least) {
			least = size;
			smallest = row;
		}
		if (size > most) {
			most = size;
			largest = row;
		}
	}
	if (smallest != NULL && most > least * (1 + SIZES_SHARE))
		note(pen,
			"Sizes differ: a reply of %s takes %.0f bytes, one of %s %.0f, over the "
			"same protocol (%s).",
			name_of(smallest), least, name_of(largest), most, protocol);
}

static void note_all_sizes(const struct table *table, const struct pen *pen)
{
	for (size_t i = 0; i < table->n; i++) {
		const char *protocol = pick_text(table->rows[i].contestant, "protocol");
		bool first = protocol != NULL;

		for (size_t j = 0; j < i && first; j++) {
			const char *earlier = pick_text(table->rows[j].contestant, "protocol");

			first = earlier == NULL || strcmp(earlier, protocol) != 0;
		}
		if (first)
			note_sizes(table, protocol, pen);
	}
}

static void note_errors(const struct table_row *row, const struct pen *pen)
{
	const json_t *errors = pick(row->summary, "errors");
	char kinds[NOTE_SIZE / 2];

	if (json_object_size(errors) > 0)
		note(pen, "%s: errors: %s.", name_of(row),
			text_errors(errors, kinds, sizeof(kinds)));
}

/* Trials in which replies did not keep up with the schedule. */
static void note_saturated(const struct table_row *row, const struct pen *pen)
{
	const json_t *trials = pick(row->contestant, "trials");
	const json_t *trial;
	const json_t *last = NULL;
	size_t saturated = 0;
	size_t i;

	json_array_foreach (trials, i, trial) {
		if (!pick_true(trial, "saturated"))
			continue;
		saturated++;
		last = trial;
	}
	if (saturated > 0)
		note(pen,
			"%s: saturated in %zu of %zu trials: target %.0f/s, achieved %.0f/s, "
			"backlog %.0f at the end; its latencies tell how long the trials were.",
			name_of(row), saturated, json_array_size(trials),
			pick_or(last, "rate.target", 0), pick_or(last, "rate.achieved", 0),
			pick_or(last, "backlog.at_end", 0));
}

static void note_connections(const struct table_row *row, const struct pen *pen)
{
	double requested = pick_or(row->summary, "connections.requested", 0);
	double established = pick_or(row->summary, "connections.established", requested);
	double served = pick_or(row->summary, "connections.served", requested);
	double reconnects = pick_or(row->summary, "connections.reconnects", 0);
	char count[TEXT_COUNT];

	if (established < requested)
		note(pen, "%s: only %.0f of %.0f connections were set up.", name_of(row),
			established, requested);
	else if (served < fmin(requested, pick_or(row->summary, "requests.sent", requested)))
		note(pen, "%s: only %.0f of %.0f connections were ever served.", name_of(row),
			served, requested);
	if (reconnects > 0)
		note(pen, "%s: connections were set up again %s times.", name_of(row),
			text_count(reconnects, count));
}

static void note_noise(const struct table_row *row, const struct pen *pen)
{
	double mean = pick_or(row->summary, "rps.mean", 0);
	double stddev = pick_or(row->summary, "rps.stddev", 0);

	if (mean > 0 && stddev > NOISY_SHARE * mean)
		note(pen,
			"%s: noisy, the standard deviation of its trials is %.0f %% of their mean.",
			name_of(row), 100 * stddev / mean);
}

/* What the harness repeated, and what it could not repeat any more. */
static void note_disturbed(const struct table_row *row, const struct pen *pen)
{
	size_t repeated = json_array_size(pick(row->contestant, "repeated"));
	size_t standing = 0;
	const char *why = NULL;
	const json_t *trial;
	size_t i;

	json_array_foreach (pick(row->contestant, "trials"), i, trial) {
		if (!pick_true(trial, "disturbance.disturbed"))
			continue;
		standing++;
		why = pick_text(trial, "disturbance.reason");
	}
	if (repeated > 0)
		note(pen, "%s: %zu trial%s disturbed, and repeated.", name_of(row), repeated,
			repeated == 1 ? " was" : "s were");
	if (standing > 0)
		note(pen, "%s: DISTURBED: %zu of its trials, the last because %s.", name_of(row),
			standing, why != NULL ? why : "of what is not recorded");
}

/* Trials that were measured although the warm-up had come to its limit. */
static void note_unsteady(const struct table_row *row, const struct pen *pen)
{
	const json_t *trials = pick(row->contestant, "trials");
	const json_t *trial;
	char longest[UNITS_TEXT];
	double longest_s = 0;
	size_t unsteady = 0;
	size_t i;

	json_array_foreach (trials, i, trial) {
		if (!json_is_false(pick(trial, "warmup.steady")))
			continue;
		unsteady++;
		longest_s = fmax(longest_s, pick_or(trial, "warmup.s", 0));
	}
	if (unsteady > 0)
		note(pen, "%s: not steady after a warm-up of %s in %zu of %zu trials.",
			name_of(row), units_duration(longest_s * NS_PER_S, longest), unsteady,
			json_array_size(trials));
}

/* Trials that began with fewer local ports than they may need. */
static void note_ports(const struct table_row *row, const struct pen *pen)
{
	const json_t *trial;
	const json_t *last = NULL;
	size_t few = 0;
	size_t i;

	json_array_foreach (pick(row->contestant, "trials"), i, trial) {
		if (pick_or(trial, "ports.free", INFINITY) >= pick_or(trial, "ports.needed", 0))
			continue;
		few++;
		last = trial;
	}
	if (few > 0)
		note(pen,
			"%s: FEW PORTS: %zu of its trials, the last with %.0f free local ports of "
			"%.0f that it may need.",
			name_of(row), few, pick_or(last, "ports.free", 0),
			pick_or(last, "ports.needed", 0));
}

static void note_checks(const struct table_row *row, const struct pen *pen)
{
	static const struct {
		const char *path;
		const char *meaning;
	} checks[] = {
		{"checks_failed.littles_law",
			"latencies and requests in flight do not agree (Little's law)"},
		{"checks_failed.counts", "the counts of requests do not add up"},
		{"checks_failed.server_counts",
			"the server answered another number of requests than the client saw"},
		{"checks_failed.bytes", "the counts of bytes do not add up"},
		{"checks_failed.percentiles", "the percentiles do not follow each other"},
	};

	for (size_t i = 0; i < sizeof(checks) / sizeof(checks[0]); i++) {
		double trials = pick_or(row->summary, checks[i].path, 0);

		if (trials > 0)
			note(pen, "%s: INCONSISTENT: in %.0f of its trials %s.", name_of(row),
				trials, checks[i].meaning);
	}
}

static void note_conditions(const struct table_row *row, const struct pen *pen)
{
	char line[CONDITION_LINE];
	const json_t *outcome;
	size_t i;

	json_array_foreach (pick(row->contestant, "conditions"), i, outcome)
		note(pen, "%s: fail-if: %s.", name_of(row), condition_line(outcome, line));
}

/* How many trials the rows have: "5 trials", "4 to 5 trials". */
static const char *count_trials(const struct table *table, char *out, size_t size)
{
	double least = INFINITY;
	double most = 0;

	for (size_t i = 0; i < table->n; i++) {
		double trials = pick_or(table->rows[i].summary, "trials", 0);

		if (table_is_explained(&table->rows[i]))
			continue;
		least = fmin(least, trials);
		most = fmax(most, trials);
	}
	if (least < most)
		text_format(out, size, "%.0f to %.0f trials", least, most);
	else
		text_format(out, size, "%.0f trial%s", most, most == 1 ? "" : "s");
	return out;
}

const char *notes_load(const struct table *table, char *out)
{
	const json_t *trial = NULL;
	char trials[UNITS_TEXT];
	char duration[UNITS_TEXT];
	char warmup[UNITS_TEXT];
	double duration_ns;

	for (size_t i = 0; i < table->n && trial == NULL; i++)
		trial = json_array_get(pick(table->rows[i].contestant, "trials"), 0);
	duration_ns = pick_or(trial, "duration_s", 0) * NS_PER_S;
	*out = '\0';
	if (table->load.requests > 0)
		text_format(out, TABLE_CELL, "%.0f requests over ", table->load.requests);
	text_format(out + strlen(out), TABLE_CELL - strlen(out),
		"%.0f connection%s × pipeline %.0f", table->load.connections,
		table->load.connections == 1 ? "" : "s", table->load.pipeline);
	if (table->load.rate > 0)
		text_format(out + strlen(out), TABLE_CELL - strlen(out),
			", open loop at %g requests/s, %s arrivals", table->load.rate,
			table->load.poisson ? "Poisson" : "constant");
	if (table->names_threads)
		text_format(out + strlen(out), TABLE_CELL - strlen(out), ", %.0f server thread%s",
			table->load.threads, table->load.threads == 1 ? "" : "s");
	if (pick(trial, "duration_s") != NULL)
		text_format(out + strlen(out), TABLE_CELL - strlen(out),
			", %s%s%s after %s of warm-up", count_trials(table, trials, sizeof(trials)),
			table->load.requests > 0 ? "" : " of ",
			table->load.requests > 0 ? "" : units_duration(duration_ns, duration),
			units_duration(pick_or(trial, "warmup_s", 0) * NS_PER_S, warmup));
	return out;
}

void notes_of_table(const struct table *table, notes_print *print, void *ctx)
{
	const struct pen pen = {print, ctx};
	char mark[TABLE_CELL];

	for (size_t i = 0; i < table->reason_count; i++)
		note(&pen, "%s %s.", table_footnote(i + 1, mark), table->reasons[i]);
	note_order(table, &pen);
	note_relative(table, &pen);
	note_ties(table, &pen);
	note_below_floor(table, &pen);
	note_floor(table, &pen);
	note_threads(table, &pen);
	note_ceiling(table, &pen);
	note_all_sizes(table, &pen);
	for (size_t i = 0; i < table->n; i++) {
		note_conditions(&table->rows[i], &pen);
		if (table_is_explained(&table->rows[i]))
			continue;
		note_errors(&table->rows[i], &pen);
		note_connections(&table->rows[i], &pen);
		note_above_ceiling(&table->rows[i], &pen);
		note_saturated(&table->rows[i], &pen);
		note_noise(&table->rows[i], &pen);
		note_disturbed(&table->rows[i], &pen);
		note_unsteady(&table->rows[i], &pen);
		note_ports(&table->rows[i], &pen);
		note_checks(&table->rows[i], &pen);
	}
}

/* Three digits at least. */
static const char *factor_text(double factor, char *out)
{
	snprintf(out, UNITS_TEXT, "%.*f", factor < 1 ? 3 : 2, factor);
	return out;
}

/* "1.23 [1.20, 1.25]", or why there is no ratio. */
static const char *ratio_text(const json_t *load, const char *metric, char *out)
{
	const json_t *values = pick(load, metric);
	char text[3][UNITS_TEXT];
	double low;
	double high;

	factor_text(pick_or(values, "ratio", 0), text[0]);
	if (!json_is_object(values))
		text_format(out, TABLE_CELL, "unknown (%s)", pick_reason(load, metric));
	else if (!pick_number(values, "ci95_low", &low) || !pick_number(values, "ci95_high", &high))
		text_format(out, TABLE_CELL, "%s (%s)", text[0], pick_reason(values, "ci95_low"));
	else
		text_format(out, TABLE_CELL, "%s [%s, %s]", text[0], factor_text(low, text[1]),
			factor_text(high, text[2]));
	return out;
}

static void note_ratio(const json_t *ratio, const struct rank_load *load, const struct pen *pen)
{
	const json_t *at;
	char rps[TABLE_CELL];
	char per_cpu[TABLE_CELL];
	size_t i;

	json_array_foreach (pick(ratio, "loads"), i, at) {
		const struct rank_load own = rank_load_of(at);

		if (!rank_is_load(&own, load))
			continue;
		note(pen,
			"%s : %s = %s in requests per second, %s in requests per server CPU-second "
			"(with 95 %% intervals).",
			pick_text(ratio, "of"), pick_text(ratio, "to"), ratio_text(at, "rps", rps),
			ratio_text(at, "rps_per_server_cpu_s", per_cpu));
	}
}

void notes_of_ratios(
	const json_t *ratios, const struct rank_load *load, notes_print *print, void *ctx)
{
	const struct pen pen = {print, ctx};
	const json_t *ratio;
	size_t i;

	json_array_foreach (ratios, i, ratio)
		note_ratio(ratio, load, &pen);
}

void notes_of_record(const json_t *record, notes_print *print, void *ctx)
{
	const struct pen pen = {print, ctx};

	if (pick_true(record, "quick"))
		note(&pen, "QUICK: few and short trials, not for publication.");
	if (pick_true(record, "interrupted"))
		note(&pen, "INTERRUPTED: only the trials that were finished are counted.");
}

void notes_origin(const json_t *record, notes_print *print, void *ctx)
{
	const struct pen pen = {print, ctx};
	const char *command = pick_text(record, "command");
	const char *started_at = pick_text(record, "started_at");
	const char *version = pick_text(record, "rpcbench");
	char *parameters = environment_value(record, "parameters");
	double seed;

	trend_notes(record, print, ctx);
	if (command != NULL)
		note(&pen, "Command: %s", command);
	if (parameters != NULL && parameters[0] != '\0')
		note(&pen, "Parameters: %s", parameters);
	if (started_at != NULL)
		note(&pen, "Started at: %s", started_at);
	if (pick_number(record, "seed", &seed))
		note(&pen, "Seed: %.0f", seed);
	if (json_is_null(pick(record, "noise_floor")))
		note(&pen, "Noise floor: not measured (%s)", pick_reason(record, "noise_floor"));
	if (version != NULL)
		note(&pen, "rpcbench: %s", version);
	free(parameters);
}
