#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/report/gnuplot.h"
#include "lib/buf.h"
#include "lib/fail.h"

#define READ_SIZE 65536

/* A file without a name that holds the script. Return: its descriptor, or -1 with errno. */
static int script_file(const char *script, size_t len)
{
	int fd = memfd_create("gnuplot", MFD_CLOEXEC);
	size_t done = 0;

	while (fd >= 0 && done < len) {
		ssize_t n = write(fd, script + done, len - done);

		if (n <= 0) {
			close(fd);
			return -1;
		}
		done += (size_t)n;
	}
	if (fd >= 0)
		lseek(fd, 0, SEEK_SET);
	return fd;
}

/* Return: 0, or an error number. */
static int spawn(int script, int output, pid_t *pid)
{
	static char *const argv[] = {(char *)"gnuplot", (char *)"-d", NULL};
	static char *const env[] = {(char *)"LC_ALL=C.UTF-8", NULL};
	posix_spawn_file_actions_t actions;
	int error = posix_spawn_file_actions_init(&actions);

	if (error != 0)
		return error;
	error = posix_spawn_file_actions_adddup2(&actions, script, STDIN_FILENO);
	if (error == 0)
		error = posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
	if (error == 0)
		error = posix_spawnp(pid, "gnuplot", &actions, NULL, argv, env);
	posix_spawn_file_actions_destroy(&actions);
	return error;
}

/* All up to the end. Return: 0, or -1 with errno. */
static int read_all(int fd, struct buf *out)
{
	ssize_t n;

	do {
		if (buf_reserve(out, READ_SIZE) != 0)
			return -1;
		n = read(fd, buf_tail(out), READ_SIZE);
		if (n > 0)
			out->end += (size_t)n;
	} while (n > 0 || (n < 0 && errno == EINTR));
	return n == 0 ? 0 : -1;
}

/* Its exit. Return: 0, or -1 after a message. */
static int reap(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return fail_errno("gnuplot");
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return 0;
	return fail_msg("gnuplot failed with status %#x", (unsigned)status);
}

int gnuplot_run(const char *script, size_t len, struct buf *out, bool *missing)
{
	int input = script_file(script, len);
	int ends[2];
	int status;
	int error;
	pid_t pid;

	*missing = false;
	if (input < 0)
		return fail_errno("gnuplot: its script");
	if (pipe2(ends, O_CLOEXEC) != 0) {
		close(input);
		return fail_errno("gnuplot: pipe");
	}
	error = spawn(input, ends[1], &pid);
	close(input);
	close(ends[1]);
	if (error != 0) {
		close(ends[0]);
		errno = error;
		*missing = error == ENOENT;
		return *missing ? -1 : fail_errno("cannot start gnuplot");
	}
	status = read_all(ends[0], out);
	if (status != 0)
		fail_errno("gnuplot: its output");
	close(ends[0]);
	return reap(pid) == 0 ? status : -1;
}
