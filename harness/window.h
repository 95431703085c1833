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
};

/** struct window - What is looked at while a trial is measured. */
struct window {
	const cpu_set_t *cpus;   /* that server and client use, borrowed; NULL: all */
	int64_t opened_ns;       /* 0 before */
	struct window_used used; /* by the contestant */
	struct window_used companions[MANIFEST_COMPANIONS]; /* and by those beside it */
	struct look begin;
	struct look end;
	int64_t seen_ns;  /* when we last ran */
	int64_t stall_ns; /* the longest that we did not */
};

/** window_look() - It opens, or (@end) has closed: look at everything. */
void window_look(struct window *w, const struct server *server, bool end);

/** window_tick() - We run. Called ten times a second as long as we do. */
void window_tick(struct window *w);

/** window_companions() - What each used, apart. @ok: verified replies. Return: new. */
json_t *window_companions(const struct window *w, const struct server *server, uint64_t ok);

/** window_disturbance() - What came between. Return: false when it is not known. */
bool window_disturbance(const struct window *w, struct disturbance *d);

/** window_free() - Let go of what it owns; also of a zeroed struct. */
void window_free(struct window *w);

#endif
