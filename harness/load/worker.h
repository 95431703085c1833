#ifndef HARNESS_LOAD_WORKER_H
#define HARNESS_LOAD_WORKER_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "harness/load/load.h"
#include "lib/buf.h"

struct codec_ops;
struct conn;
struct pace;
struct reference;

/**
 * DOC: A worker is one thread of load: its own epoll, connections, buffers and record. Workers
 * share nothing but struct plan, which the main thread writes before it lets them go; what it
 * writes later is atomic.
 */

#define WORKER_RX_SIZE (256 << 10) /* bytes of one read, one buffer a thread */

/** struct plan - When things happen, on clock_ns(), and where workers and main thread meet. */
struct plan {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	unsigned connected;            /* workers that have tried all their connections once */
	unsigned finished;             /* workers that are done */
	bool go;                       /* the times are set: requests may begin */
	int64_t start_ns;              /* requests begin */
	_Atomic int64_t window_ns;     /* the window opens; INT64_MAX while that is not known */
	int64_t last_ns;               /* no request begins from here on, replies are waited for */
	_Atomic int64_t window_end_ns; /* it closes; moved to now to stop early */
};

struct worker {
	/* Set before the thread starts. */
	const struct load_params *params;
	const struct codec_ops *codec;
	struct plan *plan;
	void *shared;   /* of the codec, for this thread */
	uint64_t quota; /* requests left to begin; UINT64_MAX when the end is a time */
	size_t n_conns;
	struct pace *pace; /* NULL: closed loop */

	/* The thread's own. */
	struct conn *conns;
	int epoll_fd;
	char *rx;
	struct buf tx;
	int64_t now_ns;        /* of the read or tick being handled */
	int64_t window_ns;     /* the plan's, as of this turn of the loop */
	int64_t window_end_ns; /* likewise */
	bool running;          /* requests may begin */
	size_t open_conns;
	size_t next_conn;     /* open loop: that gets the next request */
	bool schedule_over;   /* open loop: record->unfinished is set */
	int64_t spun_ns;      /* open loop: spent in waiting without sleeping, within the window */
	uint32_t connects;    /* so far: their local addresses take turns */
	uint64_t inflight;    /* requests, whenever they began */
	uint64_t ok_count;    /* likewise */
	int64_t alive_ns;     /* when a reply or connection last came, or a connection was lost */
	uint64_t begun_total; /* since the thread began: requests, */
	uint64_t replied_total; /* and whole replies to them */

	/* Read by the main thread: the counter at any time, the rest after join. */
	_Atomic uint64_t ok_total;
	struct record *record;
	int64_t last_done_ns;
	double cpu_user_s; /* within the window */
	double cpu_system_s;
};

/** worker_open() - Allocate what the thread needs. Return: 0, or -1 after a message. */
int worker_open(struct worker *worker);

/** worker_run() - The thread; @arg is the worker. */
void *worker_run(void *arg);

/** worker_close() - Free everything; also after a failed open. */
void worker_close(struct worker *worker);

#endif
