#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/report/chart_plots.h"
#include "harness/report/pick.h"
#include "harness/report/plot.h"
#include "harness/report/table.h"
#include "harness/report/text.h"
#include "lib/fail.h"
#include "lib/units.h"

#define ROW_HEIGHT  28
#define AXIS_HEIGHT 36
#define MARGIN      18
#define HALF_BAR    "0.34" /* of a row */
#define LABEL       200    /* bytes of a text beside a bar */
#define COLOR       "#0072b2"
#define LIMITED     "#e69f00"

/** struct bar - A row of the chart. */
struct bar {
	const struct table_row *row;
	bool known; /* else it has only a text */
	bool limited;
	double value;
	double low;
	double high;
	char text[LABEL];
};

static void fill_known(struct bar *bar, const char *path)
{
	char low[64];
	char high[64];
	char number[TEXT_COUNT];

	snprintf(low, sizeof(low), "%s.ci95_low", path);
	snprintf(high, sizeof(high), "%s.ci95_high", path);
	bar->low = pick_or(bar->row->summary, low, bar->value);
	bar->high = pick_or(bar->row->summary, high, bar->value);
	bar->limited = chart_is_client_limited(bar->row);
	snprintf(bar->text, LABEL, "%s%s", text_count(bar->value, number),
		bar->limited ? " (client limited)" : "");
}

static void fill_bar(struct bar *bar, const struct table_row *row, const char *path)
{
	char median[64];

	bar->row = row;
	snprintf(median, sizeof(median), "%s.median", path);
	bar->known = row->failure == NULL && pick_number(row->summary, median, &bar->value);
	if (bar->known)
		fill_known(bar, path);
	else if (row->failure != NULL)
		text_format(bar->text, LABEL, "FAIL: %s", row->failure);
	else
		text_format(bar->text, LABEL, "not known: %s", pick_reason(row->summary, median));
}

static int by_value(const void *a, const void *b)
{
	const struct bar *x = a;
	const struct bar *y = b;

	if (x->known != y->known)
		return x->known ? -1 : 1;
	if (x->known && x->value != y->value)
		return x->value > y->value ? -1 : 1;
	return x->row < y->row ? -1 : 1;
}

/* Return: how many have a length. @bars: room for all rows. */
static size_t gather(const struct table *table, const char *path, struct bar *bars, size_t *n)
{
	size_t drawn = 0;

	*n = 0;
	for (size_t i = 0; i < table->n; i++) {
		if (table->rows[i].skipped != NULL)
			continue;
		fill_bar(&bars[*n], &table->rows[i], path);
		drawn += bars[*n].known && bars[*n].high > 0;
		(*n)++;
	}
	if (*n > 0)
		qsort(bars, *n, sizeof(*bars), by_value);
	return drawn;
}

/* The values of the bars, of one colour. Return: whether there are any. */
static bool put_values(const struct bar *bars, size_t n, bool limited, FILE *out)
{
	bool any = false;

	for (size_t i = 0; i < n; i++)
		any |= bars[i].known && bars[i].limited == limited;
	if (!any)
		return false;
	fprintf(out, "$%s << EOD\n", limited ? "limited" : "bars");
	for (size_t i = 0; i < n; i++)
		if (bars[i].known && bars[i].limited == limited)
			fprintf(out, "%.9g %.9g %.9g %zu\n", bars[i].value, bars[i].low,
				bars[i].high, i);
	fputs("EOD\n", out);
	return true;
}

/* Whiskers go over the bars of both colours. */
static void put_plots(bool some, bool limited, FILE *out)
{
	static const char bars[] =
		"using 1:4:(0):1:($4-" HALF_BAR "):($4+" HALF_BAR ") with boxxyerror fs solid 1 "
		"noborder fc rgb";
	static const char whiskers[] =
		"using 1:4:2:3 with xerrorbars pt -1 lw 1.5 lc rgb '#1f2328' notitle";

	fputs("plot ", out);
	if (some) {
		fprintf(out, "$bars %s '" COLOR "' notitle, \\\n  $bars %s%s", bars, whiskers,
			limited ? ", \\\n  " : "\n");
	}
	if (limited) {
		fprintf(out, "$limited %s '" LIMITED "' notitle, \\\n  $limited %s\n", bars,
			whiskers);
	}
}

static void put_rows(const struct bar *bars, size_t n, double room, FILE *out)
{
	char name[CHART_NAME];
	char text[LABEL];

	fputs("unset ytics\n", out);
	for (size_t i = 0; i < n; i++) {
		plot_name((double)i, chart_name(bars[i].row, name), out);
		text_cut(bars[i].text, (size_t)(room / PLOT_CHARACTER), text, sizeof(text));
		plot_label(bars[i].known ? bars[i].high : 0, (double)i,
			bars[i].known ? bars[i].text : text, out);
	}
}

static void print_bars(const struct bar *bars, size_t n, const char *title, FILE *out)
{
	size_t name_width = 0;
	size_t text_width_max = 0;
	double high = 0;
	struct plot_frame frame = {.bottom = AXIS_HEIGHT};
	char name[CHART_NAME];
	bool some;
	bool limited;

	for (size_t i = 0; i < n; i++) {
		size_t width = text_width(chart_name(bars[i].row, name));

		name_width = width > name_width ? width : name_width;
		width = bars[i].known ? text_width(bars[i].text) : 0;
		text_width_max = width > text_width_max ? width : text_width_max;
		high = bars[i].known ? fmax(high, bars[i].high) : high;
	}
	frame.left = (double)name_width * PLOT_CHARACTER + MARGIN;
	frame.right = (double)text_width_max * PLOT_CHARACTER + MARGIN;
	frame.height = PLOT_TOP + ROW_HEIGHT * (double)n + AXIS_HEIGHT;
	plot_begin(&frame, title, out);
	fprintf(out, "set grid noytics\nset border 0\nset xrange [0:%.9g]\nset yrange [%g:-0.5]\n",
		high, (double)n - 0.5);
	plot_axis("x", high, units_count, out);
	put_rows(bars, n, PLOT_WIDTH - frame.left - MARGIN, out);
	some = put_values(bars, n, false, out);
	limited = put_values(bars, n, true, out);
	put_plots(some, limited, out);
}

bool chart_bars(const struct table *table, const char *title, const char *path, FILE *out)
{
	struct bar *bars = calloc(table->n + 1, sizeof(*bars));
	size_t n;
	bool drawn;

	if (bars == NULL) {
		fail_msg("no memory for a chart");
		return false;
	}
	drawn = gather(table, path, bars, &n) > 0;
	if (drawn)
		print_bars(bars, n, title, out);
	free(bars);
	return drawn;
}
