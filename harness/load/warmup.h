#ifndef HARNESS_LOAD_WARMUP_H
#define HARNESS_LOAD_WARMUP_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/clock.h"

/**
 * DOC: When is a server warm? The verified replies of short windows of the warm-up are counted. It
 * lasts as long as was asked for, and then on until the last windows agree, up to a limit.
 *
 * That the last k of a run of measurements agree is the criterion of Georges, Buytaert, Eeckhout,
 * "Statistically Rigorous Java Performance Evaluation", OOPSLA 2007, section 3.2.3; they look at
 * the coefficient of variation of whole iterations. Of three values, a range of 5 % of their mean
 * is a coefficient of 2.5 to 2.9 %. The second term allows for what counting alone brings: counts
 * of mean n vary by about sqrt(n).
 */

#define WARMUP_ALIKE         3                 /* windows that must agree */
#define WARMUP_PARTS         4                 /* a window is this part of the warm-up, */
#define WARMUP_WINDOW_MIN_NS (100 * NS_PER_MS) /* but at least so long */
#define WARMUP_TOLERANCE     0.05              /* of the mean, between the most and the least, */
#define WARMUP_NOISE         3                 /* and as many square roots of it */
#define WARMUP_LIMIT         3                 /* times the warm-up asked for, then it ends */

/* From the decision to its end. Every load thread wakes within this, to learn when that is. */
#define WARMUP_LEAD_NS (60 * NS_PER_MS)

/** enum warmup_end - Whether the server was steady when it ended. */
enum warmup_end {
	WARMUP_UNKNOWN,
	WARMUP_STEADY,
	WARMUP_UNSTEADY,
};

/** struct warmup - The warm-up of a run. */
struct warmup {
	unsigned windows; /* looked at so far */
	enum warmup_end end;
	const char *reason; /* why that is unknown; not owned */
	/* Its own. */
	int64_t next_ns; /* when to look next; INT64_MAX: never */
	int64_t last_ns; /* the last time to look */
	int64_t window_ns;
	double least; /* replies of a window that says anything */
	double counts[WARMUP_ALIKE];
	int64_t seen_ns; /* at the last look; 0 before the first */
	uint64_t seen_ok;
};

/**
 * warmup_fixed() - One that ends when planned.
 * @reason: why nobody looks at it.
 */
struct warmup warmup_fixed(const char *reason);

/**
 * warmup_begin() - One that ends when it is steady.
 * @start_ns: when load begins.
 * @planned_ns: its least length.
 * @in_flight: requests; windows with fewer replies than that say nothing.
 *
 * Return: as warmup_fixed() if it is too short to look at.
 */
struct warmup warmup_begin(int64_t start_ns, int64_t planned_ns, uint64_t in_flight);

/**
 * warmup_look() - It is @next_ns or later.
 * @ok: verified replies since the load began.
 *
 * Return: true when it ends WARMUP_LEAD_NS from now; @end says how. False: look again at @next_ns.
 */
bool warmup_look(struct warmup *w, int64_t now_ns, uint64_t ok);

#endif
