#ifndef HARNESS_SERVER_H
#define HARNESS_SERVER_H

#include <limits.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>

#include "harness/process.h"

struct contestant;
struct suite;

/** struct server - A contestant's process and the log of its output. */
struct server {
	const struct contestant *contestant;
	struct process process;
	char log[PATH_MAX];        /* empty while there is none */
	struct server *companions; /* that run beside it, owned */
	size_t companion_count;
};

/**
 * server_start() - Start a contestant as its manifest says, after its companions, and wait until
 *   it is ready.
 * @cpus: where it may run; NULL = anywhere.
 * @reason: REASON_MAX bytes; why it failed, with the last line of its output.
 *
 * Return: 0 or -1 with @reason; end with server_stop() in both cases.
 */
int server_start(struct server *server, const struct suite *suite, const struct contestant *c,
	int64_t threads, const cpu_set_t *cpus, char *reason);

/**
 * server_ended() - Has it, or one of its companions, ended by itself?
 * @reason: REASON_MAX bytes; how, with the companion's name.
 */
bool server_ended(struct server *server, char *reason);

/**
 * server_is_joined() - Does somebody else listen on its port, or that of a companion, too?
 * @reason: REASON_MAX bytes; who, and where.
 */
bool server_is_joined(const struct server *server, char *reason);

/**
 * server_count() - How many requests it says it has answered.
 * @reason: REASON_MAX bytes; why it does not say.
 */
bool server_count(struct server *server, uint64_t *requests, char *reason);

/**
 * server_stop() - Stop it, then its companions, the last first.
 * @keep_log: it failed: its output, if any, stays, as server->log says. Else that is removed.
 *
 * Return: false when it had to be killed.
 */
bool server_stop(struct server *server, bool keep_log);

#endif
