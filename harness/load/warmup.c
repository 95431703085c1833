#include <math.h>
#include <string.h>

#include "harness/load/warmup.h"

struct warmup warmup_fixed(const char *reason)
{
	return (struct warmup){.end = WARMUP_UNKNOWN, .reason = reason, .next_ns = INT64_MAX};
}

struct warmup warmup_begin(int64_t start_ns, int64_t planned_ns, uint64_t in_flight)
{
	int64_t part_ns = planned_ns / WARMUP_PARTS;
	int64_t window_ns = part_ns > WARMUP_WINDOW_MIN_NS ? part_ns : WARMUP_WINDOW_MIN_NS;
	int64_t needed_ns = WARMUP_ALIKE * window_ns + WARMUP_LEAD_NS;

	if (needed_ns > WARMUP_LIMIT * planned_ns)
		return warmup_fixed("too short to tell");
	return (struct warmup){
		/* The first decision can be the planned end. */
		.next_ns = start_ns + (planned_ns > needed_ns ? planned_ns - needed_ns : 0),
		.last_ns = start_ns + WARMUP_LIMIT * planned_ns - WARMUP_LEAD_NS,
		.window_ns = window_ns,
		.least = (double)in_flight,
	};
}

/* Of what is looked at: fewer tell nothing. */
static bool has_enough(const struct warmup *w)
{
	for (unsigned i = 0; i < WARMUP_ALIKE; i++)
		if (w->counts[i] < w->least)
			return false;
	return w->windows >= WARMUP_ALIKE;
}

static bool agree(const double *counts)
{
	double least = counts[0];
	double most = counts[0];
	double mean = 0;

	for (unsigned i = 0; i < WARMUP_ALIKE; i++) {
		least = fmin(least, counts[i]);
		most = fmax(most, counts[i]);
		mean += counts[i] / WARMUP_ALIKE;
	}
	return most - least <= WARMUP_TOLERANCE * mean + WARMUP_NOISE * sqrt(mean);
}

/* Whoever looks may be late: counts are those of a window of the planned length. */
static void add_window(struct warmup *w, int64_t now_ns, uint64_t ok)
{
	double share = (double)w->window_ns / (double)(now_ns - w->seen_ns);

	memmove(w->counts, w->counts + 1, sizeof(w->counts) - sizeof(w->counts[0]));
	w->counts[WARMUP_ALIKE - 1] = (double)(ok - w->seen_ok) * share;
	w->windows++;
}

bool warmup_look(struct warmup *w, int64_t now_ns, uint64_t ok)
{
	bool enough;

	if (w->seen_ns != 0)
		add_window(w, now_ns, ok);
	w->seen_ns = now_ns;
	w->seen_ok = ok;
	w->next_ns = now_ns + w->window_ns;
	enough = has_enough(w);
	if (enough && agree(w->counts))
		w->end = WARMUP_STEADY;
	else if (w->next_ns <= w->last_ns)
		return false;
	else if (enough)
		w->end = WARMUP_UNSTEADY;
	else
		w->reason = "fewer replies in its windows than requests in flight";
	w->next_ns = INT64_MAX;
	return true;
}
