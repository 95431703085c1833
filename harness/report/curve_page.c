#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/report/chart.h"
#include "harness/report/curve.h"
#include "harness/report/pick.h"
#include "harness/report/plot.h"
#include "harness/report/replace.h"
#include "harness/report/text.h"
#include "lib/fail.h"
#include "lib/units.h"

#define TITLE  "Latency against load"
#define HEIGHT 420
#define BOTTOM 84 /* the ticks, what they are, and the names of the lines */

/** struct line - What a line of the chart shows. */
struct line {
	const char *path;
	const char *name;
};

static const struct line lines[] = {{"latency_ns.p99_9", "p99.9"}, {"latency_ns.p99", "p99"},
	{"latency_ns.p90", "p90"}, {"latency_ns.p50", "p50"}};

#define LINES (sizeof(lines) / sizeof(lines[0]))

/** struct extent - What the axes must hold. */
struct extent {
	double low_ns;
	double high_ns;
	double rate;
};

static void put_point(const json_t *trial, const char *path, struct extent *e, FILE *out)
{
	double rate;
	double ns;

	if (!pick_number(trial, path, &ns) || !pick_number(trial, "rate.target", &rate) || ns <= 0)
		return;
	e->low_ns = e->rate > 0 ? fmin(e->low_ns, ns) : ns;
	e->high_ns = fmax(e->high_ns, ns);
	e->rate = fmax(e->rate, rate);
	if (out != NULL)
		fprintf(out, "%.9g %.9g\n", rate, ns);
}

/* The points of one line; with @out NULL only their extent. */
static void put_line(const json_t *record, const char *path, struct extent *e, FILE *out)
{
	const json_t *point;
	size_t i;

	json_array_foreach (pick(record, "curve"), i, point)
		put_point(pick(point, "trial"), path, e, out);
	put_point(pick(record, "trial"), path, e, out);
}

/* A percentile may lack the samples at every rate. */
static bool has_points(const json_t *record, const char *path)
{
	struct extent e = {0};

	put_line(record, path, &e, NULL);
	return e.rate > 0;
}

static void print_lines(const json_t *record, FILE *out)
{
	struct extent e = {0};
	const char *before = "plot ";

	for (size_t i = 0; i < LINES; i++) {
		fprintf(out, "$line%zu << EOD\n", i);
		put_line(record, lines[i].path, &e, out);
		fputs("EOD\n", out);
	}
	for (size_t i = 0; i < LINES; i++) {
		if (!has_points(record, lines[i].path))
			continue;
		fprintf(out, "%s$line%zu using 1:2 ", before, i);
		before = ", \\\n  ";
		plot_line(i, out);
		fprintf(out, " title '%s'", lines[i].name);
	}
	fputc('\n', out);
}

bool curve_script(const json_t *record, const char *title, FILE *out)
{
	const struct plot_frame frame = {
		.left = 64, .right = 32, .bottom = BOTTOM, .height = HEIGHT};
	struct extent e = {0};

	if (json_array_size(pick(record, "curve")) < 2)
		return false;
	for (size_t i = 0; i < LINES; i++)
		put_line(record, lines[i].path, &e, NULL);
	if (e.rate <= 0)
		return false;
	plot_begin(&frame, title, out);
	fprintf(out,
		"set key at screen %.4f, screen %.4f left bottom Left reverse horizontal "
		"maxcols 4 samplen 3 textcolor rgb '#1f2328'\n",
		32.0 / PLOT_WIDTH, 8.0 / HEIGHT);
	fputs("set xlabel 'requests per second, planned' offset 0,0.4 textcolor rgb '#1f2328'\n",
		out);
	fprintf(out, "set xrange [0:%.9g]\n", e.rate * 1.02);
	plot_axis("x", e.rate, units_count, out);
	plot_log_axis("y", e.low_ns, e.high_ns, units_duration, out);
	print_lines(record, out);
	return true;
}

/* Return: 1 with *@svg, owned by the caller; 0 when there is none; -1 after a message. */
static int draw(const json_t *record, char **svg)
{
	const char *target = pick_text(record, "target");
	char title[CHART_TITLE];
	char *script = NULL;
	bool missing = false;
	size_t len;
	FILE *out = open_memstream(&script, &len);
	bool some;

	if (out == NULL)
		return fail_msg("no memory for a chart");
	text_format(title, sizeof(title), TITLE ": %s", target != NULL ? target : "?");
	some = curve_script(record, title, out);
	fclose(out);
	*svg = some ? chart_svg(script, len, title, &missing) : NULL;
	free(script);
	if (missing)
		fail_msg("no chart: gnuplot is not in PATH (package gnuplot-nox)");
	return *svg != NULL ? 1 : some && !missing ? -1 : 0;
}

static int print_svg(const void *ctx, FILE *out)
{
	return fputs(ctx, out) < 0 ? -1 : 0;
}

/** struct page - What a page is made of. */
struct page {
	const json_t *record;
	const char *chart;
};

static int print_page(const void *ctx, FILE *out)
{
	const struct page *page = ctx;

	curve_markdown(page->record, page->chart, out);
	return 0;
}

int curve_publish(const json_t *record, const char *stem)
{
	const char *slash = strrchr(stem, '/');
	const char *name = slash != NULL ? slash + 1 : stem;
	char *svg = NULL;
	int drawn = draw(record, &svg);
	struct page page = {record, drawn > 0 ? name : NULL};
	int status = drawn < 0 ? -1 : 0;
	char path[PATH_MAX];

	if (snprintf(path, sizeof(path), "%s.svg", stem) >= (int)sizeof(path)) {
		free(svg);
		return fail_msg("%s: the name is too long", stem);
	}
	if (drawn > 0 && replace_file(path, print_svg, svg) != 0)
		status = -1;
	free(svg);
	snprintf(path, sizeof(path), "%s.md", stem);
	return replace_file(path, print_page, &page) != 0 ? -1 : status;
}
