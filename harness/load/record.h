#ifndef HARNESS_LOAD_RECORD_H
#define HARNESS_LOAD_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "harness/load/histogram.h"
#include "harness/load/outcome.h"
#include "harness/load/pace.h"

#define RECORD_STATUS_MAX  600  /* HTTP status and gRPC codes are below this; others count at 0 */
#define RECORD_SERIES_MAX  3600 /* seconds of a time series; later ones are not kept */
#define RECORD_COARSE_BITS 4    /* sub-buckets an octave of a second's own histogram: 6 % wide */
#define RECORD_COARSE      ((HISTOGRAM_MAX_BITS - HISTOGRAM_SUB_BITS + 1) << RECORD_COARSE_BITS)

/** struct record_second - One second of the window. */
struct record_second {
	uint64_t ok;
	uint64_t failed;
	uint64_t timed_out; /* of the failed ones */
	uint64_t rx_bytes;
	uint32_t latency[RECORD_COARSE]; /* of the ok ones */
};

/**
 * struct record - What one worker counted within the window; merged after join.
 *
 * One flat piece of memory without pointers; large, but only what was counted is ever touched.
 * Invariant at the end: sent = sum of outcomes[0 .. OUT_REQUEST_KINDS) + inflight_at_end.
 */
struct record {
	uint64_t sent;      /* requests begun within the window */
	uint64_t completed; /* whole replies to them, right or wrong */
	uint64_t outcomes[OUT_KINDS];
	uint64_t status_codes[RECORD_STATUS_MAX];
	uint64_t inflight_at_end;
	int64_t oldest_inflight_ns; /* age at the end of the window, 0 when none */
	uint64_t inflight_sum_ns;   /* ages of all in flight at the end: for Little's law */
	uint64_t carried_sum_ns;    /* time within the window of requests begun before: likewise */
	uint64_t rx_bytes;          /* of whole replies, on the wire */
	uint64_t tx_bytes;          /* of requests, on the wire */
	uint64_t established;       /* connections that were set up at least once */
	uint64_t served;            /* connections that got at least one whole reply */
	uint64_t reconnects;        /* connections set up again within the window */
	struct histogram ok;        /* latency of OUT_OK */
	struct histogram failed;    /* time to every other end of a request */
	struct histogram timed_out; /* of these, the time-outs: the reply would have taken longer */
	struct pace_counts pace;    /* open loop; see METHOD.md for these four */
	uint64_t answered;          /* ended otherwise than by a time-out, whenever planned */
	uint64_t unfinished;        /* without an end when the schedule ended */
	struct histogram service;   /* of OUT_OK, from the write */
	struct histogram service_timed_out; /* of OUT_TIMEOUT likewise */
	struct histogram send_lag; /* from planned instant to write, where a slot was free */
	size_t seconds;            /* of the series that hold something */
	struct record_second series[RECORD_SERIES_MAX];
};

/** record_new() - An empty record. Return: owned by the caller, or NULL with errno ENOMEM. */
struct record *record_new(void);

/** record_free() - Also of NULL. */
void record_free(struct record *r);

/**
 * record_done() - Count the end of one request.
 * @start_ns, @end_ns: just before its write, just after the read that completed its reply.
 * @second: the second of the window that @end_ns lies in.
 * @bytes: of its reply on the wire; 0 when that is not whole.
 *
 * Never allocates, never fails.
 */
void record_done(struct record *r, enum outcome outcome, int64_t start_ns, int64_t end_ns,
	size_t second, size_t bytes);

/** record_merge() - Add @from to @into. Associative and commutative. */
void record_merge(struct record *into, const struct record *from);

/** record_failed() - Requests that ended otherwise than OUT_OK. */
uint64_t record_failed(const struct record *r);

/** record_second_quantile() - Of one second's latencies, in ns; -1 when it has none. */
int64_t record_second_quantile(const struct record_second *second, double q);

#endif
