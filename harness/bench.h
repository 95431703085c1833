#ifndef HARNESS_BENCH_H
#define HARNESS_BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "harness/config.h"

struct paths;

/**
 * DOC: What make bench compares is data: harness/plans/NAME.json.
 *
 *   name, title, pairs, duration, warmup, comparisons [one or more of]:
 *     name         of the row
 *     ours, peer   two contestants, loaded by rpcbench in turn; or
 *     server       one contestant, which rpcbench and wrk (gRPC: h2load) load in turn
 *     our_options, peer_options   where a server is given: more options of rpcbench load [texts].
 *                  With peer_options the peer is rpcbench, too
 *     call         of protos/expect
 *     connections, pipeline
 *     metric       a name from bench_metrics; of the servers, or of the clients
 *     bar          what the metric shall be, e.g. "<= 0.9" times the peer's, or "<= 32MiB"
 *     note         for readers of the report
 */

/** enum bench_metric - What is compared; an index of bench_metrics. */
enum bench_metric {
	BENCH_REQUESTS_PER_CPU_S,
	BENCH_CPU_US_PER_REQUEST,
	BENCH_RPS,
	BENCH_MAX_RSS_BYTES,
	BENCH_RSS_GROWTH,
};

/** bench_metrics - Their names in plans and records, ended by NULL. */
extern const char *const bench_metrics[];

/** struct bench_bar - A condition on the median. */
struct bench_bar {
	bool at_least; /* else at most */
	bool absolute; /* of our own value, else of the ratio ours : peer */
	double value;
};

/** struct bench_comparison - A row. Texts belong to the plan's file; NULL when not given. */
struct bench_comparison {
	const char *name;
	const char *ours;
	const char *peer;
	const char *server;
	const char *call;
	const char *bar_text;
	const char *note;
	const char **our_options;  /* ended by NULL */
	const char **peer_options; /* likewise */
	int64_t connections;
	int64_t pipeline;
	int metric; /* enum bench_metric */
	struct bench_bar bar;
};

struct bench {
	const char *name;
	const char *title;
	int64_t pairs;
	int64_t duration_ns; /* of a trial */
	int64_t warmup_ns;   /* before it, where a server is measured */
	struct bench_comparison *comparisons;
	size_t count;
	struct config file;
};

/**
 * bench_load() - Read a plan.
 *
 * Return: 0, to be freed by bench_free(); -1 after a message that names file, line and key.
 */
int bench_load(struct bench *bench, const struct paths *paths, const char *file);

/** bench_free() - Let go of what it owns; also of a zeroed struct. */
void bench_free(struct bench *bench);

/** bench_meets() - Whether @ratio of our median and the peer's, or our @own median, is enough. */
bool bench_meets(const struct bench_bar *bar, double ratio, double own);

#endif
