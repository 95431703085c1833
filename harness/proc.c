#include <sys/wait.h>
#include <signal.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/proc.h"

#define KERNEL_THREAD 0x00200000 /* PF_KTHREAD of linux/sched.h */

/* A file of /proc as text. Return: 0 or -1. */
static int read_file(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t len;

	if (fd < 0)
		return -1;
	len = read(fd, text, size - 1);
	close(fd);
	if (len <= 0)
		return -1;
	text[len] = '\0';
	return 0;
}

int proc_stat(pid_t pid, struct proc_stat *stat)
{
	const double tick_s = 1.0 / (double)sysconf(_SC_CLK_TCK);
	unsigned long long user;
	unsigned long long system;
	long long pages;
	long long children_user;
	long long children_system;
	unsigned flags;
	char text[1024];
	char path[64];
	char *name;
	char *end;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	if (read_file(path, text, sizeof(text)) != 0)
		return -1;
	/* The command is in brackets and may hold any byte: its end is the last bracket. */
	name = strchr(text, '(');
	end = strrchr(text, ')');
	if (name == NULL || end == NULL || end < name)
		return -1;
	*end = '\0';
	*stat = (struct proc_stat){0};
	snprintf(stat->command, sizeof(stat->command), "%s", name + 1);
	if (sscanf(end + 1,
		    " %c %d %d %*d %*d %*d %u %*u %*u %*u %*u %llu %llu %lld %lld %*d %*d %u "
		    "%*d %llu %*u %lld",
		    &stat->state, &stat->parent, &stat->group, &flags, &user, &system,
		    &children_user, &children_system, &stat->threads, &stat->started, &pages) != 11)
		return -1;
	stat->rss_bytes = (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE);
	stat->kernel = (flags & KERNEL_THREAD) != 0;
	stat->user_s = (double)user * tick_s;
	stat->system_s = (double)system * tick_s;
	stat->children_user_s = (double)children_user * tick_s;
	stat->children_system_s = (double)children_system * tick_s;
	return 0;
}

bool proc_has_ended(const struct proc_stat *stat)
{
	return stat->state == 'Z' || stat->state == 'X';
}

pid_t proc_next(DIR *folder)
{
	struct dirent *entry;

	while ((entry = readdir(folder)) != NULL) {
		char *end;
		long id = strtol(entry->d_name, &end, 10);

		if (*end == '\0' && id > 0)
			return (pid_t)id;
	}
	return 0;
}

unsigned proc_group_alive(pid_t group)
{
	DIR *folder = opendir("/proc");
	struct proc_stat stat;
	unsigned alive = 0;
	pid_t pid;

	if (folder == NULL)
		return 0;
	/* Asking the kernel for a number is far cheaper than reading a file of each. */
	while ((pid = proc_next(folder)) != 0)
		if (getpgid(pid) == group && proc_stat(pid, &stat) == 0 && !proc_has_ended(&stat))
			alive++;
	closedir(folder);
	return alive;
}

static int by_pid(const void *a, const void *b)
{
	pid_t first = ((const struct proc_entry *)a)->pid;
	pid_t second = ((const struct proc_entry *)b)->pid;

	return (first > second) - (first < second);
}

/* What is known of @pid and need not be read again; NULL: it must be read. */
static const struct proc_entry *find_known(const struct proc_list *known, pid_t pid, pid_t root)
{
	const struct proc_entry *entry = proc_list_find(known, pid);

	return entry != NULL && !proc_list_is_under(known, entry, root) ? entry : NULL;
}

int proc_list_again(struct proc_list *list, const struct proc_list *known, pid_t root)
{
	DIR *folder = opendir("/proc");
	size_t room = 0;
	pid_t pid;

	*list = (struct proc_list){0};
	if (folder == NULL)
		return -1;
	while ((pid = proc_next(folder)) != 0) {
		const struct proc_entry *entry = find_known(known, pid, root);

		if (list->n == room) {
			struct proc_entry *entries;

			room = room > 0 ? 2 * room : 256;
			entries = reallocarray(list->entries, room, sizeof(*entries));
			if (entries == NULL)
				goto err0;
			list->entries = entries;
		}
		list->entries[list->n].pid = pid;
		if (entry != NULL)
			list->entries[list->n++] = *entry;
		else if (proc_stat(pid, &list->entries[list->n].stat) == 0)
			list->n++;
	}
	closedir(folder);
	if (list->n > 0)
		qsort(list->entries, list->n, sizeof(*list->entries), by_pid);
	return 0;

err0:
	closedir(folder);
	proc_list_free(list);
	return -1;
}

int proc_list_read(struct proc_list *list)
{
	static const struct proc_list none;

	return proc_list_again(list, &none, 0);
}

void proc_list_free(struct proc_list *list)
{
	free(list->entries);
	*list = (struct proc_list){0};
}

const struct proc_entry *proc_list_find(const struct proc_list *list, pid_t pid)
{
	const struct proc_entry wanted = {.pid = pid};

	if (list->n == 0)
		return NULL;
	return bsearch(&wanted, list->entries, list->n, sizeof(wanted), by_pid);
}

bool proc_list_is_under(const struct proc_list *list, const struct proc_entry *entry, pid_t root)
{
	/* The list is no snapshot: a bound, lest a pid that was given anew makes a circle. */
	for (size_t depth = 0; entry != NULL && depth < list->n; depth++) {
		if (entry->stat.parent == root)
			return true;
		entry = proc_list_find(list, entry->stat.parent);
	}
	return false;
}

unsigned proc_kill_children(bool (*spare)(pid_t pid))
{
	DIR *folder = opendir("/proc");
	struct proc_stat stat;
	unsigned killed = 0;
	pid_t pid;

	if (folder == NULL)
		return 0;
	while ((pid = proc_next(folder)) != 0) {
		if ((spare != NULL && spare(pid)) || proc_stat(pid, &stat) != 0 ||
			stat.parent != getpid())
			continue;
		killed += !proc_has_ended(&stat);
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
	}
	closedir(folder);
	return killed;
}
