#include <math.h>
#include <stdio.h>
#include <string.h>

#include "harness/report/chart_plots.h"
#include "harness/report/latency.h"
#include "harness/report/pick.h"
#include "harness/report/plot.h"
#include "harness/report/table.h"
#include "harness/report/text.h"
#include "harness/report/values.h"
#include "lib/units.h"

#define PLOT_HEIGHT 300
#define LEFT        64
#define RIGHT       32
#define AXIS        36 /* the ticks below, or the ticks and what they are */
#define AXIS_NAME   54
#define KEY_ROW     20 /* height of a row of names */
#define KEY_SAMPLE  90 /* width of the piece of line before a name, and what gnuplot leaves */
#define KEY_LETTER  8  /* width that gnuplot takes a letter for */
#define LOG_FROM    10 /* high : low from which an axis of rates is logarithmic */
#define NAME_MAX    28 /* characters of a contestant's name */
#define LIMITED     " (client limited)"

bool chart_is_client_limited(const struct table_row *row)
{
	const char *limit = pick_text(row->summary, "limit");

	return limit != NULL && strcmp(limit, "client") == 0;
}

const char *chart_name(const struct table_row *row, char *out)
{
	const char *name = pick_text(row->contestant, "name");

	return text_cut(name != NULL ? name : "?", NAME_MAX, out, CHART_NAME);
}

/** struct span - Least and greatest of what is drawn. */
struct span {
	double low;
	double high;
	size_t n;
};

static void widen(struct span *span, double value)
{
	span->low = span->n == 0 ? value : fmin(span->low, value);
	span->high = span->n == 0 ? value : fmax(span->high, value);
	span->n++;
}

/**
 * put_points - Prints the points of a contestant, "x y" lines, and widens the spans of both; with
 * @out NULL it only does that. Return: how many points.
 */
typedef size_t put_points(const struct table_row *row, struct span *x, struct span *y, FILE *out);

static void put_point(double x, double y, struct span *xs, struct span *ys, FILE *out)
{
	widen(xs, x);
	widen(ys, y);
	if (out != NULL)
		fprintf(out, "%.9g %.9g\n", x, y);
}

/* How far out a percentile is: the same way for each factor of ten in what is beyond it. */
static double tail(double share)
{
	return -log10(1 - share);
}

static size_t put_percentiles(
	const struct table_row *row, struct span *xs, struct span *ys, FILE *out)
{
	size_t n = 0;

	for (const struct latency_percentile *p = latency_percentiles; p->name != NULL; p++) {
		char path[64];
		double ns;

		snprintf(path, sizeof(path), "latency_ns.%s", p->name);
		if (p->share < 0.5 || !pick_number(row->summary, path, &ns) || ns <= 0)
			continue;
		put_point(tail(p->share), ns, xs, ys, out);
		n++;
	}
	return n;
}

/* A second's point stands in its middle. One that is cut off is none. */
static size_t put_seconds_of(const json_t *trial, struct span *xs, struct span *ys, FILE *out)
{
	double duration_s = pick_or(trial, "duration_s", 0);
	const json_t *second;
	double started_s;
	size_t n = 0;
	size_t i;

	if (!values_trial_counts(trial) || !pick_number(trial, "started_s", &started_s))
		return 0;
	started_s += pick_or(trial, "warmup.s", pick_or(trial, "warmup_s", 0));
	json_array_foreach (pick(trial, "series"), i, second) {
		double t_s = pick_or(second, "t_s", 0);

		if (t_s + 1 > duration_s)
			continue;
		put_point(started_s + t_s + 0.5, pick_or(second, "ok", 0), xs, ys, out);
		n++;
	}
	return n;
}

static size_t put_seconds(const struct table_row *row, struct span *xs, struct span *ys, FILE *out)
{
	const json_t *trial;
	size_t n = 0;
	size_t i;

	json_array_foreach (pick(row->contestant, "trials"), i, trial) {
		n += put_seconds_of(trial, xs, ys, out);
		if (out != NULL)
			fputc('\n', out); /* ends the line: between trials nothing was measured */
	}
	return n;
}

/* Rows that say why they have no numbers have no lines. */
static size_t points_of(
	const struct table_row *row, put_points *put, struct span *xs, struct span *ys, FILE *out)
{
	return table_is_explained(row) ? 0 : put(row, xs, ys, out);
}

/** struct key - The names below the plot. */
struct key {
	size_t lines;
	size_t columns;
	double height;
};

static struct key key_of(const struct table *table, put_points *put)
{
	struct key key = {0};
	size_t width = 0;
	char name[CHART_NAME];
	size_t rows;

	for (size_t i = 0; i < table->n; i++) {
		const struct table_row *row = &table->rows[i];
		struct span xs = {0};
		struct span ys = {0};
		size_t one = text_width(chart_name(row, name)) +
			     (chart_is_client_limited(row) ? strlen(LIMITED) : 0);

		if (points_of(row, put, &xs, &ys, NULL) == 0)
			continue;
		key.lines++;
		width = one > width ? one : width;
	}
	key.columns = (PLOT_WIDTH - LEFT) / (width * KEY_LETTER + KEY_SAMPLE);
	key.columns = key.columns < 1 ? 1 : key.columns > 4 ? 4 : key.columns;
	rows = (key.lines + key.columns - 1) / key.columns;
	key.height = KEY_ROW * (double)rows;
	return key;
}

static void begin(const struct key *key, const char *title, double axis, FILE *out)
{
	const struct plot_frame frame = {
		.left = LEFT,
		.right = RIGHT,
		.bottom = axis + key->height + 10,
		.height = PLOT_TOP + PLOT_HEIGHT + axis + key->height + 10,
	};

	plot_begin(&frame, title, out);
	fprintf(out,
		"set key at screen %.4f, screen %.4f left bottom Left reverse horizontal "
		"maxcols %zu samplen 3 textcolor rgb '#1f2328'\n",
		(double)LEFT / 2 / PLOT_WIDTH, 8 / frame.height, key->columns);
}

static void print_lines(const struct table *table, put_points *put, FILE *out)
{
	struct span xs = {0};
	struct span ys = {0};
	char name[CHART_NAME];
	size_t n = 0;

	for (size_t i = 0; i < table->n; i++) {
		if (points_of(&table->rows[i], put, &xs, &ys, NULL) == 0)
			continue;
		fprintf(out, "$line%zu << EOD\n", i);
		points_of(&table->rows[i], put, &xs, &ys, out);
		fputs("EOD\n", out);
	}
	for (size_t i = 0; i < table->n; i++) {
		const struct table_row *row = &table->rows[i];

		if (points_of(row, put, &xs, &ys, NULL) == 0)
			continue;
		fprintf(out, "%s$line%zu using 1:2 ", n == 0 ? "plot " : ", \\\n  ", i);
		plot_line(n++, out);
		fputs(" title ", out);
		plot_text(chart_name(row, name), out);
		fputs(chart_is_client_limited(row) ? ".'" LIMITED "'" : "", out);
	}
	fputc('\n', out);
}

bool chart_percentiles(const struct table *table, const char *title, FILE *out)
{
	static const double shown[] = {0.5, 0.75, 0.9, 0.95, 0.99, 0.999};
	struct key key = key_of(table, put_percentiles);
	struct span xs = {0};
	struct span ys = {0};

	for (size_t i = 0; i < table->n; i++)
		points_of(&table->rows[i], put_percentiles, &xs, &ys, NULL);
	if (ys.n < 2)
		return false;
	begin(&key, title, AXIS, out);
	plot_log_axis("y", ys.low, ys.high, units_duration, out);
	fprintf(out, "set xrange [%.9g:%.9g]\nset xtics (", tail(0.5), xs.high);
	for (size_t i = 0; i < sizeof(shown) / sizeof(shown[0]); i++)
		fprintf(out, "%s'%g %%%%' %.9g", i == 0 ? "" : ", ", 100 * shown[i],
			tail(shown[i]));
	fputs(")\n", out);
	print_lines(table, put_percentiles, out);
	return true;
}

bool chart_seconds(const struct table *table, const char *title, FILE *out)
{
	struct key key = key_of(table, put_seconds);
	struct span xs = {0};
	struct span ys = {0};

	for (size_t i = 0; i < table->n; i++)
		points_of(&table->rows[i], put_seconds, &xs, &ys, NULL);
	if (ys.n < 2 || ys.high <= 0)
		return false;
	begin(&key, title, AXIS_NAME, out);
	fputs("set xlabel 'seconds since the round began' offset 0,0.4 textcolor rgb '#1f2328'\n",
		out);
	fprintf(out, "set xrange [0:%.9g]\n", xs.high);
	plot_axis("x", xs.high, text_count, out);
	if (ys.low > 0 && ys.high / ys.low > LOG_FROM) {
		plot_log_axis("y", ys.low, ys.high, units_count, out);
	} else {
		fprintf(out, "set yrange [0:%.9g]\n", ys.high * 1.05);
		plot_axis("y", ys.high, units_count, out);
	}
	print_lines(table, put_seconds, out);
	return true;
}
