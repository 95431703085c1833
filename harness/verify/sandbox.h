#ifndef HARNESS_VERIFY_SANDBOX_H
#define HARNESS_VERIFY_SANDBOX_H

#include <stdint.h>

struct buf;

/**
 * sandbox_run() - Run a function in a child process with little memory and little time.
 *
 * For libraries that abort, or take gigabytes, when the bytes they are given are hostile. GLib
 * ends the process when memory is short, and c_glib takes a frame's length at its word.
 *
 * @fn: returns 0 with bytes in @out, or -1 with @reason; both get back to the caller.
 * @timeout_ns: after that the child is killed.
 * @out: what @fn appended is appended, up to some MiB.
 * @reason: REASON_MAX bytes; also says how the child ended otherwise.
 *
 * Return: what @fn returned, or -1 with @reason.
 */
int sandbox_run(int (*fn)(void *arg, struct buf *out, char *reason), void *arg, int64_t timeout_ns,
	struct buf *out, char *reason);

#endif
