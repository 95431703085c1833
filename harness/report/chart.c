#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "harness/report/chart.h"
#include "harness/report/chart_plots.h"
#include "harness/report/gnuplot.h"
#include "harness/report/pick.h"
#include "harness/report/replace.h"
#include "harness/report/svg.h"
#include "harness/report/table.h"
#include "harness/report/text.h"
#include "lib/buf.h"
#include "lib/fail.h"

static const struct {
	const char *name;
	const char *title;
} kinds[CHART_KINDS] = {
	[CHART_RPS] = {"rps", "Requests per second"},
	[CHART_CPU] = {"cpu", "Requests per second of the server's CPU time"},
	[CHART_LATENCY] = {"latency", "Latency by percentile"},
	[CHART_TIME] = {"time", "Requests per second over time"},
};

bool chart_script(const struct table *table, enum chart_kind kind, const char *title, FILE *out)
{
	switch (kind) {
	case CHART_RPS:
		return chart_bars(table, title, "rps", out);
	case CHART_CPU:
		return chart_bars(table, title, "rps_per_server_cpu_s", out);
	case CHART_LATENCY:
		return chart_percentiles(table, title, out);
	case CHART_TIME:
		return chart_seconds(table, title, out);
	case CHART_KINDS:
		break;
	}
	return false;
}

/* A further load is part of the name. */
static void put_level(struct chart *chart, const struct rank_load *load)
{
	size_t used = strlen(chart->name);
	char count[32] = "";
	char rate[32] = "";
	char threads[32] = "";

	if (load->threads > 1)
		snprintf(threads, sizeof(threads), "-t%.0f", load->threads);
	if (load->requests > 0)
		snprintf(count, sizeof(count), "-n%.0f", load->requests);
	if (load->rate > 0)
		snprintf(rate, sizeof(rate), "-r%.9g%s", load->rate, load->poisson ? "p" : "");
	text_format(chart->name + used, sizeof(chart->name) - used, "-%.0fx%.0f%s%s%s",
		load->connections, load->pipeline, count, rate, threads);
}

static void entitle(struct chart *chart, const struct rank_load *load)
{
	char count[40] = "";
	char rate[48] = "";
	char threads[32] = "";

	if (load->threads > 1)
		snprintf(threads, sizeof(threads), ", %.0f server threads", load->threads);
	if (load->requests > 0)
		snprintf(count, sizeof(count), "%.0f requests, ", load->requests);
	if (load->rate > 0)
		snprintf(rate, sizeof(rate), " at %g/s%s", load->rate,
			load->poisson ? " (Poisson)" : "");
	text_format(chart->title, CHART_TITLE, "%s: %s%.0f connection%s × pipeline %.0f%s%s",
		kinds[chart->kind].title, count, load->connections,
		load->connections == 1 ? "" : "s", load->pipeline, rate, threads);
}

char *chart_svg(const char *script, size_t len, const char *title, bool *missing)
{
	struct buf drawn = {0};
	char *svg = NULL;
	size_t size;
	FILE *out = NULL;
	int status = gnuplot_run(script, len, &drawn, missing);

	if (status == 0 && buf_append(&drawn, "", 1) == 0)
		out = open_memstream(&svg, &size);
	if (out != NULL) {
		status = svg_print(buf_head(&drawn), title, out);
		fclose(out);
	}
	buf_free(&drawn);
	if (status == 0)
		return svg;
	free(svg);
	return NULL;
}

/* Return: 1 for drawn, 0 when there is nothing to draw, -1 as of gnuplot_run(). */
static int draw(struct chart *chart, const struct table *table, bool first, bool *missing)
{
	char *script = NULL;
	size_t len;
	FILE *out = open_memstream(&script, &len);
	bool some;

	if (out == NULL)
		return fail_msg("no memory for a chart");
	chart->load = table->load;
	snprintf(chart->name, sizeof(chart->name), "-%s", kinds[chart->kind].name);
	if (!first)
		put_level(chart, &table->load);
	entitle(chart, &table->load);
	some = chart_script(table, chart->kind, chart->title, out);
	fclose(out);
	if (some)
		chart->svg = chart_svg(script, len, chart->title, missing);
	free(script);
	return !some ? 0 : chart->svg != NULL ? 1 : -1;
}

static size_t with_numbers(const struct table *table)
{
	size_t n = 0;

	for (size_t i = 0; i < table->n; i++)
		n += !table_is_explained(&table->rows[i]);
	return n;
}

/* Return: 0, or -1 as of gnuplot_run(). */
static int draw_table(struct charts *charts, const struct table *table, bool first, bool *missing)
{
	struct chart *list = reallocarray(charts->list, charts->n + CHART_KINDS, sizeof(*list));

	if (list == NULL)
		return fail_msg("no memory for charts");
	charts->list = list;
	for (enum chart_kind kind = 0; kind < CHART_KINDS; kind++) {
		struct chart chart = {.kind = kind};
		int status = draw(&chart, table, first, missing);

		if (status < 0)
			return -1;
		if (status > 0)
			charts->list[charts->n++] = chart;
	}
	return 0;
}

int charts_draw(struct charts *charts, const json_t *record)
{
	const json_t *contestants = pick(record, "contestants");
	bool missing = false;
	int status = 0;

	*charts = (struct charts){0};
	for (size_t i = 0; i < json_array_size(contestants) && status == 0; i++) {
		struct table *table;

		if (!rank_opens_load(contestants, i))
			continue;
		table = table_new(record, json_array_get(contestants, i));
		if (table == NULL)
			status = -1;
		else if (with_numbers(table) >= (i == 0 ? 1 : 2))
			status = draw_table(charts, table, i == 0, &missing);
		table_free(table);
	}
	if (status == 0)
		return 0;
	charts_free(charts);
	if (!missing)
		return -1;
	fail_msg("no charts: gnuplot is not in PATH (package gnuplot-nox)");
	return 0;
}

void charts_free(struct charts *charts)
{
	for (size_t i = 0; i < charts->n; i++)
		free(charts->list[i].svg);
	free(charts->list);
	*charts = (struct charts){0};
}

static int print_svg(const void *ctx, FILE *out)
{
	return fputs(ctx, out) < 0 ? -1 : 0;
}

int charts_save(const struct charts *charts, const char *stem)
{
	char path[PATH_MAX];

	for (size_t i = 0; i < charts->n; i++) {
		const struct chart *chart = &charts->list[i];

		if (snprintf(path, sizeof(path), "%s%s.svg", stem, chart->name) >=
			(int)sizeof(path))
			return fail_msg("%s: the name is too long", stem);
		if (replace_file(path, print_svg, chart->svg) != 0)
			return -1;
	}
	return 0;
}
