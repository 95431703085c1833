#ifndef HARNESS_WINDOW_H
#define HARNESS_WINDOW_H

#include <jansson.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>

#include "harness/disturbance.h"
#include "harness/manifest.h"
#include "harness/usage.h"

struct server;

/** struct window_used - What the processes of a server had used at both ends of the window. */
struct window_used {
	bool has_before;
	bool has_after;
	struct usage before;
	struct usage after;
	double sampled_s;   /* CPU time at the last sample */
	json_t *per_second; /* [{t_s, cpu_percent, rss_bytes}], owned */
};

/** struct window - What is looked at while a trial is measured. */
struct window {
	const cpu_set_t *cpus;   /* that server and client use, borrowed; NULL: all */
	int64_t opened_ns;       /* 0 before */
	struct window_used used; /* by the contestant */
	struct window_used companions[MANIFEST_COMPANIONS]; /* and by those beside it */
	struct look begin;
	struct look end;
	int64_t sampled_ns; /* when seconds were last added */
	int64_t seconds;    /* of it that were sampled by window_tick() */
	int64_t seen_ns;    /* when we last ran */
	int64_t stall_ns;   /* the longest that we did not */
};

/** window_look() - It opens, or (@end) has closed: look at everything. */
void window_look(struct window *w, const struct server *server, bool end);

/** window_tick() - We run. Called ten times a second as long as we do; once a second it takes a
 * sample of what the server uses. */
void window_tick(struct window *w, const struct server *server);

/**
 * window_per_second() - What the server used in each second of the window.
 *
 * An entry has t_s, when it begins; cpu_percent, of one CPU, of all processes; rss_bytes, resident
 * at its end. Ends are where a tick falls, so up to 0.1 s late. The last one is as long as is left,
 * and is missing if that is less than half a second.
 *
 * Return: a new reference.
 */
json_t *window_per_second(const struct window_used *used);

/** window_companions() - What each used, apart. @ok: verified replies. Return: new. */
json_t *window_companions(const struct window *w, const struct server *server, uint64_t ok);

/** window_disturbance() - What came between. Return: false when it is not known. */
bool window_disturbance(const struct window *w, struct disturbance *d);

/** window_free() - Let go of what it owns; also of a zeroed struct. */
void window_free(struct window *w);

#endif
