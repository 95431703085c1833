#ifndef HARNESS_LOAD_CONN_H
#define HARNESS_LOAD_CONN_H

#include <stdbool.h>
#include <stdint.h>

#include "harness/codec/codec.h"
#include "lib/buf.h"

struct worker;

enum conn_state {
	CONN_CLOSED, /* waits for reopen_ns */
	CONN_CONNECTING,
	CONN_OPEN,
};

/** struct conn - One connection, set up again for as long as the load lasts. */
struct conn {
	struct worker *worker;
	enum conn_state state;
	int fd;
	uint32_t depth;
	uint32_t inflight;
	int64_t *start_ns;    /* by slot: before its write; 0 = free */
	int64_t *planned_ns;  /* by slot: its planned instant; NULL in a closed loop */
	uint32_t *free_slots; /* a ring: that which has been free for longest is at free_head */
	uint32_t free_head;
	bool unsent;       /* conn_take() has begun requests since conn_send_taken() */
	uint64_t begun;    /* requests on this connection since it was set up */
	uint64_t replies;  /* whole replies likewise */
	int64_t opened_ns; /* when connect() was called */
	int64_t heard_ns;  /* when bytes last came */
	int64_t reopen_ns; /* when to try again; 0 = not tried yet */
	int64_t backoff_ns;
	bool reset; /* the socket said so to a write: it will not say so again */
	bool was_established;
	bool was_served;
	struct buf out; /* what the socket did not take */
	struct codec_env env;
	void *codec; /* its state */
};

/** conn_init() - Allocate. Return: 0, or -1 with ENOMEM. */
int conn_init(struct conn *c, struct worker *worker);

/** conn_free() - Close and free; also of a zeroed struct. */
void conn_free(struct conn *c);

/** conn_open() - Begin to connect. A failure is counted and tried again after a back-off. */
void conn_open(struct conn *c);

/** conn_start() - Begin requests, where the connection is open and may. */
void conn_start(struct conn *c);

/**
 * conn_take() - Open loop: begin the oldest request of the backlog here, as of worker->now_ns; it
 *   is sent by conn_send_taken().
 *
 * Return: false when the connection can not take one now.
 */
bool conn_take(struct conn *c);

/** conn_send_taken() - Send what conn_take() has begun. */
void conn_send_taken(struct conn *c);

/** conn_event() - What epoll reported. */
void conn_event(struct conn *c, uint32_t events);

/** conn_tick() - Time-outs and reconnects, as of worker->now_ns. */
void conn_tick(struct conn *c);

/** conn_settle() - At the end: count what is still in flight. */
void conn_settle(struct conn *c);

#endif
