#ifndef HARNESS_PROGRESS_H
#define HARNESS_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct load_progress;

/**
 * DOC: How far a round is, on stderr: one line that is rewritten where that is a terminal, else a
 * line for each trial.
 */

/** struct progress - Zeroed fields are the round's beginning. */
struct progress {
	bool live;
	size_t done; /* trials, of all contestants */
	size_t total;
	int64_t trial_ns; /* planned length of one */
	int64_t started_ns;
	int64_t trial_started_ns;
	char label[96]; /* the trial at hand */
	bool in_window;
	uint64_t ok_before; /* replies before the window */
};

/** progress_begin() - @total trials of about @trial_ns each. */
void progress_begin(struct progress *p, size_t total, int64_t trial_ns);

/** progress_trial() - A trial begins; @label names it. */
void progress_trial(struct progress *p, const char *label);

/** progress_stage() - What goes on before and after its load, e.g. "starting". */
void progress_stage(struct progress *p, const char *stage);

/** progress_load() - Where its load stands. */
void progress_load(struct progress *p, const struct load_progress *load);

/** progress_done() - It is over; @outcome, e.g. "61.2k requests/s". */
void progress_done(struct progress *p, const char *outcome);

/** progress_clear() - Make room for a message. */
void progress_clear(const struct progress *p);

#endif
