#ifndef HARNESS_TRIAL_H
#define HARNESS_TRIAL_H

#include <jansson.h>
#include <limits.h>
#include <stdint.h>

#include "harness/reason.h"

struct call;
struct pin;
struct plan_entry;
struct progress;
struct round;
struct suite;

/** enum trial_end - How a trial ended. */
enum trial_end {
	TRIAL_MEASURED,
	TRIAL_FAILED,      /* the trial says why, with numbers if there are some */
	TRIAL_INTERRUPTED, /* by the user: it does not count */
};

/** struct trial_params - Everything is borrowed. */
struct trial_params {
	const struct suite *suite;
	const struct round *round;
	const struct call *call;
	const struct plan_entry *entry;
	const struct pin *pin;
	uint64_t seed; /* of Poisson arrivals */
	struct progress *progress;
};

/** struct trial - What came of it. */
struct trial {
	json_t *json;               /* for the record, owned; NULL when interrupted */
	char log[PATH_MAX];         /* the server's output, kept when it failed; else empty */
	char disturbed[REASON_MAX]; /* why it should be repeated: see disturbance.h; else empty */
};

/** trial_load_threads() - How many threads load a contestant. */
int64_t trial_load_threads(const struct plan_entry *entry, const struct pin *pin);

/**
 * trial_run() - One trial: start the server, verify it, warm it up, measure it, verify it again,
 *   stop it. Nothing of it is left running.
 *
 * The second verification finds what a first cannot: a Date that stands still, and a server
 * that answers wrongly once it was under load.
 */
enum trial_end trial_run(const struct trial_params *params, struct trial *trial);

#endif
