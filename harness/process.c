/*
 * process_start
 *   spawn -> become_server (in the child): group, log, CPUs, exec
 *   wait_ready: is_ready, until ready, ended, too late or interrupted
 * process_stop
 *   end_group: TERM, KILL -> reap_group -> end_strays
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/interrupt.h"
#include "harness/port.h"
#include "harness/proc.h"
#include "harness/process.h"
#include "harness/reason.h"
#include "lib/units.h"

#define POLL_NS      (2 * NS_PER_MS)
#define KILL_WAIT_NS (2 * NS_PER_S) /* for what SIGKILL was sent to */
#define LOG_KEEP     (1 << 20)      /* bytes at the start of a log that is cut */
#define READY        "READY "
#define STRAY_ROUNDS 16 /* each may bring to light the children of those before */
#define CHILD_FAILED 127

/* In the child. Return: only when something failed, with errno. */
static void become_server(const struct process_params *params, int log_fd, pid_t parent)
{
	sigset_t none;
	int null_fd = open("/dev/null", O_RDONLY);

	if (setpgid(0, 0) != 0 || prctl(PR_SET_PDEATHSIG, SIGTERM) != 0)
		return;
	if (getppid() != parent)
		_exit(CHILD_FAILED);
	if (null_fd < 0 || dup2(null_fd, STDIN_FILENO) < 0 || dup2(log_fd, STDOUT_FILENO) < 0 ||
		dup2(log_fd, STDERR_FILENO) < 0 ||
		close_range(STDERR_FILENO + 1, ~0U, CLOSE_RANGE_CLOEXEC) != 0)
		return;
	if (params->cpus != NULL && sched_setaffinity(0, sizeof(cpu_set_t), params->cpus) != 0)
		return;
	for (char *const *item = params->env; item != NULL && *item != NULL; item++)
		putenv(*item);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGPIPE, SIG_DFL);
	execvp(params->argv[0], params->argv);
}

/* Return: the child's id, or -1 with errno, also when exec failed. */
static pid_t spawn(const struct process_params *params, int log_fd)
{
	pid_t parent = getpid();
	int error = 0;
	int failure[2];
	pid_t pid;

	if (pipe2(failure, O_CLOEXEC) != 0)
		return -1;
	pid = fork();
	if (pid == 0) {
		become_server(params, log_fd, parent);
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

uint16_t process_ready_port(const struct process *p, const char *word)
{
	size_t len = strlen(word);

	for (const char *at = strchr(p->line, ' '); at != NULL; at = strchr(at + 1, ' ')) {
		unsigned port;

		if (strncmp(at + 1, word, len) == 0 && at[1 + len] == '=' &&
			sscanf(at + 2 + len, "%5u", &port) == 1 && port <= UINT16_MAX)
			return (uint16_t)port;
	}
	return 0;
}

/*
 * Take what is new in the log, looking for a line "READY port=N", perhaps with more words.
 * Return: 1 with p->port when it was found, 0 not yet, -1 when N is no port.
 */
static int scan_log(struct process *p, const char *word, char *reason)
{
	char bytes[4096];
	ssize_t len;

	while ((len = pread(p->log_fd, bytes, sizeof(bytes), p->log_offset)) > 0) {
		p->log_offset += len;
		for (ssize_t i = 0; i < len; i++) {
			if (bytes[i] != '\n') {
				if (p->line_len < sizeof(p->line) - 1)
					p->line[p->line_len++] = bytes[i];
				continue;
			}
			p->line[p->line_len] = '\0';
			p->line_len = 0;
			if (strncmp(p->line, READY, strlen(READY)) != 0)
				continue;
			p->port = process_ready_port(p, word);
			if (p->port == 0)
				return reason_set(
					reason, "printed '%s', expected READY %s=N", p->line, word);
			return 1;
		}
	}
	return 0;
}

/* Return: 1 ready, 0 not yet, -1 never. */
static int is_ready(struct process *p, const struct process_params *params, char *reason)
{
	struct port_owner owner;
	char text[64];

	if (params->prints_ready) {
		const char *word = params->port_word != NULL ? params->port_word : "port";
		int scanned = scan_log(p, word, reason);

		if (scanned <= 0)
			return scanned;
	}
	switch (port_look(p->port, p->pid, &owner)) {
	case PORT_OURS:
		return 1;
	case PORT_TAKEN:
		return reason_set(reason, "port %u is taken by %s, not by its own process group",
			p->port, port_owner_text(&owner, text, sizeof(text)));
	case PORT_FREE:
		break;
	}
	if (params->prints_ready)
		return reason_set(
			reason, "printed READY port=%u, but nothing listens there", p->port);
	return 0;
}

static int wait_ready(struct process *p, const struct process_params *params, char *reason)
{
	int64_t deadline_ns = clock_ns() + params->ready_ns;
	char how[REASON_MAX];
	char text[UNITS_TEXT];

	for (;;) {
		bool ended = process_ended(p, how);
		int ready = is_ready(p, params, reason);

		if (ready != 0)
			return ready > 0 ? 0 : -1;
		if (ended)
			return reason_set(reason, "%.*s before it was ready", 400, how);
		if (interrupt_signal() != 0)
			return reason_set(reason, "interrupted");
		if (clock_ns() >= deadline_ns)
			break;
		clock_sleep_until(clock_ns() + POLL_NS);
	}
	units_duration((double)params->ready_ns, text);
	if (params->prints_ready)
		return reason_set(reason, "not ready within %s: printed no READY port=N", text);
	return reason_set(reason, "not ready within %s: does not listen on port %u", text, p->port);
}

/* Servers that were started and not stopped: companions run beside each other. */
static unsigned running;

int process_start(struct process *process, const struct process_params *params, char *reason)
{
	struct port_owner owner;
	char text[64];

	*process = (struct process){.port = params->port, .stop_ns = params->stop_ns};
	if (params->port != 0 && port_look(params->port, -1, &owner) != PORT_FREE)
		return reason_set(reason, "port %u is taken by %s", params->port,
			port_owner_text(&owner, text, sizeof(text)));
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	process->log_fd =
		open(params->log, O_RDWR | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0666);
	if (process->log_fd < 0)
		return reason_set(reason, "cannot write %s: %s", params->log, strerror(errno));
	process->pid = spawn(params, process->log_fd);
	if (process->pid < 0) {
		reason_set(reason, "cannot run %s: %s", params->argv[0], strerror(errno));
		close(process->log_fd);
		*process = (struct process){0};
		return -1;
	}
	running++;
	if (wait_ready(process, params, reason) != 0) {
		process_stop(process);
		return -1;
	}
	return 0;
}

bool process_ended(struct process *process, char *reason)
{
	siginfo_t info = {0};
	struct stat stat;

	if (fstat(process->log_fd, &stat) == 0 && stat.st_size > PROCESS_LOG_MAX &&
		ftruncate(process->log_fd, LOG_KEEP) == 0)
		process->log_offset = LOG_KEEP;
	/* It stays a zombie, so that its group's number cannot be given to others. */
	if (waitid(P_PID, (id_t)process->pid, &info, WEXITED | WNOHANG | WNOWAIT) != 0 ||
		info.si_pid == 0)
		return false;
	if (info.si_code == CLD_EXITED)
		reason_set(reason, "exited with status %d", info.si_status);
	else
		reason_set(reason, "was killed by signal %d (%s)", info.si_status,
			strsignal(info.si_status));
	return true;
}

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
	if (wait_group(group, stop_ns))
		return true;
	kill(-group, SIGKILL);
	wait_group(group, KILL_WAIT_NS);
	return false;
}

/* Kill our own children that left the group. Return: how many there were. */
static unsigned kill_strays(void)
{
	DIR *folder = opendir("/proc");
	struct proc_stat stat;
	unsigned strays = 0;
	pid_t pid;

	if (folder == NULL)
		return 0;
	while ((pid = proc_next(folder)) != 0) {
		if (proc_stat(pid, &stat) != 0 || stat.parent != getpid())
			continue;
		if (stat.state != 'Z')
			strays++;
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
	}
	closedir(folder);
	return strays;
}

bool process_stop(struct process *process)
{
	bool clean;

	if (process->pid <= 0)
		return true;
	clean = end_group(process->pid, process->stop_ns);
	while (waitpid(-process->pid, NULL, WNOHANG) > 0)
		continue;
	/* As long as others run, a child of ours may be one of them. */
	running--;
	for (int i = 0; running == 0 && i < STRAY_ROUNDS && kill_strays() > 0; i++)
		clean = false;
	close(process->log_fd);
	*process = (struct process){0};
	return clean;
}

const char *process_last_words(const char *log, char *out)
{
	FILE *in = fopen(log, "re");
	char line[PROCESS_WORDS];

	out[0] = '\0';
	if (in == NULL)
		return out;
	fseek(in, -4096, SEEK_END);
	while (fgets(line, sizeof(line), in) != NULL) {
		line[strcspn(line, "\r\n")] = '\0';
		if (line[0] == '\0')
			continue;
		for (char *p = line; *p != '\0'; p++)
			if (*p < ' ' || *p > '~')
				*p = '?';
		memcpy(out, line, strlen(line) + 1);
	}
	fclose(in);
	return out;
}
