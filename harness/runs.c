/*
 * A file is NAME-PID in the folder:
 *   boot ID        of the machine: after a restart the rest means nothing
 *   command TEXT
 *   PID STARTED NAME   of a process; one line each
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/pidfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/proc.h"
#include "harness/runs.h"
#include "lib/fail.h"

#define PREFIX  "run-"
#define LINE    512
#define BOOT_ID "/proc/sys/kernel/random/boot_id"

static char own_path[PATH_MAX];
static FILE *own_file; /* locked; NULL without a run */

static void read_boot_id(char *id, size_t size)
{
	FILE *in = fopen(BOOT_ID, "re");

	if (in == NULL || fgets(id, (int)size, in) == NULL)
		snprintf(id, size, "unknown");
	if (in != NULL)
		fclose(in);
	id[strcspn(id, "\n")] = '\0';
}

/* Open the folder, ours alone: in /tmp anybody could have made it. Return: it or -1, said. */
static int open_folder(char *path, size_t size)
{
	const char *run = getenv("XDG_RUNTIME_DIR");
	struct stat info;
	int fd;

	if (run != NULL && run[0] == '/')
		snprintf(path, size, "%s/rpcbench", run);
	else
		snprintf(path, size, "/tmp/rpcbench-%u", getuid());
	if (mkdir(path, 0700) != 0 && errno != EEXIST)
		return fail_errno("cannot make the folder %s, for notes on this run", path);
	fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd >= 0 && fstat(fd, &info) == 0 && info.st_uid == getuid() &&
		(info.st_mode & 0022) == 0)
		return fd;
	if (fd >= 0)
		close(fd);
	return fail_msg("%s: expected a folder of ours that no other user can write to", path);
}

/* Through a descriptor, which stands for one process, whoever gets its number. */
static bool end_process(pid_t pid, unsigned long long started)
{
	int fd = pidfd_open(pid, 0);
	struct proc_stat stat;
	bool ended;

	if (fd < 0)
		return false;
	ended = proc_stat(pid, &stat) == 0 && stat.started == started && !proc_has_ended(&stat) &&
		pidfd_send_signal(fd, SIGKILL, NULL, 0) == 0;
	close(fd);
	return ended;
}

/* A run whose lock nobody holds has ended without closing it. */
static void end_leftovers(FILE *in, int run, const char *command)
{
	char line[LINE];

	while (fgets(line, sizeof(line), in) != NULL) {
		unsigned long long started;
		char name[64];
		int pid;

		if (sscanf(line, "%d %llu %63[^\n]", &pid, &started, name) != 3 || pid <= 1 ||
			!end_process(pid, started))
			continue;
		fail_msg("an earlier run was killed (pid %d, %s) and left pid %d (%s) running: it "
			 "has been ended",
			run, command, pid, name);
	}
}

static void look_at_run(int folder, const char *name, const char *boot_id)
{
	int fd = openat(folder, name, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
	FILE *in = fd >= 0 ? fdopen(fd, "r+") : NULL;
	int run = atoi(name + strlen(PREFIX));
	char command[LINE] = "";
	char boot[LINE] = "";

	if (in == NULL)
		return;
	if (fscanf(in, "boot %511[^\n] command %511[^\n] ", boot, command) != 2)
		snprintf(command, sizeof(command), "rpcbench");
	if (flock(fd, LOCK_EX | LOCK_NB) != 0) {
		fail_msg("another run is in progress (pid %d, %s): each disturbs the numbers of "
			 "the other",
			run, command);
	} else {
		if (strcmp(boot, boot_id) == 0)
			end_leftovers(in, run, command);
		unlinkat(folder, name, 0);
	}
	fclose(in);
}

static void look_at_others(int folder, const char *boot_id)
{
	DIR *list = fdopendir(dup(folder));
	struct dirent *entry;

	while (list != NULL && (entry = readdir(list)) != NULL)
		if (strncmp(entry->d_name, PREFIX, strlen(PREFIX)) == 0)
			look_at_run(folder, entry->d_name, boot_id);
	if (list != NULL)
		closedir(list);
}

/* It gets its name when it is locked already: without a lock it would look like a leftover. */
static void open_own(const char *path, const char *boot_id, const char *command)
{
	char temporary[PATH_MAX + 64];
	int fd;

	snprintf(temporary, sizeof(temporary), "%s/new-%d", path, getpid());
	snprintf(own_path, sizeof(own_path), "%.4000s/" PREFIX "%d", path, getpid());
	fd = open(temporary, O_RDWR | O_CREAT | O_TRUNC | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0600);
	own_file = fd >= 0 ? fdopen(fd, "a") : NULL;
	if (own_file == NULL || flock(fd, LOCK_EX | LOCK_NB) != 0 ||
		fprintf(own_file, "boot %s\ncommand %.*s\n", boot_id, LINE - 16, command) < 0 ||
		fflush(own_file) != 0 || rename(temporary, own_path) != 0) {
		fail_errno("cannot note this run in %s", own_path);
		unlink(temporary);
		if (own_file != NULL)
			fclose(own_file);
		own_file = NULL;
	}
}

void runs_open(const char *command)
{
	char path[PATH_MAX];
	char boot_id[64];
	int folder = open_folder(path, sizeof(path));

	if (folder < 0)
		return;
	read_boot_id(boot_id, sizeof(boot_id));
	look_at_others(folder, boot_id);
	close(folder);
	open_own(path, boot_id, command);
}

void runs_note(pid_t pid, const char *name)
{
	struct proc_stat stat;

	if (own_file == NULL || proc_stat(pid, &stat) != 0)
		return;
	fprintf(own_file, "%d %llu %.60s\n", pid, stat.started, name);
	fflush(own_file);
}

void runs_close(void)
{
	if (own_file == NULL)
		return;
	unlink(own_path);
	fclose(own_file);
	own_file = NULL;
}
