#include <dirent.h>
#include <limits.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "harness/port.h"
#include "harness/proc.h"

#define LISTEN_STATE 10  /* TCP_LISTEN as /proc/net/tcp prints it */
#define INODES_MAX   512 /* sockets on one port: a worker each */

bool port_serves_loopback(const char *address)
{
	uint32_t loopback = htonl(INADDR_LOOPBACK);
	uint32_t mapped = htonl(0xffff);
	char v4[16];
	char v6[48];

	snprintf(v4, sizeof(v4), "%08X", loopback);
	snprintf(v6, sizeof(v6), "%016d%08X%08X", 0, mapped, loopback);
	return strspn(address, "0") == strlen(address) || strcmp(address, v4) == 0 ||
	       strcmp(address, v6) == 0;
}

/* Add the inodes of sockets that listen on @port, from /proc/net/tcp or tcp6. */
static size_t add_inodes(const char *table, uint16_t port, unsigned long *inodes, size_t n)
{
	FILE *in = fopen(table, "re");
	char line[512];

	if (in == NULL)
		return n;
	while (fgets(line, sizeof(line), in) != NULL && n < INODES_MAX) {
		char address[40];
		unsigned local;
		unsigned state;
		unsigned long inode;

		if (sscanf(line,
			    " %*d: %39[0-9A-F]:%x %*[0-9A-F]:%*x %x %*x:%*x %*x:%*x %*x %*u "
			    "%*u %lu",
			    address, &local, &state, &inode) != 4)
			continue;
		/* Listening sockets come first; there can be thousands of others. */
		if (state != LISTEN_STATE)
			break;
		if (local == port && port_serves_loopback(address))
			inodes[n++] = inode;
	}
	fclose(in);
	return n;
}

/* Clear each of the inodes that @pid has open. Return: how many. */
static size_t clear_open(pid_t pid, unsigned long *inodes, size_t n)
{
	char path[64];
	size_t cleared = 0;
	DIR *folder;
	struct dirent *entry;

	snprintf(path, sizeof(path), "/proc/%d/fd", pid);
	folder = opendir(path);
	if (folder == NULL)
		return 0;
	while ((entry = readdir(folder)) != NULL) {
		char link[64];
		unsigned long inode;
		ssize_t len = readlinkat(dirfd(folder), entry->d_name, link, sizeof(link) - 1);

		if (len <= 0)
			continue;
		link[len] = '\0';
		if (sscanf(link, "socket:[%lu]", &inode) != 1)
			continue;
		for (size_t i = 0; i < n; i++)
			if (inodes[i] == inode) {
				inodes[i] = 0;
				cleared++;
			}
	}
	closedir(folder);
	return cleared;
}

/* The first process that has one of the inodes open. */
static void find_owner(unsigned long *inodes, size_t n, struct port_owner *owner)
{
	DIR *folder = opendir("/proc");
	struct proc_stat stat;
	pid_t pid;

	*owner = (struct port_owner){0};
	if (folder == NULL)
		return;
	while ((pid = proc_next(folder)) != 0) {
		if (clear_open(pid, inodes, n) == 0 || proc_stat(pid, &stat) != 0)
			continue;
		owner->pid = pid;
		memcpy(owner->command, stat.command, sizeof(owner->command));
		break;
	}
	closedir(folder);
}

/* Clear the inodes that processes under @root have open. */
static void clear_under(pid_t root, unsigned long *inodes, size_t n)
{
	struct proc_list list;

	if (root < 0 || proc_list_read(&list) != 0)
		return;
	for (size_t i = 0; i < list.n; i++)
		if (proc_list_is_under(&list, &list.entries[i], root))
			clear_open(list.entries[i].pid, inodes, n);
	proc_list_free(&list);
}

enum port_state port_look(uint16_t port, pid_t root, struct port_owner *owner)
{
	unsigned long inodes[INODES_MAX];
	size_t n = add_inodes("/proc/net/tcp", port, inodes, 0);
	size_t left = 0;

	n = add_inodes("/proc/net/tcp6", port, inodes, n);
	if (n == 0)
		return PORT_FREE;
	clear_under(root, inodes, n);
	for (size_t i = 0; i < n; i++)
		if (inodes[i] != 0)
			inodes[left++] = inodes[i];
	if (left == 0)
		return PORT_OURS;
	find_owner(inodes, left, owner);
	return PORT_TAKEN;
}

const char *port_owner_text(const struct port_owner *owner, char *out, size_t size)
{
	if (owner->pid == 0)
		snprintf(out, size, "a process of another user");
	else
		snprintf(out, size, "pid %d (%s)", owner->pid, owner->command);
	return out;
}

uint16_t port_pick(void)
{
	struct sockaddr_in address = {
		.sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	socklen_t len = sizeof(address);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	uint16_t port = 0;

	if (fd < 0)
		return 0;
	if (bind(fd, (struct sockaddr *)&address, len) == 0 &&
		getsockname(fd, (struct sockaddr *)&address, &len) == 0)
		port = ntohs(address.sin_port);
	close(fd);
	return port;
}
