#include <math.h>
#include <stdlib.h>

#include "harness/report/build.h"
#include "harness/report/pick.h"
#include "harness/report/rank.h"
#include "harness/report/text.h"
#include "harness/report/trend.h"
#include "harness/report/values.h"
#include "harness/stats/stats.h"
#include "harness/stats/trend.h"

#define NOTE_SIZE 512

/** struct points - Trials: where they stood, and how fast they were. */
struct points {
	const char *path; /* of the first, in a trial */
	double *at;       /* owned, as are the following */
	double *rate;     /* relative to the median of the row */
	double *room;
	size_t n;
	size_t rows;
	const char *reason; /* why one is not known; NULL: all are */
};

static void free_points(struct points *p)
{
	free(p->at);
	free(p->rate);
	free(p->room);
}

static size_t count_trials(const json_t *contestants)
{
	const json_t *contestant;
	size_t n = 0;
	size_t i;

	json_array_foreach (contestants, i, contestant)
		n += json_array_size(pick(contestant, "trials"));
	return n;
}

/* Room for all trials, and for one more, since none is no size. */
static int open_points(struct points *p, const char *path, const json_t *contestants)
{
	size_t room = count_trials(contestants) + 1;

	*p = (struct points){
		.path = path,
		.at = calloc(room, sizeof(*p->at)),
		.rate = calloc(room, sizeof(*p->rate)),
		.room = calloc(room, sizeof(*p->room)),
	};
	return p->at != NULL && p->rate != NULL && p->room != NULL ? 0 : -1;
}

/* Those trials of a row that count. */
static void add_trials(struct points *p, const json_t *contestant, double median)
{
	const json_t *trial;
	double rps;
	size_t i;

	json_array_foreach (pick(contestant, "trials"), i, trial) {
		if (!values_trial_counts(trial) || !pick_number(trial, "rps", &rps))
			continue;
		if (!pick_number(trial, p->path, &p->at[p->n]))
			p->reason = pick_reason(trial, p->path);
		else
			p->rate[p->n++] = rps / median;
	}
}

static int add_row(struct points *p, const json_t *contestant)
{
	struct values v;
	double median;

	if (values_read(&v, contestant, "rps") != 0)
		return -1;
	median = v.n >= TREND_TRIALS ? stats_median(v.list, v.n) : 0;
	values_free(&v);
	if (median <= 0)
		return 0;
	add_trials(p, contestant, median);
	p->rows++;
	return 0;
}

static json_t *trend_object(const struct points *p)
{
	struct trend trend = trend_test(p->at, p->rate, p->n);
	struct build b = build_begin();

	build_number(&b, "tau", trend.tau);
	build_number(&b, "p", trend.p);
	build_number(&b, "change", trend_change(p->at, p->rate, p->n, p->room));
	build_count(&b, "n", p->n);
	return build_end(&b);
}

/* Of all rows, or of those under the load of @like. */
static void put_trend(struct build *b, const char *name, const char *path,
	const json_t *contestants, const json_t *like)
{
	struct points p;
	const json_t *contestant;
	size_t i;

	b->failed |= open_points(&p, path, contestants) != 0;
	json_array_foreach (contestants, i, contestant)
		if (!b->failed && (like == NULL || rank_same_load(contestant, like)))
			b->failed |= add_row(&p, contestant) != 0;
	if (p.rows < TREND_ROWS)
		build_absent(b, name, "it takes two rows of four trials");
	else if (p.reason != NULL)
		build_absent(b, name, p.reason);
	else if (!b->failed)
		build_put(b, name, trend_object(&p));
	free_points(&p);
}

static void put_trends(struct build *b, const json_t *contestants, const json_t *like)
{
	put_trend(b, "drift", "started_s", contestants, like);
	put_trend(b, "position", "order", contestants, like);
}

static json_t *load_object(const json_t *contestants, const json_t *like)
{
	struct rank_load load = rank_load_of(like);
	struct build b = build_begin();

	rank_put_load(&b, &load);
	put_trends(&b, contestants, like);
	return build_end(&b);
}

static json_t *loads_array(const json_t *contestants)
{
	json_t *loads = json_array();
	const json_t *contestant;
	size_t i;

	json_array_foreach (contestants, i, contestant) {
		if (!rank_opens_load(contestants, i))
			continue;
		if (json_array_append_new(loads, load_object(contestants, contestant)) != 0) {
			json_decref(loads);
			return NULL;
		}
	}
	return loads;
}

int trend_fill(json_t *record)
{
	const json_t *contestants = pick(record, "contestants");
	struct build b = build_begin();

	put_trends(&b, contestants, NULL);
	build_put(&b, "loads", loads_array(contestants));
	return json_object_set_new(record, "trend", build_end(&b));
}

/* ------------------------------------------------------------------ notes */

/** struct words - How a note tells of a trend. */
struct words {
	const char *slower; /* what had fewer requests per second in the end */
	const char *faster; /* or more */
	const char *than;
	const char *since; /* why that favours nobody */
};

static const struct words of_drift = {
	"The machine became slower during this round: the last third of its trials had",
	"The machine became faster during this round: the last third of its trials had",
	"the first", "contestants were interleaved at random"};

static const struct words of_position = {"Whoever was measured late in a turn had",
	"Whoever was measured late in a turn had", "early ones",
	"the order of each turn is random"};

/* If it is worth a note. */
static void note_trend(
	const json_t *trend, const struct words *words, notes_print *print, void *ctx)
{
	double p = pick_or(trend, "p", 1);
	double change = pick_or(trend, "change", 0);
	bool slower = change < 0;
	char text[NOTE_SIZE];

	if (p >= TREND_LEVEL || fabs(change) < TREND_CHANGE)
		return;
	text_format(text, sizeof(text),
		"%s %.0f %% %s requests per second than %s (Kendall's tau %.2f, p %s%.3f, %.0f "
		"trials). Since %s, this widens the intervals but favours nobody.",
		slower ? words->slower : words->faster, 100 * fabs(change),
		slower ? "fewer" : "more", words->than, pick_or(trend, "tau", 0),
		p < 0.001 ? "below " : "", fmax(p, 0.001), pick_or(trend, "n", 0), words->since);
	print(ctx, text);
}

void trend_notes(const json_t *record, notes_print *print, void *ctx)
{
	note_trend(pick(record, "trend.drift"), &of_drift, print, ctx);
	note_trend(pick(record, "trend.position"), &of_position, print, ctx);
}
