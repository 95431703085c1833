#ifndef SERVERS_CITIES_PROXY_FETCH_H
#define SERVERS_CITIES_PROXY_FETCH_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

#include "lib/buf.h"
#include "servers/common/http1.h"

struct event_base;
struct fetch;
struct proxy;

#define FETCH_ERROR_MAX 96 /* bytes of an error with its NUL */

/**
 * struct leg - A way to the upstream. Its calls never answer a client: what is over goes to
 * fetch_done(), and is answered from the event loop.
 */
struct leg {
	/* Ask the upstream. */
	void (*start)(void *state, struct fetch *fetch);
	/* Nobody waits for @fetch any more: let the upstream know. */
	void (*cancel)(void *state, struct fetch *fetch);
};

/** struct fetch - A request of a client, and what is asked of the upstream for it. */
struct fetch {
	struct http1_later later; /* first */
	struct proxy *proxy;
	const struct leg *leg;
	void *leg_state;
	int (*answer)(struct fetch *fetch, struct http1_reply *reply); /* with the body */
	TAILQ_ENTRY(fetch) timed; /* while it is not done; by their deadlines */
	TAILQ_ENTRY(fetch) turn;  /* in a leg's queue, then in that of those that are done */
	int64_t start_ns;
	enum { FETCH_RUNS, FETCH_DONE, FETCH_READY } stage;
	int status;                  /* 200, or that of the error */
	char error[FETCH_ERROR_MAX]; /* plain ASCII, without quotes */
	struct buf body;             /* what the upstream sent */

	/* the leg's own */
	void *at;     /* the connection or call that serves it; NULL = it waits */
	bool retried; /* a connection was lost before the upstream said a word */
};

TAILQ_HEAD(fetches, fetch);

/** fetch_done() - The body is complete. */
void fetch_done(struct fetch *fetch);

/** fetch_failed() - Answer with @status, 502 or 504, and a reason. */
void fetch_failed(struct fetch *fetch, int status, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#endif
