#ifndef HARNESS_REPORT_GNUPLOT_H
#define HARNESS_REPORT_GNUPLOT_H

#include <stdbool.h>
#include <stddef.h>

struct buf;

/**
 * gnuplot_run() - Run gnuplot on a script, without the user's settings.
 * @script, @len: what it reads.
 * @out: what it prints is added.
 * @missing: set to whether there is no such program in PATH, which gives no message.
 *
 * Return: 0; -1 when it is missing, or after a message.
 */
int gnuplot_run(const char *script, size_t len, struct buf *out, bool *missing);

#endif
