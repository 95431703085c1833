#ifndef HARNESS_KEEPER_H
#define HARNESS_KEEPER_H

#include <stdbool.h>

struct process_params;

/**
 * DOC: A keeper is a process between the harness and one server, forked from the harness. It is
 * the server's parent and a subreaper: whatever the server starts stays among its descendants,
 * also when it leaves the process group or the session. It ends all of them when it is told to,
 * and when the harness is gone, however that ended: then its line is closed. Should the keeper be
 * killed itself, the kernel kills the server.
 */

/** enum keeper_what - What a keeper has to say. */
enum keeper_what {
	KEEPER_STARTED, /* value: the server's pid */
	KEEPER_FAILED,  /* value: errno of what failed; it has ended */
	KEEPER_HALTED,  /* the server was stopped, but has not ended; value: the signal */
	KEEPER_EXITED,  /* value: its status */
	KEEPER_KILLED,  /* value: the signal */
	KEEPER_DONE,    /* nothing is left; value: 1 when SIGTERM was enough */
};

/** struct keeper_word - One packet from a keeper. */
struct keeper_word {
	enum keeper_what what;
	int value;
};

#define KEEPER_LOG_KEEP (1 << 20) /* bytes at the start of a log that is cut */

/**
 * keeper_cut_log() - Keep a log within PROCESS_LOG_MAX: beyond, all after KEEPER_LOG_KEEP is
 *   dropped, and what is written later comes behind that. Return: true when it was.
 *
 * Before the server is ready the harness does it, which has read the log by then; later the
 * keeper, which is always there.
 */
bool keeper_cut_log(int log_fd);

/**
 * keeper_run() - Be a keeper: start the server, and stay until it is gone.
 * @line: its end of a pair of SOCK_SEQPACKET. A packet from the other end tells that the server is
 *   ready. KEEPER_STARTED or KEEPER_FAILED comes first,
 *   KEEPER_DONE last, after the other end was shut down.
 */
void keeper_run(const struct process_params *params, int log_fd, int line)
	__attribute__((noreturn));

#endif
