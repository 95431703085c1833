#ifndef HARNESS_DISTURBANCE_H
#define HARNESS_DISTURBANCE_H

#include <jansson.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>

#include "harness/proc.h"
#include "lib/clock.h"

/**
 * DOC: Was the machine ours while it was measured? Two looks at it, at both ends of the window,
 * tell what others used of its CPUs, what its host took away, whether it slept, and whether its
 * clocks jumped. METHOD.md "Disturbed trials" has the limits and why they are what they are.
 */

#define DISTURBANCE_FOREIGN_MAX   0.05               /* CPUs that others may use, */
#define DISTURBANCE_FOREIGN_MIN_S 0.05               /* of at least this: 5 ticks of 10 ms */
#define DISTURBANCE_STEAL_MAX     0.02               /* share of the window that a host may take */
#define DISTURBANCE_STEAL_MIN_S   0.05               /* of at least this */
#define DISTURBANCE_ASLEEP_NS     (50 * NS_PER_MS)   /* above: it slept */
#define DISTURBANCE_STEP_NS       (1 * NS_PER_S)     /* above: the time of day was set */
#define DISTURBANCE_STALL_NS      (1000 * NS_PER_MS) /* above: we did not run */

/** struct look - One look at it. A zeroed struct is none. */
struct look {
	struct proc_list processes; /* owned */
	int64_t monotonic_ns;
	int64_t boot_ns; /* goes on while the machine sleeps */
	int64_t real_ns; /* the time of day */
	double busy_s;   /* of the CPUs asked about: in processes */
	double steal_s;
	double own_s; /* CPU time of this process and all under it */
};

/** struct disturbance - What came between two looks. Zeroed: nothing. */
struct disturbance {
	double window_s;
	double foreign_cpu_s; /* of processes that are not under this one */
	double steal_s;
	int64_t asleep_ns;
	int64_t step_ns;  /* of the time of day; below 0: backwards */
	int64_t stall_ns; /* the longest time that this process did not run; from the caller */
	int cpus;
	pid_t busiest; /* of the foreign processes; 0: not known */
	char busiest_command[32];
	double busiest_s;
};

/**
 * look_take() - Look now.
 * @cpus: on which CPUs others count: those that server and client use. NULL: on all.
 *
 * Return: 0, to be freed by look_free(); -1 (no message) when /proc cannot be read.
 */
int look_take(struct look *look, const cpu_set_t *cpus);

/** look_free() - Let go of what it owns; also of a zeroed struct. */
void look_free(struct look *look);

/** disturbance_between() - What came between two looks, but for stall_ns. */
void disturbance_between(const struct look *before, const struct look *after, const cpu_set_t *cpus,
	struct disturbance *out);

/**
 * disturbance_counts() - Is a measurement between them to be repeated?
 * @reason: REASON_MAX bytes; all that speaks against it, in words.
 */
bool disturbance_counts(const struct disturbance *d, char *reason);

/** disturbance_object() - The figures for the record. Return: new, NULL without memory. */
json_t *disturbance_object(const struct disturbance *d);

#endif
