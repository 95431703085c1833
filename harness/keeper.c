/*
 * keeper_run
 *   settle: signals, descriptors, subreaper
 *   spawn -> become_server (in the child): group, log, CPUs, exec
 *   watch: children that end, the log's size, until the line is closed
 *   end_all: TERM, KILL -> reap -> proc_kill_children
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/keeper.h"
#include "harness/proc.h"
#include "harness/process.h"
#include "lib/clock.h"

#define POLL_NS      (2 * NS_PER_MS)
#define LOG_POLL_MS  100            /* how often the log's size is looked at */
#define KILL_WAIT_NS (2 * NS_PER_S) /* for what SIGKILL was sent to */
#define STRAY_ROUNDS 16             /* each may bring to light the children of those before */
#define CHILD_FAILED 127

enum fds {
	LINE_FD = STDERR_FILENO + 1,
	LOG_FD,
	FIRST_FREE_FD,
};

static void tell(enum keeper_what what, int value)
{
	const struct keeper_word word = {.what = what, .value = value};

	send(LINE_FD, &word, sizeof(word), MSG_NOSIGNAL);
}

/* Keep @line and @log_fd alone: no other keeper's line, no lock, nobody's output. */
static int settle(int log_fd, int line)
{
	sigset_t all;
	int null_fd;

	sigfillset(&all);
	if (sigprocmask(SIG_SETMASK, &all, NULL) != 0 || setpgid(0, 0) != 0 ||
		prctl(PR_SET_CHILD_SUBREAPER, 1) != 0 || prctl(PR_SET_NAME, "rpcbench-keeper") != 0)
		return -1;
	line = fcntl(line, F_DUPFD, FIRST_FREE_FD);
	log_fd = fcntl(log_fd, F_DUPFD, FIRST_FREE_FD);
	null_fd = open("/dev/null", O_RDWR);
	if (line < 0 || log_fd < 0 || null_fd < 0 || dup2(null_fd, STDIN_FILENO) < 0 ||
		dup2(null_fd, STDOUT_FILENO) < 0 || dup2(null_fd, STDERR_FILENO) < 0 ||
		dup2(line, LINE_FD) < 0 || dup2(log_fd, LOG_FD) < 0)
		return -1;
	return close_range(FIRST_FREE_FD, ~0U, 0);
}

/* ------------------------------------------------------------------ start */

/* In the child. Return: only when something failed, with errno. */
static void become_server(const struct process_params *params, pid_t parent)
{
	sigset_t none;

	if (setpgid(0, 0) != 0 || prctl(PR_SET_PDEATHSIG, SIGKILL) != 0)
		return;
	if (getppid() != parent)
		_exit(CHILD_FAILED);
	if (dup2(LOG_FD, STDOUT_FILENO) < 0 || dup2(LOG_FD, STDERR_FILENO) < 0 ||
		close_range(STDERR_FILENO + 1, ~0U, CLOSE_RANGE_CLOEXEC) != 0)
		return;
	if (params->cpus != NULL && sched_setaffinity(0, sizeof(cpu_set_t), params->cpus) != 0)
		return;
	for (char *const *item = params->env; item != NULL && *item != NULL; item++)
		putenv(*item);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGPIPE, SIG_DFL);
	signal(SIGXFSZ, SIG_DFL);
	execvp(params->argv[0], params->argv);
}

/* Return: the server's id, or -1 with errno, also when exec failed. */
static pid_t spawn(const struct process_params *params)
{
	pid_t parent = getpid();
	int error = 0;
	int failure[2];
	pid_t pid;

	if (pipe2(failure, O_CLOEXEC) != 0)
		return -1;
	pid = fork();
	if (pid == 0) {
		become_server(params, parent);
		error = errno;
		if (write(failure[1], &error, sizeof(error)) < 0)
			_exit(CHILD_FAILED);
		_exit(CHILD_FAILED);
	}
	error = errno;
	close(failure[1]);
	if (pid > 0) {
		setpgid(pid, pid);
		/* Ends when exec closes the other end, or brings the reason why it did not. */
		if (read(failure[0], &error, sizeof(error)) == (ssize_t)sizeof(error)) {
			waitpid(pid, NULL, 0);
			pid = -1;
		}
	}
	close(failure[0]);
	errno = error;
	return pid;
}

/* ------------------------------------------------------------------ meanwhile */

/* Return: true once the server has ended. It stays a zombie, so that its group's number cannot be
 * given to others. */
static bool look_at_children(pid_t server)
{
	siginfo_t info = {0};

	if (waitid(P_PID, (id_t)server, &info, WSTOPPED | WNOHANG) == 0 && info.si_pid == server)
		tell(KEEPER_HALTED, info.si_status);
	for (;;) {
		info.si_pid = 0;
		if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == 0)
			return false;
		if (info.si_pid == server)
			break;
		waitpid(info.si_pid, NULL, 0);
	}
	tell(info.si_code == CLD_EXITED ? KEEPER_EXITED : KEEPER_KILLED, info.si_status);
	return true;
}

bool keeper_cut_log(int log_fd)
{
	struct stat stat;

	return fstat(log_fd, &stat) == 0 && stat.st_size > PROCESS_LOG_MAX &&
	       ftruncate(log_fd, KEEPER_LOG_KEEP) == 0;
}

/* Return: when the other end of the line is closed. */
static void watch(pid_t server, int signal_fd)
{
	struct pollfd fds[] = {
		{.fd = LINE_FD, .events = POLLIN},
		{.fd = signal_fd, .events = POLLIN},
	};
	bool ready = false;

	for (;;) {
		struct signalfd_siginfo ignored;
		char word;

		poll(fds, 2, LOG_POLL_MS);
		if (fds[0].revents != 0 && recv(LINE_FD, &word, 1, MSG_DONTWAIT) <= 0)
			return;
		ready |= fds[0].revents != 0;
		if (ready)
			keeper_cut_log(LOG_FD);
		if (fds[1].revents == 0)
			continue;
		while (read(signal_fd, &ignored, sizeof(ignored)) > 0)
			continue;
		if (look_at_children(server))
			fds[1].fd = -1;
	}
}

/* ------------------------------------------------------------------ end */

/* Wait until nothing of the group lives. Return: false when the time was over before. */
static bool wait_group(pid_t group, int64_t timeout_ns)
{
	int64_t deadline_ns = clock_ns() + timeout_ns;

	while (proc_group_alive(group) > 0) {
		if (clock_ns() >= deadline_ns)
			return false;
		clock_sleep_until(clock_ns() + POLL_NS);
	}
	return true;
}

static bool end_group(pid_t group, int64_t stop_ns)
{
	if (proc_group_alive(group) == 0)
		return true;
	kill(-group, SIGTERM);
	/* What is stopped hears it only when it goes on. */
	kill(-group, SIGCONT);
	if (wait_group(group, stop_ns))
		return true;
	kill(-group, SIGKILL);
	wait_group(group, KILL_WAIT_NS);
	return false;
}

/* Return: true when SIGTERM to the group was enough. */
static bool end_all(pid_t server, int64_t stop_ns)
{
	bool clean = end_group(server, stop_ns);

	while (waitpid(-server, NULL, WNOHANG) > 0)
		continue;
	for (int i = 0; i < STRAY_ROUNDS && proc_kill_children(NULL) > 0; i++)
		clean = false;
	return clean;
}

void keeper_run(const struct process_params *params, int log_fd, int line)
{
	sigset_t child;
	int signal_fd;
	pid_t server;

	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	if (settle(log_fd, line) != 0)
		_exit(CHILD_FAILED);
	signal_fd = signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK);
	server = signal_fd >= 0 ? spawn(params) : -1;
	if (server < 0) {
		tell(KEEPER_FAILED, errno);
		_exit(CHILD_FAILED);
	}
	tell(KEEPER_STARTED, server);
	watch(server, signal_fd);
	tell(KEEPER_DONE, end_all(server, params->stop_ns));
	_exit(0);
}
