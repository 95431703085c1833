#include <stdlib.h>

#include "harness/report/build.h"
#include "harness/report/pick.h"
#include "harness/report/values.h"
#include "harness/stats/stats.h"

static const char ONE_TRIAL[] = "an interval needs two trials";

bool values_trial_counts(const json_t *trial)
{
	return pick_text(trial, "failure") == NULL;
}

/* Why a contestant has no trials to take numbers from. */
static const char *no_trials(const json_t *contestant)
{
	const char *reason = pick_text(contestant, "failure");

	if (reason == NULL)
		reason = pick_text(contestant, "skipped");
	return reason != NULL ? reason : "no trial was finished";
}

int values_read(struct values *v, const json_t *contestant, const char *path)
{
	const json_t *trials = pick(contestant, "trials");
	const json_t *trial;
	size_t i;

	*v = (struct values){.reason = no_trials(contestant)};
	v->list = malloc((json_array_size(trials) + 1) * sizeof(*v->list));
	if (v->list == NULL)
		return -1;
	json_array_foreach (trials, i, trial) {
		if (!values_trial_counts(trial))
			v->reason = pick_text(trial, "failure");
		else if (pick_number(trial, path, &v->list[v->n]))
			v->n++;
		else
			v->reason = pick_reason(trial, path);
	}
	stats_sort(v->list, v->n);
	return 0;
}

void values_free(struct values *v)
{
	free(v->list);
	*v = (struct values){0};
}

static void put_interval(struct build *b, int drawn, const struct stats_interval *interval)
{
	if (drawn != 0)
		b->failed = true;
	build_number(b, "ci95_low", interval->low);
	build_number(b, "ci95_high", interval->high);
}

static void put_no_interval(struct build *b, const char *reason)
{
	build_absent(b, "ci95_low", reason);
	build_absent(b, "ci95_high", reason);
}

json_t *values_summary(const struct values *v, bool more_is_better, uint64_t seed)
{
	struct stats_interval interval = {0};
	struct build b = build_begin();

	build_number(&b, "median", stats_median(v->list, v->n));
	if (v->n >= 2)
		put_interval(&b, stats_median_interval(v->list, v->n, seed, &interval), &interval);
	else
		put_no_interval(&b, ONE_TRIAL);
	build_number(&b, "best", v->list[more_is_better ? v->n - 1 : 0]);
	build_number(&b, "min", v->list[0]);
	build_number(&b, "max", v->list[v->n - 1]);
	build_number(&b, "mean", stats_mean(v->list, v->n));
	if (v->n >= 2)
		build_number(&b, "stddev", stats_stddev(v->list, v->n));
	else
		build_absent(&b, "stddev", "a deviation needs two trials");
	build_count(&b, "n", v->n);
	return build_end(&b);
}

json_t *values_ratio(const struct values *best, const struct values *own, uint64_t seed)
{
	struct stats_interval interval = {1, 1};
	struct build b = build_begin();

	build_number(
		&b, "ratio", stats_median(best->list, best->n) / stats_median(own->list, own->n));
	if (best == own)
		put_interval(&b, 0, &interval);
	else if (best->n < 2 || own->n < 2)
		put_no_interval(&b, ONE_TRIAL);
	else if (own->list[0] <= 0)
		put_no_interval(&b, "a trial had no verified reply");
	else
		put_interval(&b,
			stats_ratio_interval(
				best->list, best->n, own->list, own->n, seed, &interval),
			&interval);
	return build_end(&b);
}
