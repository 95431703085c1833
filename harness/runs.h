#ifndef HARNESS_RUNS_H
#define HARNESS_RUNS_H

#include <stdbool.h>
#include <sys/types.h>

/**
 * DOC: Runs of this user on this machine. Each has a file in XDG_RUNTIME_DIR/rpcbench, or in
 * /tmp/rpcbench-UID, which it holds locked as long as it lives, and in which it notes what it
 * starts: by pid and start time, so that a pid that was given to somebody else is told apart.
 */

/**
 * runs_open() - Begin a run: end and name what an earlier one left behind, name others that are
 *   in progress, and hold a file of our own.
 * @command: as typed, for others to read.
 *
 * Nothing of it keeps a run from going on; what does not work is said.
 */
void runs_open(const char *command);

/** runs_note() - A process of ours was started. Without runs_open() nothing happens. */
void runs_note(pid_t pid, const char *name);

/** runs_close() - The run is over and has left nothing. */
void runs_close(void);

#endif
