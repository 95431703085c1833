#ifndef HARNESS_PROC_H
#define HARNESS_PROC_H

#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/** struct proc_stat - What /proc/PID/stat says; times in seconds. Source: proc(5). */
struct proc_stat {
	char command[32];
	char state; /* 'Z' and 'X': ended */
	pid_t parent;
	pid_t group;
	bool kernel;   /* a thread of the kernel */
	double user_s; /* of all its threads, ended ones too */
	double system_s;
	double children_user_s; /* of children that it waited for */
	double children_system_s;
	unsigned threads;
	unsigned long long started; /* ticks since boot: with the pid, it names one process */
	uint64_t rss_bytes;         /* resident now; the kernel may be a few pages behind */
};

/** proc_stat() - Read it. Return: 0, or -1 (no message) when there is no such process. */
int proc_stat(pid_t pid, struct proc_stat *stat);

/** proc_has_ended() - A process that only waits to be reaped has. */
bool proc_has_ended(const struct proc_stat *stat);

/**
 * proc_next() - The next process in a folder of processes or threads.
 * @folder: from opendir("/proc") or of a task folder.
 *
 * Return: its id, or 0 after the last.
 */
pid_t proc_next(DIR *folder);

/** proc_group_alive() - How many processes of @group have not ended. */
unsigned proc_group_alive(pid_t group);

/**
 * proc_kill_children() - Kill and reap the children of this process.
 * @spare: true for one that is left alone; NULL: none is.
 *
 * Return: how many of them had not ended by themselves. Their own children may be ours by then.
 */
unsigned proc_kill_children(bool (*spare)(pid_t pid));

/** struct proc_entry - A process of a list. */
struct proc_entry {
	pid_t pid;
	struct proc_stat stat;
};

/** struct proc_list - All processes at one time, by rising pid. A zeroed struct is empty. */
struct proc_list {
	struct proc_entry *entries; /* owned */
	size_t n;
};

/** proc_list_read() - Read all that can be read. Return: 0, to be freed; -1 with errno. */
int proc_list_read(struct proc_list *list);

/**
 * proc_list_again() - As proc_list_read(), but takes from @known, an earlier list, what it has of
 *   processes that were no descendants of @root.
 *
 * So it costs one listing of /proc and the files of a few processes instead of one of each.
 */
int proc_list_again(struct proc_list *list, const struct proc_list *known, pid_t root);

/** proc_list_free() - Let go of what it owns. */
void proc_list_free(struct proc_list *list);

/** proc_list_find() - Return: the process @pid, or NULL. */
const struct proc_entry *proc_list_find(const struct proc_list *list, pid_t pid);

/**
 * proc_list_is_under() - Is @entry a child of @root, or of one, and so on? It is not its own.
 *
 * Neither setpgid() nor setsid() changes that, and whoever loses its parent becomes a child of
 * the nearest subreaper: see process.h.
 */
bool proc_list_is_under(const struct proc_list *list, const struct proc_entry *entry, pid_t root);

#endif
