#ifndef HARNESS_USAGE_H
#define HARNESS_USAGE_H

#include <stdint.h>
#include <sys/types.h>

struct proc_list;

/** struct usage - What a server has used so far, summed over its processes. */
struct usage {
	double cpu_user_s;
	double cpu_system_s;
	uint64_t max_rss_bytes; /* sum of each process's peak */
	uint64_t ctx_voluntary; /* context switches of all threads */
	uint64_t ctx_involuntary;
	uint64_t rss_bytes; /* resident now, summed over processes */
	unsigned processes;
	unsigned threads;
};

/**
 * usage_read() - Read the usage of all processes under @root, which is not counted itself.
 * @list: of this moment.
 *
 * CPU time is that of living and ended threads of living processes; a child that ended and was
 * waited for, be it by @root, is counted through its parent's cutime and cstime. The kernel counts
 * it in ticks, of 10 ms usually. Context switches are those of living threads.
 *
 * Return: 0, or -1 (no message) when no process is left there.
 */
int usage_read(const struct proc_list *list, pid_t root, struct usage *usage);

/** usage_sum() - As usage_read(), of what @list has alone: without max_rss_bytes and ctx_*, and
 * without reading a file. */
int usage_sum(const struct proc_list *list, pid_t root, struct usage *usage);

#endif
