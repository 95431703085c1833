#include <math.h>
#include <stdlib.h>

#include "harness/load/pace.h"
#include "harness/stats/stats.h"
#include "lib/clock.h"

/* How the bound of waking early follows a quantile: one step up is worth 19 steps down, which
 * balance when one wake in 20 is later than the bound. */
#define EARLY_FIRST_NS 50000
#define EARLY_UP_NS    1900
#define EARLY_DOWN_NS  100

struct pace {
	struct pace_params params;
	struct stats_random random;
	int64_t start_ns;
	int64_t window_ns;
	uint64_t limit; /* left to plan within the window */
	uint64_t index; /* of the next planned request in this thread's schedule */
	double offset;  /* of it from start_ns, in ns: Poisson */
	int64_t next_ns;

	int64_t *backlog; /* planned instants, a ring of PACE_BACKLOG_MAX */
	size_t head;
	size_t count;
	size_t held; /* the first of them, which have found no free slot when they were due */

	uint64_t planned;
	uint64_t dropped;
	uint64_t backlog_max;
	int64_t early_ns;
};

struct pace *pace_new(const struct pace_params *params)
{
	struct pace *pace = calloc(1, sizeof(*pace));

	if (pace == NULL)
		return NULL;
	/* Comes from the kernel as untouched zero pages. */
	pace->backlog = calloc(PACE_BACKLOG_MAX, sizeof(*pace->backlog));
	if (pace->backlog == NULL) {
		free(pace);
		return NULL;
	}
	pace->params = *params;
	pace->next_ns = INT64_MAX;
	pace->early_ns = EARLY_FIRST_NS;
	return pace;
}

void pace_free(struct pace *pace)
{
	if (pace == NULL)
		return;
	free(pace->backlog);
	free(pace);
}

/* A stream for each thread: the (thread + 1)-th number of a generator of seeds is its seed. */
static struct stats_random stream_of(uint64_t seed, unsigned thread)
{
	struct stats_random seeds = {.state = seed};
	struct stats_random random = {0};

	for (unsigned i = 0; i <= thread; i++)
		random.state = stats_random_next(&seeds);
	return random;
}

/* Exponential with this thread's mean: by inversion, from a uniform number in (0, 1]. */
static double exponential_gap(struct pace *pace)
{
	double uniform = (double)((stats_random_next(&pace->random) >> 11) + 1) * 0x1p-53;

	return -log(uniform) * pace->params.threads * NS_PER_S / pace->params.rate;
}

/* The planned instant of request pace->index. */
static int64_t planned_at(struct pace *pace)
{
	const struct pace_params *p = &pace->params;
	double offset;

	if (pace->limit == 0)
		return INT64_MAX;
	if (p->arrival == PACE_POISSON)
		offset = pace->offset += exponential_gap(pace);
	else
		offset = ((double)pace->index * p->threads + p->thread) * NS_PER_S / p->rate;
	/* Beyond a hundred years: never. */
	return offset < 3e18 ? pace->start_ns + (int64_t)llround(offset) : INT64_MAX;
}

void pace_start(struct pace *pace, int64_t start_ns, int64_t window_ns, uint64_t limit)
{
	pace->random = stream_of(pace->params.seed, pace->params.thread);
	pace->start_ns = start_ns;
	pace->window_ns = window_ns;
	pace->limit = limit;
	pace->next_ns = planned_at(pace);
}

int64_t pace_next(const struct pace *pace)
{
	return pace->next_ns;
}

/* Return: false when it is dropped. */
static bool enqueue(struct pace *pace, int64_t planned_ns)
{
	if (pace->count == PACE_BACKLOG_MAX)
		return false;
	pace->backlog[(pace->head + pace->count) % PACE_BACKLOG_MAX] = planned_ns;
	pace->count++;
	return true;
}

uint64_t pace_due(struct pace *pace, int64_t now_ns, int64_t end_ns)
{
	uint64_t dropped = 0;

	while (pace->next_ns <= now_ns && pace->next_ns < end_ns) {
		bool counted = pace->next_ns >= pace->window_ns;

		if (!enqueue(pace, pace->next_ns))
			dropped += counted;
		pace->planned += counted;
		if (counted && pace->limit != UINT64_MAX)
			pace->limit--;
		pace->index++;
		pace->next_ns = planned_at(pace);
	}
	pace->dropped += dropped;
	return dropped;
}

size_t pace_backlog(const struct pace *pace)
{
	return pace->count;
}

int64_t pace_peek(const struct pace *pace)
{
	return pace->backlog[pace->head];
}

bool pace_take(struct pace *pace)
{
	bool held = pace->held > 0;

	pace->head = (pace->head + 1) % PACE_BACKLOG_MAX;
	pace->count--;
	pace->held -= held;
	return held;
}

void pace_hold(struct pace *pace)
{
	pace->held = pace->count;
	if (pace->count > pace->backlog_max && pace->next_ns > pace->window_ns)
		pace->backlog_max = pace->count;
}

struct pace_counts pace_counts(const struct pace *pace, int64_t now_ns)
{
	struct pace_counts counts = {
		.planned = pace->planned,
		.dropped = pace->dropped,
		.backlog_max = pace->backlog_max,
	};

	for (size_t i = 0; i < pace->count; i++) {
		int64_t planned_ns = pace->backlog[(pace->head + i) % PACE_BACKLOG_MAX];

		if (planned_ns < pace->window_ns)
			continue;
		if (counts.at_end++ == 0)
			counts.oldest_ns = now_ns > planned_ns ? now_ns - planned_ns : 0;
	}
	return counts;
}

int64_t pace_wake(const struct pace *pace)
{
	return pace->next_ns == INT64_MAX ? INT64_MAX : pace->next_ns - pace->early_ns;
}

void pace_woke(struct pace *pace, int64_t wanted_ns, int64_t now_ns)
{
	pace->early_ns += now_ns - wanted_ns > pace->early_ns ? EARLY_UP_NS : -EARLY_DOWN_NS;
	if (pace->early_ns < PACE_EARLY_MIN_NS)
		pace->early_ns = PACE_EARLY_MIN_NS;
	if (pace->early_ns > PACE_EARLY_MAX_NS)
		pace->early_ns = PACE_EARLY_MAX_NS;
}
