#ifndef HARNESS_REPORT_SVG_H
#define HARNESS_REPORT_SVG_H

#include <stdio.h>

/**
 * DOC: gnuplot's drawings as files for pages: with a title for those who hear them, without
 * gnuplot's version, and with a second set of colours that a reader's preference for dark pages
 * chooses. Each drawing has a background of its own, so it can be read on any page. Where CSS
 * is not understood it is a light one.
 */

/* Colours that a dark page changes; all else is read on both. */
#define SVG_PAPER "#ffffff"
#define SVG_INK   "#1f2328" /* text and whiskers */
#define SVG_AXIS  "#57606a"
#define SVG_GRID  "#d0d7de"

/** svg_text() - Print @text with what XML reads escaped, and control characters as '?'. */
void svg_text(const char *text, FILE *out);

/**
 * svg_print() - Print a drawing.
 * @drawn: what gnuplot's svg terminal made, a text.
 * @title: what it shows.
 *
 * Return: 0, or -1 after a message when @drawn is no such drawing.
 */
int svg_print(const char *drawn, const char *title, FILE *out);

#endif
