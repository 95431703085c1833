#include <ctype.h>
#include <math.h>
#include <string.h>

#include "harness/report/plot.h"
#include "harness/report/svg.h"
#include "harness/report/text.h"
#include "lib/units.h"

#define TITLE_Y   22 /* from the top */
#define TITLE_X   10
#define GAP       6
#define TICKS     5    /* at most, of an axis from 0 */
#define LOG_EDGE  1e-3 /* beyond the outer ticks, so that rounding does not lose them */
#define LOG_SMALL 100  /* high : low up to which an axis has ticks at 2 and 5, too */

void plot_text(const char *text, FILE *out)
{
	fputc('\'', out);
	for (; *text != '\0'; text++) {
		unsigned char c = (unsigned char)*text;

		/* Nothing but the quote itself is special between such quotes. */
		if (c == '\'')
			fputs("''", out);
		else
			fputc(c < 0x20 || c == 0x7f ? '?' : c, out);
	}
	fputc('\'', out);
}

void plot_begin(const struct plot_frame *frame, const char *title, FILE *out)
{
	fprintf(out,
		"set encoding utf8\n"
		"set terminal svg size %d,%.0f fixed noenhanced font 'sans-serif,%d' "
		"background rgb '" SVG_PAPER "'\n"
		"set border 1 lc rgb '" SVG_AXIS "'\n"
		"set tics nomirror scale 0.5,0.25 textcolor rgb '" SVG_INK "'\n"
		"set grid lc rgb '" SVG_GRID "' dt 1 lw 1\n",
		PLOT_WIDTH, frame->height, PLOT_FONT);
	fprintf(out,
		"set lmargin at screen %.4f\nset rmargin at screen %.4f\n"
		"set tmargin at screen %.4f\nset bmargin at screen %.4f\n",
		frame->left / PLOT_WIDTH, 1 - frame->right / PLOT_WIDTH,
		1 - PLOT_TOP / frame->height, frame->bottom / frame->height);
	fputs("set label ", out);
	plot_text(title, out);
	fprintf(out,
		" at screen %.4f, screen %.4f left font 'sans-serif,15' textcolor rgb '" SVG_INK
		"'\n",
		(double)TITLE_X / PLOT_WIDTH, 1 - TITLE_Y / frame->height);
}

void plot_label(double x, double y, const char *text, FILE *out)
{
	fputs("set label ", out);
	plot_text(text, out);
	fprintf(out,
		" at first %.9g, first %.9g left offset char 0.8,0 front textcolor rgb '" SVG_INK
		"'\n",
		x, y);
}

void plot_name(double y, const char *text, FILE *out)
{
	fputs("set label ", out);
	plot_text(text, out);
	fprintf(out,
		" at graph 0, first %.9g right offset char -0.8,0 textcolor rgb '" SVG_INK "'\n",
		y);
}

/* "20.0k" as "20k": ticks are round numbers. */
static char *shorten(char *text)
{
	char *point = strchr(text, '.');
	size_t zeros = point != NULL ? strspn(point + 1, "0") : 0;

	if (zeros > 0 && !isdigit((unsigned char)point[1 + zeros]))
		memmove(point, point + 1 + zeros, strlen(point + 1 + zeros) + 1);
	return text;
}

static void put_tick(bool first, double at, plot_number *text, FILE *out)
{
	char label[UNITS_TEXT];

	text(at, label);
	fprintf(out, "%s'%s' %.9g", first ? "" : ", ", shorten(label), at);
}

/* The least of 1, 2, 5, 10, … that is not below @value. */
static double round_up(double value)
{
	static const double steps[] = {1, 2, 5, 10};
	double power = pow(10, floor(log10(value)));

	for (size_t i = 0; i < 4; i++)
		if (steps[i] * power >= value * (1 - 1e-9))
			return steps[i] * power;
	return 10 * power;
}

void plot_axis(const char *axis, double high, plot_number *text, FILE *out)
{
	double step = round_up(high / TICKS);

	fprintf(out, "set %stics (", axis);
	for (int i = 0; i <= TICKS && i * step <= high * (1 + 1e-9); i++)
		put_tick(i == 0, i * step, text, out);
	fputs(")\n", out);
}

void plot_log_axis(const char *axis, double low, double high, plot_number *text, FILE *out)
{
	static const double steps[] = {1, 2, 5};
	size_t used = high / low <= LOG_SMALL ? 3 : 1;
	double from = pow(10, floor(log10(low)));
	double to = round_up(high);
	double bottom = from;
	bool first = true;

	for (size_t i = 0; i < 3; i++)
		if (steps[i] * from <= low)
			bottom = steps[i] * from;
	fprintf(out, "set logscale %s\nset %stics (", axis, axis);
	for (double power = from; power <= to * (1 + 1e-9) && isfinite(power); power *= 10)
		for (size_t i = 0; i < used; i++) {
			put_tick(first, steps[i] * power, text, out);
			first = false;
		}
	fprintf(out, ")\nset %srange [%.9g:%.9g]\n", axis, bottom * (1 - LOG_EDGE),
		to * (1 + LOG_EDGE));
}

void plot_line(size_t i, FILE *out)
{
	/* Okabe and Ito, "Color Universal Design" (2008), with grey for their yellow, which is
	 * not to be seen on white. */
	static const char *const colors[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7", SVG_INK,
		"#e69f00", "#56b4e9", "#848d97"};
	static const char *const dashes[] = {"1", "(10,5)", "(3,4)", "(12,4,3,4)"};
	static const int marks[] = {7, 5, 9, 13, 6, 4, 8, 12};

	fprintf(out, "with linespoints lc rgb '%s' dt %s pt %d ps 0.7 lw 2", colors[i % 8],
		dashes[(i + i / 8) % 4], marks[i % 8]);
}
