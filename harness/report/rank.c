#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/report/build.h"
#include "harness/report/floor.h"
#include "harness/report/pick.h"
#include "harness/report/rank.h"
#include "harness/report/text.h"
#include "harness/report/values.h"
#include "harness/stats/rank_test.h"
#include "harness/stats/stats.h"

/** struct metric - What contestants can be ranked by. */
struct metric {
	const char *name; /* in the summary */
	const char *path; /* in a trial */
};

static const struct metric by_rps = {"rps", "rps"};
static const struct metric by_server_cpu = {"rps_per_server_cpu_s", "server.requests_per_cpu_s"};

/** struct entry - A contestant among those under the same load. */
struct entry {
	json_t *contestant;
	json_t *summary;
	char reason[RANK_REASON]; /* why it has no rank; empty when it has one */
	bool failed;
	struct values values;
	size_t rank;
	const struct entry *leader; /* the first of those that share its rank */
	struct rank_test test;      /* against the leader; p is adjusted */
	bool below_floor;           /* only the noise floor keeps them together */
};

struct rank_load rank_load_of(const json_t *contestant)
{
	const json_t *first = json_array_get(pick(contestant, "trials"), 0);
	const char *arrival = pick_text(contestant, "arrival");

	return (struct rank_load){
		.connections = pick_or(
			contestant, "connections", pick_or(first, "connections.requested", 0)),
		.pipeline = pick_or(contestant, "pipeline", pick_or(first, "pipeline", 0)),
		.requests = pick_or(contestant, "requests_planned", 0),
		.rate = pick_or(contestant, "rate", 0),
		.poisson = arrival != NULL && strcmp(arrival, "poisson") == 0,
		.threads = pick_or(contestant, "server_threads", 0),
	};
}

const char *rank_load_text(const struct rank_load *load, char *out)
{
	size_t len;

	text_format(out, RANK_LOAD_TEXT, "%.0f × %.0f", load->connections, load->pipeline);
	len = strlen(out);
	if (load->rate > 0)
		text_format(out + len, RANK_LOAD_TEXT - len, " at %g/s%s", load->rate,
			load->poisson ? " (Poisson)" : "");
	len = strlen(out);
	if (load->threads > 1)
		text_format(out + len, RANK_LOAD_TEXT - len, ", %.0f threads", load->threads);
	return out;
}

bool rank_is_load(const struct rank_load *a, const struct rank_load *b)
{
	return a->connections == b->connections && a->pipeline == b->pipeline &&
	       a->requests == b->requests && a->rate == b->rate && a->poisson == b->poisson &&
	       (a->threads == b->threads || a->threads == 0 || b->threads == 0);
}

void rank_put_load(struct build *b, const struct rank_load *load)
{
	build_count(b, "connections", (uint64_t)load->connections);
	build_count(b, "pipeline", (uint64_t)load->pipeline);
	if (load->requests > 0)
		build_count(b, "requests_planned", (uint64_t)load->requests);
	if (load->rate > 0)
		build_number(b, "rate", load->rate);
	if (load->poisson)
		build_text(b, "arrival", "poisson");
	if (load->threads > 0)
		build_count(b, "server_threads", (uint64_t)load->threads);
}

bool rank_same_load(const json_t *a, const json_t *b)
{
	struct rank_load of_a = rank_load_of(a);
	struct rank_load of_b = rank_load_of(b);

	return rank_is_load(&of_a, &of_b);
}

bool rank_is_called(const json_t *contestant, const char *name)
{
	const char *own = pick_text(contestant, "name");

	return own != NULL && name != NULL && strcmp(own, name) == 0;
}

const json_t *rank_find_beside(const json_t *contestants, const char *name, const json_t *other)
{
	const json_t *contestant;
	size_t i;

	json_array_foreach (contestants, i, contestant)
		if (rank_is_called(contestant, name) && rank_same_load(contestant, other))
			return contestant;
	return NULL;
}

bool rank_opens_load(const json_t *contestants, size_t index)
{
	const json_t *contestant = json_array_get(contestants, index);

	for (size_t i = 0; i < index; i++)
		if (rank_same_load(json_array_get(contestants, i), contestant))
			return false;
	return true;
}

/* The first trial that broke off. Return: true when there is one. */
static bool broken_trial(const json_t *contestant, char *out, size_t size)
{
	const json_t *trials = pick(contestant, "trials");
	const json_t *trial;
	size_t i;

	json_array_foreach (trials, i, trial) {
		const char *failure = pick_text(trial, "failure");

		if (failure == NULL)
			continue;
		text_format(out, size, "trial %zu: %s", i + 1, failure);
		return true;
	}
	return false;
}

/* Too many of its requests failed. Return: true when so. */
static bool failing(const json_t *summary, char *out, size_t size)
{
	double ok = pick_or(summary, "requests.ok", 0);
	double failed = pick_or(summary, "requests.failed", 0);
	const json_t *errors = pick(summary, "errors");
	char kinds[160];
	char count[TEXT_COUNT];
	char all[TEXT_COUNT];

	if (ok > 0 && failed <= RANK_FAILED_SHARE * (ok + failed))
		return false;
	text_errors(errors, kinds, sizeof(kinds));
	if (ok > 0)
		text_format(out, size, "%s of %s requests failed: %s", text_count(failed, count),
			text_count(ok + failed, all), kinds);
	else
		text_format(
			out, size, "no verified reply%s%s", kinds[0] != '\0' ? ": " : "", kinds);
	return true;
}

/* Whether the contestant has failed, and why it has no rank if so. */
static void judge(struct entry *entry)
{
	const char *skipped = pick_text(entry->contestant, "skipped");
	const char *failure = pick_text(entry->contestant, "failure");
	size_t size = sizeof(entry->reason);

	entry->failed = true;
	if (skipped != NULL) {
		text_format(entry->reason, size, "left out: %s", skipped);
		entry->failed = false;
	} else if (failure != NULL) {
		text_format(entry->reason, size, "%s", failure);
	} else if (broken_trial(entry->contestant, entry->reason, size)) {
		return;
	} else if (pick_or(entry->summary, "trials", 0) == 0) {
		text_format(entry->reason, size, "no trial was finished");
	} else {
		entry->failed = failing(entry->summary, entry->reason, size);
	}
}

bool rank_failure(const json_t *contestant, char *out)
{
	struct entry entry = {
		.contestant = (json_t *)contestant,
		.summary = json_object_get(contestant, "summary"),
	};

	judge(&entry);
	memcpy(out, entry.reason, sizeof(entry.reason));
	return out[0] != '\0';
}

static bool is_ranked(const struct entry *entry)
{
	return entry->reason[0] == '\0';
}

static const struct metric *choose(const struct entry *entries, size_t n)
{
	if (n > 0 && rank_load_of(entries[0].contestant).rate > 0)
		return &by_server_cpu;
	for (size_t i = 0; i < n; i++)
		if (is_ranked(&entries[i]) && pick_true(entries[i].summary, "client_limited"))
			return &by_server_cpu;
	return &by_rps;
}

static double median(const struct entry *entry)
{
	return stats_median(entry->values.list, entry->values.n);
}

/* Equal ones stay in the order of the record. */
static bool is_ahead(const struct entry *a, const struct entry *b)
{
	if (!is_ranked(a) || !is_ranked(b))
		return false;
	return median(a) > median(b) || (median(a) == median(b) && a < b);
}

/* Takes the numbers to rank by, then counts for each how many are ahead. */
static int order(struct entry *entries, size_t n, const struct metric *metric)
{
	for (size_t i = 0; i < n; i++) {
		struct entry *e = &entries[i];

		if (values_read(&e->values, e->contestant, metric->path) != 0)
			return -1;
		if (is_ranked(e) && (e->values.n == 0 || median(e) <= 0))
			text_format(e->reason, sizeof(e->reason), "%s unknown: %s", metric->name,
				e->values.n == 0 ? e->values.reason : "most trials are at 0");
	}
	for (size_t i = 0; i < n; i++) {
		entries[i].rank = 1;
		for (size_t j = 0; j < n; j++)
			entries[i].rank += is_ahead(&entries[j], &entries[i]);
	}
	return 0;
}

/* ------------------------------------------------------------------ ties */

/* Where the pair (i, j) with i < j is among all pairs. */
static size_t pair_index(size_t i, size_t j)
{
	return j * (j - 1) / 2 + i;
}

/* The tests of all pairs of @ranked, each p corrected for their number. Return: owned by the
 * caller, by pair_index(); NULL without memory. */
static struct rank_test *test_pairs(struct entry *const *ranked, size_t n)
{
	size_t pairs = n * (n - 1) / 2;
	struct rank_test *tests = calloc(pairs + 1, sizeof(*tests));
	double *p = calloc(2 * pairs + 1, sizeof(*p));

	if (tests == NULL || p == NULL) {
		free(tests);
		free(p);
		return NULL;
	}
	for (size_t j = 1; j < n; j++)
		for (size_t i = 0; i < j; i++) {
			const struct values *a = &ranked[i]->values;
			const struct values *b = &ranked[j]->values;
			struct rank_test *test = &tests[pair_index(i, j)];

			*test = rank_test(a->list, a->n, b->list, b->n);
			p[pair_index(i, j)] = test->p;
		}
	rank_test_holm(p, pairs, p + pairs);
	for (size_t i = 0; i < pairs; i++)
		tests[i].p = p[pairs + i];
	free(p);
	return tests;
}

/* Whether the trials tell @entry from the one ahead, @leader, by more than @floor. */
static bool is_apart(struct entry *entry, const struct entry *leader, double floor)
{
	if (entry->test.p >= RANK_TEST_LEVEL)
		return false;
	entry->below_floor = floor_distance(median(leader) / median(entry)) <= floor;
	return !entry->below_floor;
}

/* From the first on: who cannot be told apart from the first of a rank shares it. */
static int share_ranks(struct entry *const *ranked, size_t n, double floor)
{
	struct rank_test *tests = test_pairs(ranked, n);
	size_t leader = 0;

	if (tests == NULL)
		return -1;
	for (size_t i = 0; i < n; i++) {
		if (i > 0)
			ranked[i]->test = tests[pair_index(leader, i)];
		if (i > 0 && is_apart(ranked[i], ranked[leader], floor))
			leader = i;
		ranked[i]->rank = leader + 1;
		ranked[i]->leader = ranked[leader];
	}
	free(tests);
	return 0;
}

static int find_ties(struct entry *entries, size_t n, double floor)
{
	struct entry **ranked = calloc(n, sizeof(struct entry *));
	size_t ranked_count = 0;
	int status;

	if (ranked == NULL)
		return -1;
	for (size_t i = 0; i < n; i++) {
		if (!is_ranked(&entries[i]))
			continue;
		ranked[entries[i].rank - 1] = &entries[i];
		ranked_count++;
	}
	status = share_ranks(ranked, ranked_count, floor);
	free(ranked);
	return status;
}

/* ------------------------------------------------------------------ what the record says */

static json_t *tie_object(const struct entry *entry)
{
	struct build b = build_begin();

	build_text(&b, "with", pick_text(entry->leader->contestant, "name"));
	build_number(&b, "p", entry->test.p);
	build_number(&b, "cliffs_delta", fabs(entry->test.delta));
	if (entry->below_floor)
		build_put(&b, "below_noise_floor", json_true());
	return build_end(&b);
}

static int put_rank(const struct entry *entry, const struct entry *best,
	const struct metric *metric, uint64_t seed)
{
	struct build b = {.object = entry->summary};

	build_text(&b, "failure", entry->failed ? entry->reason : NULL);
	build_text(&b, "ranked_by", metric->name);
	if (!is_ranked(entry)) {
		build_absent(&b, "rank", entry->reason);
		build_absent(&b, "relative", entry->reason);
	} else {
		build_count(&b, "rank", entry->rank);
		if (entry->leader != entry)
			build_put(&b, "tie", tie_object(entry));
		build_put(&b, "relative", values_ratio(&best->values, &entry->values, seed));
	}
	return b.failed ? -1 : 0;
}

static int rank_entries(struct entry *entries, size_t n, const json_t *floors, uint64_t seed)
{
	struct rank_load load = rank_load_of(entries[0].contestant);
	const struct metric *metric;
	const struct entry *best = NULL;
	int status;

	for (size_t i = 0; i < n; i++)
		judge(&entries[i]);
	metric = choose(entries, n);
	status = order(entries, n, metric);
	for (size_t i = 0; i < n; i++)
		if (is_ranked(&entries[i]) && entries[i].rank == 1)
			best = &entries[i];
	if (status == 0)
		status = find_ties(entries, n, floor_of(floors, &load, metric->name));
	for (size_t i = 0; i < n && status == 0; i++)
		status = put_rank(&entries[i], best, metric, seed);
	for (size_t i = 0; i < n; i++)
		values_free(&entries[i].values);
	return status;
}

/* Those under the same load as @first. */
static int rank_load(json_t *contestants, const json_t *first, const json_t *floors, uint64_t seed)
{
	struct entry *entries = calloc(json_array_size(contestants), sizeof(*entries));
	size_t n = 0;
	json_t *contestant;
	size_t i;
	int status;

	if (entries == NULL)
		return -1;
	json_array_foreach (contestants, i, contestant) {
		if (!rank_same_load(contestant, first))
			continue;
		entries[n].contestant = contestant;
		entries[n++].summary = json_object_get(contestant, "summary");
	}
	status = rank_entries(entries, n, floors, seed);
	free(entries);
	return status;
}

int rank_all(json_t *contestants, const json_t *floors, uint64_t seed)
{
	for (size_t i = 0; i < json_array_size(contestants); i++)
		if (rank_opens_load(contestants, i) &&
			rank_load(contestants, json_array_get(contestants, i), floors, seed) != 0)
			return -1;
	return 0;
}
