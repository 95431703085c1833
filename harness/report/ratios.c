
#include "harness/report/build.h"
#include "harness/report/pick.h"
#include "harness/report/rank.h"
#include "harness/report/ratios.h"
#include "harness/report/values.h"
#include "harness/stats/stats.h"

static bool is_zero(const struct values *v)
{
	return v->n > 0 && stats_median(v->list, v->n) <= 0;
}

static void put_ratio(struct build *b, const char *name, const struct values *of,
	const struct values *to, uint64_t seed)
{
	if (of->n == 0 || to->n == 0)
		build_absent(b, name, of->n == 0 ? of->reason : to->reason);
	else if (is_zero(to))
		build_absent(b, name, "most trials are at 0");
	else
		build_put(b, name, values_ratio(of, to, seed));
}

static void put_metric(struct build *b, const char *name, const char *path, const json_t *of,
	const json_t *to, uint64_t seed)
{
	struct values of_values = {0};
	struct values to_values = {0};

	if (values_read(&of_values, of, path) != 0 || values_read(&to_values, to, path) != 0)
		b->failed = true;
	else
		put_ratio(b, name, &of_values, &to_values, seed);
	values_free(&of_values);
	values_free(&to_values);
}

static json_t *load_object(const json_t *of, const json_t *to, uint64_t seed)
{
	struct rank_load load = rank_load_of(of);
	struct build b = build_begin();

	rank_put_load(&b, &load);
	put_metric(&b, "rps", "rps", of, to, seed);
	put_metric(&b, "rps_per_server_cpu_s", "server.requests_per_cpu_s", of, to, seed);
	return build_end(&b);
}

static json_t *all_loads(const json_t *contestants, const json_t *ratio, uint64_t seed)
{
	json_t *loads = json_array();
	const json_t *of;
	size_t i;

	json_array_foreach (contestants, i, of) {
		const json_t *to = rank_find_beside(contestants, pick_text(ratio, "to"), of);

		if (!rank_is_called(of, pick_text(ratio, "of")) || to == NULL)
			continue;
		if (json_array_append_new(loads, load_object(of, to, seed)) != 0) {
			json_decref(loads);
			return NULL;
		}
	}
	return loads;
}

int ratios_fill(json_t *record, uint64_t seed)
{
	const json_t *contestants = pick(record, "contestants");
	json_t *ratio;
	size_t i;

	json_array_foreach (json_object_get(record, "ratios"), i, ratio)
		if (json_object_set_new(ratio, "loads", all_loads(contestants, ratio, seed)) != 0)
			return -1;
	return 0;
}
