#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "harness/codec/codec.h"
#include "harness/condition.h"
#include "harness/find_max.h"
#include "harness/load/load.h"
#include "harness/load/pace.h"
#include "harness/report/build.h"
#include "harness/report/curve.h"
#include "harness/report/latency.h"
#include "harness/report/pick.h"
#include "harness/report/text.h"
#include "lib/clock.h"
#include "lib/fail.h"
#include "lib/units.h"

#define WHY           CONDITION_LINE /* bytes of why a rate did not hold, with its NUL */
#define WARMUP_SHARE  4              /* a step is warmed up for a fourth of its length */
#define SAMPLES_LEAST 10             /* requests of a step, at least */
#define SAMPLES_SPARE 1.1            /* times the samples that a percentile needs */
#define FIRST_DROP    0.02           /* of the rate that a longer run did not confirm; doubles */

/** struct search - Where it stands. */
struct search {
	const struct find_max_params *params;
	uint64_t samples; /* that the conditions need */
	double held;      /* the highest rate that did; 0: none */
	double unheld;    /* the lowest above that did not; INFINITY: none */
	char limit[WHY];  /* why that did not */
	char why[WHY];    /* why the latest run did not, or why the search is over */
	bool over;        /* broken off */
	json_t *trial;    /* of the latest run, owned */
	json_t *steps;
	json_t *curve;
};

/* ------------------------------------------------------------------ one run */

/* Three digits are finer than the search. */
static double rounded(double rate)
{
	double unit = pow(10, floor(log10(rate)) - 2);

	return round(rate / unit) * unit;
}

/* The most samples that a percentile among the conditions needs. */
static uint64_t samples_needed(const struct condition_list *conditions)
{
	uint64_t most = SAMPLES_LEAST;

	for (size_t i = 0; i < conditions->count; i++) {
		const char *dot = strrchr(conditions->items[i].path, '.');

		for (const struct latency_percentile *p = latency_percentiles;
			dot != NULL && p->name != NULL; p++)
			if (strcmp(dot + 1, p->name) == 0 && latency_needed(p->share) > most)
				most = latency_needed(p->share);
	}
	return most;
}

/* As long as the samples take at this rate, within bounds. */
static int64_t length_at(const struct search *s, double rate)
{
	double step_ns = (double)s->params->load->duration_ns;
	double needed_ns = SAMPLES_SPARE * (double)s->samples / rate * NS_PER_S;

	return (int64_t)fmin(fmax(step_ns, needed_ns), FIND_MAX_LONGEST * step_ns);
}

/* Notes why the latest run did not hold. Return: false. */
static bool refuse(struct search *s, const char *format, ...) __attribute__((format(printf, 2, 3)));

static bool refuse(struct search *s, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	text_vformat(s->why, WHY, format, args);
	va_end(args);
	return false;
}

/* One run, whose trial becomes s->trial. Return: false when the search is over. */
static bool run(struct search *s, double rate, int64_t length_ns)
{
	struct load_params load = *s->params->load;

	load.rate = rate;
	load.duration_ns = length_ns;
	if (load.warmup_ns < length_ns / WARMUP_SHARE)
		load.warmup_ns = length_ns / WARMUP_SHARE;
	json_decref(s->trial);
	s->trial = s->params->measure(s->params->ctx, &load);
	s->over = true;
	if (s->trial == NULL || pick_true(s->trial, "stopped"))
		strcpy(s->why, "stopped before its end");
	else if (pick_or(s->trial, "connections.established", 0) == 0)
		strcpy(s->why, "no connection could be set up");
	else
		s->over = false;
	return !s->over;
}

static const char *duration_of(const json_t *trial, const char *path, char *out)
{
	double ns;

	return pick_number(trial, path, &ns) ? units_duration(ns, out) : "n/a";
}

/* Whether the latest run held; else s->why says why not. */
static bool judge(struct search *s)
{
	const json_t *trial = s->trial;
	double planned = pick_or(trial, "rate.planned", 0);
	double achieved = pick_or(trial, "rate.achieved", 0);
	double ended = achieved * pick_or(trial, "duration_s", 0);
	double ok = pick_or(trial, "requests.ok", 0);
	double failed = pick_or(trial, "requests.failed", 0);
	char text[UNITS_TEXT];

	for (size_t i = 0; i < s->params->conditions->count; i++) {
		json_t *outcome = condition_outcome(&s->params->conditions->items[i], trial);
		bool held = pick_true(outcome, "held");

		if (!held && outcome != NULL)
			condition_line(outcome, s->why);
		json_decref(outcome);
		if (!held)
			return false;
	}
	/* Both ends of the window may cut off one request of each thread. */
	if (ended + (double)s->params->load->threads < FIND_MAX_ACHIEVED * planned)
		return refuse(s, "achieved only %.4g/s", achieved);
	if (ok == 0)
		return refuse(s, "no verified reply");
	if (ok < FIND_MAX_SUCCESS * (ok + failed))
		return refuse(s, "%.3g%% failed", 100 * failed / (ok + failed));
	if (pick_true(trial, "client_limited"))
		return refuse(s,
			"the load generator was the limit, %.0f %% of the time busy, p99 of its "
			"send "
			"lag %s: the server may do more",
			100 * pick_or(trial, "client.cpu_busiest", 0),
			duration_of(trial, "send_lag_ns.p99", text));
	return true;
}

static void tell(const struct search *s, double rate, const char *how)
{
	char p50[UNITS_TEXT];
	char p99[UNITS_TEXT];

	if (s->params->progress != NULL)
		fprintf(s->params->progress, "%10.10g/s  p50 %8s  p99 %8s  %s\n", rate,
			duration_of(s->trial, "latency_ns.p50", p50),
			duration_of(s->trial, "latency_ns.p99", p99), how);
}

/* Copies a number out of the latest trial, or why it is absent. */
static void put_from(struct build *b, const char *name, const json_t *trial, const char *path)
{
	double value;

	if (pick_number(trial, path, &value))
		build_number(b, name, value);
	else
		build_absent(b, name, pick_reason(trial, path));
}

static void note_step(struct search *s, double rate, bool held)
{
	struct build b = build_begin();

	build_number(&b, "rate", rate);
	put_from(&b, "duration_s", s->trial, "duration_s");
	build_put(&b, "held", json_boolean(held));
	if (held)
		build_absent(&b, "why_not", "it held");
	else
		build_text(&b, "why_not", s->why);
	put_from(&b, "achieved", s->trial, "rate.achieved");
	put_from(&b, "p50_ns", s->trial, "latency_ns.p50");
	put_from(&b, "p99_ns", s->trial, "latency_ns.p99");
	json_array_append_new(s->steps, build_end(&b));
	tell(s, rate, held ? "held" : s->why);
}

/* Runs at @rate, up to @tries times until it holds. Return: whether it did. */
static bool holds(struct search *s, double rate, int64_t length_ns, int tries)
{
	bool held = false;

	while (!held && tries-- > 0) {
		if (!run(s, rate, length_ns))
			return false;
		held = judge(s);
		note_step(s, rate, held);
	}
	return held;
}

/* ------------------------------------------------------------------ the search */

/* Return: whether it held; sets the bounds. */
static bool try_rate(struct search *s, double rate)
{
	bool held = holds(s, rate, length_at(s, rate), 2);

	if (held) {
		s->held = rate;
	} else {
		s->unheld = rate;
		memcpy(s->limit, s->why, WHY);
	}
	return held;
}

/* Doubles, or halves, until one rate has held and the next above it has not. */
static void bracket(struct search *s)
{
	double rate = s->params->load->rate > 0 ? s->params->load->rate : FIND_MAX_FIRST_RATE;

	if (try_rate(s, rate)) {
		while (!s->over && isinf(s->unheld) && 2 * s->held <= PACE_RATE_MAX)
			try_rate(s, 2 * s->held);
		return;
	}
	while (!s->over && s->held == 0 && s->unheld / 2 >= FIND_MAX_LEAST_RATE)
		try_rate(s, s->unheld / 2);
}

static void bisect(struct search *s)
{
	while (!s->over && s->held > 0 && s->unheld / s->held > FIND_MAX_RESOLUTION &&
		!isinf(s->unheld)) {
		double middle = rounded((s->held + s->unheld) / 2);

		if (middle <= s->held || middle >= s->unheld)
			return;
		try_rate(s, middle);
	}
}

/* Lowers s->held until a longer run holds there, or to 0. */
static void confirm(struct search *s)
{
	double drop = FIRST_DROP;

	while (!s->over && s->held > 0) {
		int64_t length_ns = FIND_MAX_CONFIRM * length_at(s, s->held);

		if (holds(s, s->held, length_ns, 1) || s->over)
			return;
		s->unheld = s->held;
		memcpy(s->limit, s->why, WHY);
		s->held = drop < 1 ? rounded(s->held * (1 - drop)) : 0;
		if (s->held < FIND_MAX_LEAST_RATE)
			s->held = 0;
		drop *= 2;
	}
}

static void measure_curve(struct search *s)
{
	static const double shares[] = {0.1, 0.3, 0.5, 0.7, 0.9};

	for (size_t i = 0; i < sizeof(shares) / sizeof(shares[0]); i++) {
		double rate = rounded(s->held * shares[i]);
		struct build b = build_begin();
		char how[UNITS_TEXT];

		if (run(s, rate, length_at(s, rate)))
			build_put(&b, "trial", json_incref(s->trial));
		else
			build_absent(&b, "trial", s->why);
		build_number(&b, "share", shares[i]);
		json_array_append_new(s->curve, build_end(&b));
		if (s->over)
			return;
		snprintf(how, sizeof(how), "%.0f %% of it", 100 * shares[i]);
		tell(s, rate, how);
	}
}

/* ------------------------------------------------------------------ the record */

static json_t *texts_of(const struct condition_list *conditions)
{
	json_t *texts = json_array();

	for (size_t i = 0; i < conditions->count; i++)
		json_array_append_new(texts, json_string(conditions->items[i].text));
	return texts;
}

static void put_plan(struct build *b, const struct find_max_params *params)
{
	const struct load_params *load = params->load;

	build_text(b, "schema", CURVE_SCHEMA);
	build_text(b, "target", load->target->url);
	build_text(b, "protocol", load->target->codec->name);
	build_put(b, "conditions", texts_of(params->conditions));
	build_count(b, "connections", (uint64_t)load->connections);
	build_count(b, "pipeline", (uint64_t)load->pipeline);
	build_count(b, "threads", (uint64_t)load->threads);
	build_text(b, "arrival", load->arrival == PACE_POISSON ? "poisson" : "constant");
	build_number(b, "step_s", (double)load->duration_ns / NS_PER_S);
}

json_t *find_max(const struct find_max_params *params)
{
	struct search s = {
		.params = params,
		.samples = samples_needed(params->conditions),
		.unheld = INFINITY,
		.steps = json_array(),
		.curve = json_array(),
	};
	struct build b = build_begin();
	json_t *confirmed = NULL;
	json_t *record;

	bracket(&s);
	bisect(&s);
	confirm(&s);
	put_plan(&b, params);
	if (s.over || s.held == 0) {
		build_absent(&b, "max_rate", s.why);
	} else {
		build_number(&b, "max_rate", s.held);
		confirmed = json_incref(s.trial);
	}
	if (isinf(s.unheld))
		build_absent(&b, "next_limit", "no higher rate was tried");
	else
		build_text(&b, "next_limit", s.limit);
	if (confirmed != NULL) {
		build_put(&b, "trial", confirmed);
		measure_curve(&s);
	} else {
		build_absent(&b, "trial", s.why);
	}
	build_put(&b, "steps", s.steps);
	build_put(&b, "curve", s.curve);
	json_decref(s.trial);
	record = build_end(&b);
	if (record == NULL)
		fail_msg("no memory for the record of the search");
	return record;
}
