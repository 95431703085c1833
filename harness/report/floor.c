#include <math.h>

#include "harness/report/build.h"
#include "harness/report/floor.h"
#include "harness/report/pick.h"
#include "harness/report/rank.h"
#include "harness/report/text.h"
#include "harness/report/values.h"
#include "harness/stats/rank_test.h"
#include "harness/stats/stats.h"

/** struct metric - What a floor is known of. */
struct metric {
	const char *name; /* in an item */
	const char *path; /* in a trial */
};

static const struct metric metrics[] = {
	{"rps", "rps"},
	{"rps_per_server_cpu_s", "server.requests_per_cpu_s"},
	{"latency_p50", "latency_ns.p50"},
	{"latency_p99", "latency_ns.p99"},
};

double floor_distance(double ratio)
{
	return fmax(ratio, 1 / ratio) - 1;
}

static json_t *floor_values(const struct values *first, const struct values *again, uint64_t seed)
{
	double ratio = stats_median(first->list, first->n) / stats_median(again->list, again->n);
	struct build b = {.object = values_ratio(first, again, seed)};

	b.failed = b.object == NULL;
	build_number(&b, "p", rank_test(first->list, first->n, again->list, again->n).p);
	build_number(&b, "floor", floor_distance(ratio));
	return build_end(&b);
}

static bool is_zero(const struct values *v)
{
	return stats_median(v->list, v->n) <= 0;
}

static void put_metric(struct build *b, const struct metric *metric, const json_t *first,
	const json_t *again, uint64_t seed)
{
	struct values a = {0};
	struct values z = {0};

	if (values_read(&a, first, metric->path) != 0 || values_read(&z, again, metric->path) != 0)
		b->failed = true;
	else if (a.n == 0 || z.n == 0)
		build_absent(b, metric->name, a.n == 0 ? a.reason : z.reason);
	else if (is_zero(&a) || is_zero(&z))
		build_absent(b, metric->name, "most trials are at 0");
	else
		build_put(b, metric->name, floor_values(&a, &z, seed));
	values_free(&a);
	values_free(&z);
}

/* Why the two say nothing about the machine. Return: false when they do. */
static bool find_obstacle(const json_t *first, const json_t *again, char *out, size_t size)
{
	char why[RANK_REASON];

	if (rank_failure(first, why))
		text_format(out, size, "%s: %s", pick_text(first, "name"), why);
	else if (rank_failure(again, why))
		text_format(out, size, "%s, measured again: %s", pick_text(again, "name"), why);
	else if (json_object_size(pick(again, "summary.checks_failed")) > 0)
		text_format(out, size, "%s, measured again, failed a self-check",
			pick_text(again, "name"));
	else
		return false;
	return true;
}

static json_t *floor_object(const json_t *first, const json_t *again, uint64_t seed)
{
	struct rank_load load = rank_load_of(again);
	struct build b = build_begin();
	char reason[RANK_REASON + 128];
	bool unknown = find_obstacle(first, again, reason, sizeof(reason));

	rank_put_load(&b, &load);
	build_text(&b, "contestant", pick_text(again, "name"));
	for (size_t i = 0; i < sizeof(metrics) / sizeof(metrics[0]); i++) {
		if (unknown)
			build_absent(&b, metrics[i].name, reason);
		else
			put_metric(&b, &metrics[i], first, again, seed);
	}
	return build_end(&b);
}

static json_t *all_floors(const json_t *contestants, const json_t *twins, uint64_t seed)
{
	json_t *list = json_array();
	const json_t *again;
	size_t i;

	json_array_foreach (twins, i, again) {
		const json_t *first =
			rank_find_beside(contestants, pick_text(again, "name"), again);

		if (first == NULL ||
			json_array_append_new(list, floor_object(first, again, seed)) == 0)
			continue;
		json_decref(list);
		return NULL;
	}
	return list;
}

/* As the ranking does for the contestants: a failure is part of the summary. */
static int put_failures(const json_t *twins)
{
	const json_t *again;
	size_t i;

	json_array_foreach (twins, i, again) {
		struct build b = {.object = json_object_get(again, "summary")};
		char why[RANK_REASON];

		build_text(&b, "failure", rank_failure(again, why) ? why : NULL);
		if (b.failed)
			return -1;
	}
	return 0;
}

int floor_fill(json_t *record, uint64_t seed)
{
	const json_t *twins = json_object_get(record, "again");
	struct build b = {.object = record};

	if (twins == NULL)
		return 0;
	if (!json_is_array(twins))
		build_absent(&b, "noise_floor", pick_reason(record, "again"));
	else
		build_put(&b, "noise_floor", all_floors(pick(record, "contestants"), twins, seed));
	return b.failed ? -1 : put_failures(twins);
}

const json_t *floor_find(const json_t *floors, const struct rank_load *load)
{
	const json_t *item;
	size_t i;

	json_array_foreach (floors, i, item) {
		struct rank_load own = rank_load_of(item);

		if (rank_is_load(&own, load))
			return item;
	}
	return NULL;
}

double floor_of(const json_t *floors, const struct rank_load *load, const char *metric)
{
	return pick_or(pick(floor_find(floors, load), metric), "floor", -1);
}
