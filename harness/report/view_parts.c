#include <math.h>
#include <stdlib.h>

#include "harness/report/pick.h"
#include "harness/report/table.h"
#include "harness/report/text.h"
#include "harness/report/values.h"
#include "harness/report/view_parts.h"
#include "harness/stats/stats.h"
#include "lib/units.h"

void view_latency(struct grid *grid, const struct table_row *row, const char *name)
{
	char path[64];
	double ns = 0;
	bool known;

	snprintf(path, sizeof(path), "latency_ns.%s", name);
	known = pick_number(row->summary, path, &ns);
	grid_number(grid, known, ns, units_duration, pick_reason(row->summary, path));
}

struct merged view_merged(const struct table_row *row)
{
	struct merged merged = {0};
	const json_t *trial;
	size_t i;

	json_array_foreach (pick(row->contestant, "trials"), i, trial)
		if (values_trial_counts(trial) && merged_add(&merged, trial, "histogram") != 0)
			break;
	return merged;
}

static void add_seconds(struct view_seconds *seconds, const json_t *trial, const char *name)
{
	const json_t *series = pick(trial, "series");
	double duration_s = pick_or(trial, "duration_s", 0);
	double *list = reallocarray(
		seconds->list, seconds->n + json_array_size(series) + 1, sizeof(*list));
	const json_t *second;
	double value;
	size_t i;

	if (list == NULL)
		return;
	seconds->list = list;
	json_array_foreach (series, i, second)
		if (pick_or(second, "t_s", 0) + 1 <= duration_s &&
			pick_number(second, name, &value))
			list[seconds->n++] = value;
}

struct view_seconds view_seconds(const struct table_row *row, const char *name)
{
	struct view_seconds seconds = {0};
	const json_t *trial;
	size_t i;

	json_array_foreach (pick(row->contestant, "trials"), i, trial)
		if (values_trial_counts(trial))
			add_seconds(&seconds, trial, name);
	if (seconds.n == 0)
		return seconds;
	stats_sort(seconds.list, seconds.n);
	seconds.mean = stats_mean(seconds.list, seconds.n);
	if (seconds.n > 1)
		seconds.stddev = stats_stddev(seconds.list, seconds.n);
	return seconds;
}

void view_seconds_free(struct view_seconds *seconds)
{
	free(seconds->list);
	*seconds = (struct view_seconds){0};
}

double view_quantile(const struct view_seconds *seconds, double share)
{
	size_t rank = (size_t)ceil(share * (double)seconds->n);

	return seconds->list[rank > 0 ? rank - 1 : 0];
}

double view_sum(const struct table_row *row, const char *path)
{
	const json_t *trial;
	double sum = 0;
	size_t i;

	json_array_foreach (pick(row->contestant, "trials"), i, trial)
		if (values_trial_counts(trial))
			sum += pick_or(trial, path, 0);
	return sum;
}

double view_read_bytes(const struct table_row *row)
{
	const json_t *trial;
	double sum = 0;
	size_t i;

	json_array_foreach (pick(row->contestant, "trials"), i, trial)
		if (values_trial_counts(trial))
			sum += pick_or(trial, "throughput_bytes_per_s.rx", 0) *
			       pick_or(trial, "duration_s", 0);
	return sum;
}

size_t view_trials(const struct table_row *row)
{
	const json_t *trial;
	size_t n = 0;
	size_t i;

	json_array_foreach (pick(row->contestant, "trials"), i, trial)
		n += values_trial_counts(trial);
	return n;
}

bool view_heading(const struct table *table, const struct table_row *row, FILE *out)
{
	fputs("\n### ", out);
	text_markdown(row->cells[COLUMN_NAME].text, out);
	fprintf(out, ": %.0f × %.0f\n\n", table->load.connections, table->load.pipeline);
	if (!table_is_explained(row))
		return true;
	fputs(row->failure != NULL ? "FAIL: " : "left out: ", out);
	text_markdown(row->failure != NULL ? row->failure : row->skipped, out);
	fputc('\n', out);
	return false;
}
