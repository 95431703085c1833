#ifndef HARNESS_CLIENT_H
#define HARNESS_CLIENT_H

#include <sched.h>
#include <stdint.h>

#include "lib/slice.h"

struct paths;

/**
 * DOC: Load generators as programs, to compare them with each other: each runs as a process of
 * its own, says how many whole replies it got, and the kernel says what it used.
 */

enum client_tool { CLIENT_RPCBENCH, CLIENT_WRK, CLIENT_H2LOAD };

/** client_name() - As people call it. */
const char *client_name(enum client_tool tool);

/** struct client_params - One run of load by one thread. */
struct client_params {
	enum client_tool tool;
	const struct paths *paths; /* where the suite is */
	const char *url;           /* http:// for wrk, grpc:// for h2load */
	struct slice body;         /* of gRPC: the request message */
	int64_t connections;
	int64_t pipeline;
	int64_t seconds;            /* whole ones: wrk knows no others */
	const cpu_set_t *cpus;      /* where it may run; NULL = where we may */
	const char *const *options; /* more of rpcbench's own, ended by NULL; NULL = none */
};

#define CLIENT_OPTIONS 8 /* at most */

/** struct client_result - What it counted, and what it used from start to end. */
struct client_result {
	uint64_t requests; /* whole replies */
	uint64_t failed;   /* replies that were errors, and lost connections */
	double cpu_s;
	uint64_t max_rss_bytes;
	uint64_t half_rss_bytes; /* the peak until half of its time; 0 = not known */
};

/**
 * client_run() - Run a load generator to its end.
 *
 * Return: 0, or -1 after a message when it did not run, did not end, or said nothing usable;
 *   -1 also when Ctrl-C was pressed.
 */
int client_run(const struct client_params *params, struct client_result *result);

/** client_parse() - Read what @tool printed. Return: 0, or -1 when the counts are not there. */
int client_parse(enum client_tool tool, const char *output, struct client_result *result);

#endif
