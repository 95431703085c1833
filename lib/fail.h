#ifndef LIB_FAIL_H
#define LIB_FAIL_H

/**
 * DOC: Messages go to stderr, one line each, as "PROGRAM: TEXT". A problem is printed where it
 * is first seen; callers only pass the failure on. Library code never exits.
 */

/** fail_set_program() - The name in front of each message (transfer none). */
void fail_set_program(const char *name);

/** fail_msg() - Print one message. Return: -1, so that callers can `return fail_msg(…)`. */
int fail_msg(const char *format, ...) __attribute__((format(printf, 1, 2)));

/** fail_errno() - As fail_msg(), with ": " and the text of errno. Keeps errno. Return: -1. */
int fail_errno(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
