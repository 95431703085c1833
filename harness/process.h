#ifndef HARNESS_PROCESS_H
#define HARNESS_PROCESS_H

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "harness/reason.h"
#include "lib/clock.h"

/**
 * DOC: A server as a child process, from start to its last descendant.
 *
 * Each server has a keeper (keeper.h) between it and us, which ends all of its descendants and
 * nothing else, also when we are killed. It gets a process group of its own, so that a Ctrl-C on
 * our terminal is ours alone. Its output goes to a log file.
 */

#define PROCESS_READY_NS (10 * NS_PER_S) /* usual ready_ns */
#define PROCESS_STOP_NS  (5 * NS_PER_S)  /* usual stop_ns */
#define PROCESS_ASK_NS   (2 * NS_PER_S)  /* for the answer to a question */
#define PROCESS_LOG_MAX  (16 << 20)      /* bytes of a log; above, its middle is dropped */

#define PROCESS_WORDS 121 /* bytes that process_last_words() needs */

/** struct process_params - How to start it. Everything it points to is borrowed. */
struct process_params {
	char *const *argv;     /* ended by NULL; argv[0] is looked up in PATH */
	char *const *env;      /* "NAME=VALUE" to set beside ours, ended by NULL; may be NULL */
	const char *log;       /* file for its output; emptied first */
	bool prints_ready;     /* wait for its READY line, else for its port to be listened on */
	const char *port_word; /* of the READY line that names the port to ask; NULL = "port" */
	uint16_t port;         /* 0: the READY line tells */
	int64_t ready_ns;      /* how long to wait for it */
	int64_t stop_ns;       /* how long it has from SIGTERM to SIGKILL */
	const cpu_set_t *cpus; /* where it may run; NULL = where we may */
};

/** struct process - A running server. A zeroed struct is none. */
struct process {
	pid_t pid;    /* and process group */
	pid_t keeper; /* its parent: all of the server is under it */
	uint16_t port;
	int64_t stop_ns;
	int log_fd;
	int line;         /* to the keeper */
	bool ended;       /* by itself, or halted: */
	int ended_what;   /* enum keeper_what, -1: the keeper is gone */
	int ended_status; /* as it has it */
	/* While waiting for READY: what has been read of the log, and its last, unfinished line.
	 * Once ready: the READY line. */
	off_t log_offset;
	char text[64];
	size_t text_len;
};

/**
 * process_start() - Start a server and wait until it is ready: its READY line was read, if it
 *   prints one, and the socket listening on its port belongs to its processes and to nobody
 *   else. A fixed port that is taken is found before anything is started.
 * @reason: REASON_MAX bytes; why it failed.
 *
 * Return: 0, to be ended by process_stop(); -1 with nothing left running.
 */
int process_start(struct process *process, const struct process_params *params, char *reason);

/**
 * process_ready_port() - A port that the READY line names: "READY port=N grpc=M" has two.
 *
 * Return: the port of @word; 0 when the line has no such word.
 */
uint16_t process_ready_port(const struct process *process, const char *word);

/**
 * process_is_joined() - Does somebody else listen on its port too, as SO_REUSEPORT allows?
 * @reason: REASON_MAX bytes; who.
 *
 * Looks at every process: not for while something is measured.
 */
bool process_is_joined(const struct process *process, char *reason);

/**
 * process_ended() - Has it ended by itself, or was it halted?
 * @reason: how, e.g. "was killed by signal 11 (Segmentation fault)".
 *
 * Cheap; meant to be called ten times a second.
 */
bool process_ended(struct process *process, char *reason);

/**
 * process_ask() - Send it a signal and wait for the line that it prints in answer.
 * @word: what the line begins with: "COUNTS ".
 * @line: PROCESS_WORDS bytes; the line, from its first byte.
 *
 * Return: true, or false when no such line came within PROCESS_ASK_NS.
 */
bool process_ask(struct process *process, int signal, const char *word, char *line);

/**
 * process_stop() - SIGTERM, after stop_ns SIGKILL, to its process group; then SIGKILL to
 *   descendants that had left it. Also of a zeroed process.
 *
 * Return: true when all of it ended by SIGTERM; false when some of it had to be killed.
 */
bool process_stop(struct process *process);

/**
 * process_last_words() - The last line of a log, at most 120 printable characters.
 * @out: PROCESS_WORDS bytes; empty when there is none.
 */
const char *process_last_words(const char *log, char *out);

#endif
