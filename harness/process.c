/*
 * process_start
 *   spawn -> keeper_run (in the child), which starts the server
 *   wait_ready: is_ready, until ready, ended, too late or interrupted
 * process_ended: listen, to what the keeper has to say
 * process_stop: tell the keeper, wait for it
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/interrupt.h"
#include "harness/keeper.h"
#include "harness/port.h"
#include "harness/proc.h"
#include "harness/process.h"
#include "harness/reason.h"
#include "harness/runs.h"
#include "lib/units.h"

#define POLL_NS        (2 * NS_PER_MS)
#define KEEPER_WAIT_NS (10 * NS_PER_S) /* beyond stop_ns, for a keeper to be done */
#define KEEPER_GONE    (-1)
#define KEEPERS_MAX    64 /* at a time: of a contestant and its companions */
#define ORPHAN_ROUNDS  16 /* each may bring to light the children of those before */
#define READY          "READY "

static pid_t keepers[KEEPERS_MAX]; /* that live; 0: free */

static void replace_keeper(pid_t old, pid_t new)
{
	for (size_t i = 0; i < KEEPERS_MAX; i++)
		if (keepers[i] == old) {
			keepers[i] = new;
			return;
		}
}

/* The next word from the keeper. Return: false when there is none within @timeout_ms. */
static bool listen_to(struct process *p, int timeout_ms, struct keeper_word *word)
{
	struct pollfd fd = {.fd = p->line, .events = POLLIN};
	ssize_t len;

	if (poll(&fd, 1, timeout_ms) <= 0)
		return false;
	len = recv(p->line, word, sizeof(*word), MSG_DONTWAIT);
	if (len == (ssize_t)sizeof(*word))
		return true;
	if (len < 0 && (errno == EAGAIN || errno == EINTR))
		return false;
	*word = (struct keeper_word){.what = KEEPER_GONE};
	return true;
}

/* Return: 0 with p->pid and p->keeper, or -1 with errno, also when exec failed. */
static int spawn(struct process *p, const struct process_params *params)
{
	struct keeper_word word = {.what = KEEPER_FAILED, .value = ECHILD};
	int line[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, line) != 0)
		return -1;
	fflush(NULL);
	p->keeper = fork();
	if (p->keeper == 0)
		keeper_run(params, p->log_fd, line[1]);
	close(line[1]);
	p->line = line[0];
	if (p->keeper < 0)
		goto err0;
	while (recv(p->line, &word, sizeof(word), 0) < 0 && errno == EINTR)
		continue;
	if (word.what == KEEPER_STARTED) {
		p->pid = word.value;
		replace_keeper(0, p->keeper);
		return 0;
	}
	waitpid(p->keeper, NULL, 0);
	errno = word.value;

err0:
	close(p->line);
	return -1;
}

uint16_t process_ready_port(const struct process *p, const char *word)
{
	size_t len = strlen(word);

	for (const char *at = strchr(p->text, ' '); at != NULL; at = strchr(at + 1, ' ')) {
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
	char bytes[65536];
	off_t end = p->log_offset + PROCESS_LOG_MAX; /* it may write faster than we read */
	ssize_t len;

	while (p->log_offset < end &&
		(len = pread(p->log_fd, bytes, sizeof(bytes), p->log_offset)) > 0) {
		p->log_offset += len;
		for (ssize_t i = 0; i < len; i++) {
			if (bytes[i] != '\n') {
				bool printable = bytes[i] >= ' ' && bytes[i] <= '~';

				if (p->text_len < sizeof(p->text) - 1)
					p->text[p->text_len++] = printable ? bytes[i] : '?';
				continue;
			}
			p->text[p->text_len] = '\0';
			p->text_len = 0;
			if (strncmp(p->text, READY, strlen(READY)) != 0)
				continue;
			p->port = process_ready_port(p, word);
			if (p->port == 0)
				return reason_set(
					reason, "printed '%s', expected READY %s=N", p->text, word);
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
	switch (port_look(p->port, p->keeper, &owner)) {
	case PORT_OURS:
		return 1;
	case PORT_TAKEN:
		return reason_set(reason, "port %u is taken by %s, not by its own processes",
			p->port, port_owner_text(&owner, text, sizeof(text)));
	case PORT_FREE:
		break;
	}
	if (params->prints_ready)
		return reason_set(reason,
			"printed READY port=%u, but nothing listens on 127.0.0.1:%u", p->port,
			p->port);
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
		if (keeper_cut_log(p->log_fd))
			p->log_offset = KEEPER_LOG_KEEP;
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
	if (spawn(process, params) != 0) {
		reason_set(reason, "cannot run %s: %s", params->argv[0], strerror(errno));
		close(process->log_fd);
		*process = (struct process){0};
		return -1;
	}
	runs_note(process->keeper, "keeper");
	runs_note(process->pid, params->argv[0]);
	if (wait_ready(process, params, reason) != 0) {
		process_stop(process);
		return -1;
	}
	send(process->line, "", 1, MSG_NOSIGNAL);
	return 0;
}

bool process_is_joined(const struct process *process, char *reason)
{
	struct port_owner owner;
	char text[64];

	if (port_look(process->port, process->keeper, &owner) != PORT_TAKEN)
		return false;
	reason_set(reason, "%s listens on port %u beside it",
		port_owner_text(&owner, text, sizeof(text)), process->port);
	return true;
}

bool process_ended(struct process *process, char *reason)
{
	struct keeper_word word;

	if (!process->ended && listen_to(process, 0, &word)) {
		process->ended = true;
		process->ended_what = (int)word.what;
		process->ended_status = word.value;
	}
	if (!process->ended)
		return false;
	if (process->ended_what == KEEPER_EXITED)
		reason_set(reason, "exited with status %d", process->ended_status);
	else if (process->ended_what == KEEPER_GONE)
		reason_set(reason, "was killed together with its keeper");
	else
		reason_set(reason, "was %s by signal %d (%s)",
			process->ended_what == KEEPER_HALTED ? "stopped" : "killed",
			process->ended_status, strsignal(process->ended_status));
	return true;
}

/* The first whole line of the log from @offset on that begins with @word. */
static bool find_line(int log_fd, off_t offset, const char *word, char *line)
{
	char bytes[4096];
	ssize_t len = pread(log_fd, bytes, sizeof(bytes) - 1, offset);
	char *at = bytes;
	char *end;

	bytes[len > 0 ? len : 0] = '\0';
	for (; (end = strchr(at, '\n')) != NULL; at = end + 1) {
		*end = '\0';
		if (strncmp(at, word, strlen(word)) != 0)
			continue;
		snprintf(line, PROCESS_WORDS, "%.*s", PROCESS_WORDS - 1, at);
		return true;
	}
	return false;
}

bool process_ask(struct process *process, int signal, const char *word, char *line)
{
	int64_t deadline_ns = clock_ns() + PROCESS_ASK_NS;
	struct stat stat;

	if (fstat(process->log_fd, &stat) != 0 || kill(process->pid, signal) != 0)
		return false;
	while (!find_line(process->log_fd, stat.st_size, word, line)) {
		if (clock_ns() >= deadline_ns || interrupt_signal() != 0)
			return false;
		clock_sleep_until(clock_ns() + POLL_NS);
	}
	return true;
}

/* Other children of ours are what a keeper left that was killed. */
static bool is_keeper(pid_t pid)
{
	for (size_t i = 0; i < KEEPERS_MAX; i++)
		if (keepers[i] == pid)
			return true;
	return false;
}

bool process_stop(struct process *process)
{
	struct keeper_word word = {.what = KEEPER_STARTED};
	int64_t deadline_ns = clock_ns() + process->stop_ns + KEEPER_WAIT_NS;

	if (process->pid <= 0)
		return true;
	shutdown(process->line, SHUT_WR);
	while (word.what != KEEPER_DONE && (int)word.what != KEEPER_GONE &&
		clock_ns() < deadline_ns)
		listen_to(process, 100, &word);
	if (word.what != KEEPER_DONE) {
		kill(process->keeper, SIGKILL);
		word.value = 0;
	}
	waitpid(process->keeper, NULL, 0);
	replace_keeper(process->keeper, 0);
	for (int i = 0;
		word.what != KEEPER_DONE && i < ORPHAN_ROUNDS && proc_kill_children(is_keeper) > 0;
		i++)
		continue;
	close(process->line);
	close(process->log_fd);
	*process = (struct process){0};
	return word.value != 0;
}

const char *process_last_words(const char *log, char *out)
{
	FILE *in = fopen(log, "re");
	char line[PROCESS_WORDS];
	bool begins = true; /* a longer line comes in parts */

	out[0] = '\0';
	if (in == NULL)
		return out;
	fseek(in, -4096, SEEK_END);
	while (fgets(line, sizeof(line), in) != NULL) {
		bool ends = strchr(line, '\n') != NULL;
		bool first = begins;

		begins = ends;
		line[strcspn(line, "\r\n")] = '\0';
		if (line[0] == '\0' || !first || strncmp(line, "COUNTS ", 7) == 0)
			continue;
		for (char *p = line; *p != '\0'; p++)
			if (*p < ' ' || *p > '~')
				*p = '?';
		memcpy(out, line, strlen(line) + 1);
	}
	fclose(in);
	return out;
}
