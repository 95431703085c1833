#ifndef LIB_UNITS_H
#define LIB_UNITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** units_parse_duration() - "250us", "10ms", "5s" or "5", "2m", "1h" to nanoseconds. */
bool units_parse_duration(const char *text, int64_t *ns);

/** units_parse_size() - "512", "16k" or "16KiB", "1M", "2G" (powers of 1024) to bytes. */
bool units_parse_size(const char *text, uint64_t *bytes);

/** units_parse_count() - "999", "0.5", "12.5k", "1M" (powers of 1000) to a number. */
bool units_parse_count(const char *text, double *count);

#define UNITS_TEXT 32 /* bytes that every text below fits in, with its NUL */

/**
 * units_duration() - A duration for people, in three or four digits: "812ns", "9.81us", "4.0s".
 * @out: UNITS_TEXT bytes. Return: @out.
 */
const char *units_duration(double ns, char *out);

/** units_count() - A count or rate for people: "999", "12.3k", "1.70M". Return: @out. */
const char *units_count(double count, char *out);

/** units_size() - Bytes for people, powers of 1024: "230B", "1.20KB", "3.4MB". Return: @out. */
const char *units_size(double bytes, char *out);

#endif
