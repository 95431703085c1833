#ifndef HARNESS_USAGE_H
#define HARNESS_USAGE_H

#include <stdint.h>
#include <sys/types.h>

/** struct usage - What a process group has used so far, summed over its processes. */
struct usage {
	double cpu_user_s;
	double cpu_system_s;
	uint64_t max_rss_bytes; /* sum of each process's peak */
	uint64_t ctx_voluntary; /* context switches of all threads */
	uint64_t ctx_involuntary;
	unsigned processes;
	unsigned threads;
};

/**
 * usage_read() - Read the usage of process group @group from /proc.
 *
 * CPU time is that of living and ended threads of living processes; a child that ended and was
 * waited for is counted through its parent's cutime and cstime. The kernel counts it in ticks,
 * of 10 ms usually. Context switches are those of living threads.
 *
 * Return: 0, or -1 (no message) when no process of the group is left.
 */
int usage_read(pid_t group, struct usage *usage);

#endif
