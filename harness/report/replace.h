#ifndef HARNESS_REPORT_REPLACE_H
#define HARNESS_REPORT_REPLACE_H

#include <stdio.h>

/** replace_print - Prints the new text of a file. Return: 0, or -1 with errno. */
typedef int replace_print(const void *ctx, FILE *out);

/**
 * replace_file() - Write a file so that readers see its old or its new text and nothing between.
 * @path: written through a temporary file in the same folder, which takes its place once it is
 *   on disk. What is no regular file, such as /dev/stdout, is written to directly.
 * @ctx: for @print.
 *
 * Return: 0, or -1 after a message, with the old file as it was and no temporary one left.
 */
int replace_file(const char *path, replace_print *print, const void *ctx);

#endif
