#ifndef HARNESS_PROC_H
#define HARNESS_PROC_H

#include <dirent.h>
#include <stdint.h>
#include <sys/types.h>

/** struct proc_stat - What /proc/PID/stat says; times in seconds. Source: proc(5). */
struct proc_stat {
	char command[32];
	char state; /* 'Z' and 'X': ended */
	pid_t parent;
	pid_t group;
	double user_s; /* of all its threads, ended ones too */
	double system_s;
	double children_user_s; /* of children that it waited for */
	double children_system_s;
	unsigned threads;
};

/** proc_stat() - Read it. Return: 0, or -1 (no message) when there is no such process. */
int proc_stat(pid_t pid, struct proc_stat *stat);

/**
 * proc_next() - The next process in a folder of processes or threads.
 * @folder: from opendir("/proc") or of a task folder.
 *
 * Return: its id, or 0 after the last.
 */
pid_t proc_next(DIR *folder);

/** proc_next_in() - As proc_next() for /proc, of the processes in @group alone. */
pid_t proc_next_in(DIR *folder, pid_t group);

/** proc_group_alive() - How many processes of @group have not ended. */
unsigned proc_group_alive(pid_t group);

#endif
