#ifndef HARNESS_LOAD_LOAD_H
#define HARNESS_LOAD_LOAD_H

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>

#include "harness/load/record.h"
#include "harness/load/source.h"
#include "harness/load/target.h"
#include "harness/load/warmup.h"
#include "lib/slice.h"

/** enum load_verify - How much of each reply is checked; each level includes those after it. */
enum load_verify {
	VERIFY_FULL,   /* every byte of the body */
	VERIFY_LENGTH, /* the body's length */
	VERIFY_STATUS, /* status and framing */
	VERIFY_OFF,    /* framing only */
};

#define LOAD_THREADS_MAX 256

/** struct load_params - One run of load. Everything it points to is borrowed. */
struct load_params {
	const struct target *target;
	int64_t connections;
	int64_t pipeline; /* requests in flight a connection, at most */
	int64_t threads;
	int64_t duration_ns;              /* of the window; ignored when requests > 0 */
	uint64_t requests;                /* end after exactly this many; 0 = by duration */
	double rate;                      /* requests a second, of all threads; 0 = closed loop */
	int arrival;                      /* enum pace_arrival */
	uint64_t seed;                    /* of Poisson arrivals */
	bool drain;                       /* wait for what is in flight when @duration_ns is over */
	int64_t warmup_ns;                /* the same load before the window, not counted */
	bool until_steady;                /* in a closed loop with a @duration_ns, warm up for
					   * longer if need be: see warmup.h */
	int64_t timeout_ns;               /* of a request from its write on, and of a connect */
	int verify;                       /* enum load_verify */
	bool keep_alive;                  /* false: one request a connection */
	uint64_t requests_per_connection; /* 0 = no limit */
	const char *method;               /* HTTP */
	const char *const *headers;       /* HTTP, "Name: value", ended by NULL; may be NULL */
	struct slice body;                /* HTTP: the request's body. Thrift: arguments in the text
					   * form of Thrift's JSON protocol, empty for none */
	struct slice expect_body; /* what each reply must carry; data NULL: the first reply's */
	struct source source;     /* local addresses to connect from */
	bool pin;                 /* threads to @cpus, one each, in turn */
	cpu_set_t cpus;
};

/** struct load_progress - Where a run stands. */
struct load_progress {
	bool warming_up;
	int64_t elapsed_ns; /* of the warm-up or the window */
	int64_t total_ns;   /* 0 when the end is a number of requests */
	uint64_t ok;        /* verified replies so far, warm-up included */
};

/** struct load_watch - Hooks of the caller, run on the thread that called load_run(). */
struct load_watch {
	void *ctx;
	/* The window opens (@end false) or has closed (true): for usage snapshots. Optional. */
	void (*window)(void *ctx, bool end);
	/* Called about ten times a second. Return: non-zero to stop at once. Optional. */
	int (*progress)(void *ctx, const struct load_progress *progress);
};

/** struct load_result - What was measured. */
struct load_result {
	struct record *record;  /* of all threads, owned */
	int64_t window_ns;      /* its real length */
	int64_t warmup_ns;      /* likewise, of the time before it */
	struct warmup warmup;   /* what was seen in that */
	uint64_t begun_total;   /* requests, of all threads, from the start of the warm-up on */
	uint64_t replied_total; /* whole replies likewise */
	bool stopped;           /* by the caller, before its planned end */
	bool learned;           /* the expected body came from the first reply */
	double cpu_user_s;      /* of the load threads within the window */
	double cpu_system_s;
	double cpu_busiest; /* share of the window that the busiest thread had work for, 0 to 1 */
	double spun_s;      /* CPU time of all threads that was spent in waiting for planned
			     * instants without sleeping */
	char clock_source[32]; /* of the kernel: "tsc"; empty when unknown */
	int64_t clock_cost_ns; /* of one reading of the clock */
};

/**
 * load_run() - Open the connections, warm up, measure, close.
 * @params: checked here; a combination that cannot work is refused with a message.
 * @watch: may be NULL.
 * @result: filled unless -1 is returned; end with load_result_free().
 *
 * Return: 0 when it was measured, whatever the replies were; -1 after a message when it could
 *   not even start (unusable parameters, too few file descriptors, no memory).
 */
int load_run(const struct load_params *params, const struct load_watch *watch,
	struct load_result *result);

/** load_result_free() - Let go of what it owns. */
void load_result_free(struct load_result *result);

#endif
