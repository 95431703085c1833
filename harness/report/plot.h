#ifndef HARNESS_REPORT_PLOT_H
#define HARNESS_REPORT_PLOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/** DOC: What scripts of gnuplot for charts are made of. Lengths are pixels of a chart's width. */

#define PLOT_WIDTH     700
#define PLOT_CHARACTER 7.4 /* of the average letter at PLOT_FONT pixels */
#define PLOT_FONT      13
#define PLOT_TOP       46 /* above the plot: the title */
#define PLOT_STYLES    32 /* lines that look different */

/** struct plot_frame - Margins around the plot, and the height of all. */
struct plot_frame {
	double left;
	double right;
	double bottom;
	double height;
};

/** plot_begin() - Size, colours, margins and title. */
void plot_begin(const struct plot_frame *frame, const char *title, FILE *out);

/** plot_text() - @text as a string of gnuplot, in quotes, with control characters as '?'. */
void plot_text(const char *text, FILE *out);

/** plot_label() - A text from @x, @y to the right, with a small gap before it. */
void plot_label(double x, double y, const char *text, FILE *out);

/** plot_name() - The name of row @y, left of the plot. Unlike a tick's, its text is no format. */
void plot_name(double y, const char *text, FILE *out);

/** plot_number - Makes a text of a number. */
typedef const char *plot_number(double value, char *out);

/** plot_axis() - Ticks of axis "x" or "y" from 0 to @high, at round numbers. */
void plot_axis(const char *axis, double high, plot_number *text, FILE *out);

/**
 * plot_log_axis() - Ticks of a logarithmic axis that holds @low to @high, both above 0: at 1, 2
 *   and 5 times powers of ten, or at these alone when there would be many.
 */
void plot_log_axis(const char *axis, double low, double high, plot_number *text, FILE *out);

/** plot_line() - How the line of number @i looks: colour, dashes, marks. */
void plot_line(size_t i, FILE *out);

#endif
