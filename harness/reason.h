#ifndef HARNESS_REASON_H
#define HARNESS_REASON_H

#include <stddef.h>

/**
 * DOC: Why a contestant failed, as one line of text: it is printed and goes into the record, so
 * it is handed back to the caller rather than printed where it is found.
 */

#define REASON_MAX 512 /* bytes of a reason, with its NUL */

/**
 * reason_set() - Format a reason.
 * @reason: REASON_MAX bytes; a text that is longer is cut between two characters.
 *
 * Return: -1, so that callers can `return reason_set(…)`.
 */
int reason_set(char *reason, const char *format, ...) __attribute__((format(printf, 2, 3)));

#define REASON_QUOTE 64 /* bytes that reason_quote() needs */

/**
 * reason_quote() - Bytes of a peer for a reason: in quotes, 48 at most, unprintable ones as '?'.
 * @out: REASON_QUOTE bytes. Return: @out.
 */
const char *reason_quote(const char *data, size_t len, char *out);

#endif
