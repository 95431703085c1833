#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/proc.h"

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
	long long children_user;
	long long children_system;
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
		    " %c %d %d %*d %*d %*d %*u %*u %*u %*u %*u %llu %llu %lld %lld %*d %*d %u",
		    &stat->state, &stat->parent, &stat->group, &user, &system, &children_user,
		    &children_system, &stat->threads) != 8)
		return -1;
	stat->user_s = (double)user * tick_s;
	stat->system_s = (double)system * tick_s;
	stat->children_user_s = (double)children_user * tick_s;
	stat->children_system_s = (double)children_system * tick_s;
	return 0;
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

/* Asking the kernel for a number is far cheaper than reading a file, and there may be thousands. */
pid_t proc_next_in(DIR *folder, pid_t group)
{
	pid_t pid;

	do
		pid = proc_next(folder);
	while (pid != 0 && getpgid(pid) != group);
	return pid;
}

unsigned proc_group_alive(pid_t group)
{
	DIR *folder = opendir("/proc");
	struct proc_stat stat;
	unsigned alive = 0;
	pid_t pid;

	if (folder == NULL)
		return 0;
	while ((pid = proc_next_in(folder, group)) != 0)
		if (proc_stat(pid, &stat) == 0 && stat.state != 'Z' && stat.state != 'X')
			alive++;
	closedir(folder);
	return alive;
}
