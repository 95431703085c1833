#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <jansson.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/client.h"
#include "harness/interrupt.h"
#include "harness/paths.h"
#include "lib/buf.h"
#include "lib/clock.h"
#include "lib/fail.h"

#define GRACE_NS   (10 * NS_PER_S) /* for a client to end after its time */
#define OUTPUT_MAX (4 << 20)       /* bytes: a record has some 100 kB */
#define READ_SIZE  (64 << 10)
#define SAMPLE_MS  50 /* between two readings of a client's memory */

static const char *const names[] = {
	[CLIENT_RPCBENCH] = "rpcbench",
	[CLIENT_WRK] = "wrk",
	[CLIENT_H2LOAD] = "h2load",
};

const char *client_name(enum client_tool tool)
{
	return names[tool];
}

/*
 * A file in memory with the body, behind @prefix bytes of gRPC's: not compressed, then its length.
 * Return: its path, for this process and for what it becomes.
 */
static const char *body_file(struct slice body, size_t prefix, char *path, size_t size)
{
	const char head[] = {0, (char)(body.len >> 24), (char)(body.len >> 16),
		(char)(body.len >> 8), (char)body.len};
	int fd = memfd_create("body", 0);

	if (fd < 0 || write(fd, head, prefix) != (ssize_t)prefix ||
		write(fd, body.data, body.len) != (ssize_t)body.len)
		fail_errno("cannot keep a request's body");
	snprintf(path, size, "/proc/self/fd/%d", fd);
	return path;
}

static void exec_rpcbench(const struct client_params *p, const char *connections)
{
	bool grpc = strncmp(p->url, "grpc:", 5) == 0;
	char pipeline[32];
	char duration[32];
	char body[64];
	const char *argv[11 + CLIENT_OPTIONS] = {
		"rpcbench", "load", "-t1", connections, pipeline, duration, "--json", p->url};
	size_t n = 8;

	snprintf(duration, sizeof(duration), "-d%" PRId64 "s", p->seconds);
	snprintf(pipeline, sizeof(pipeline), "-p%" PRId64, p->pipeline);
	if (grpc) {
		argv[n++] = "--body-file";
		argv[n++] = body_file(p->body, 0, body, sizeof(body));
	}
	for (size_t i = 0; p->options != NULL && p->options[i] != NULL && i < CLIENT_OPTIONS; i++)
		argv[n++] = p->options[i];
	execv("/proc/self/exe", (char *const *)argv);
}

static void exec_wrk(const struct client_params *p, const char *connections)
{
	char pipeline[32];
	char duration[32];
	char *script;

	snprintf(duration, sizeof(duration), "-d%" PRId64 "s", p->seconds);
	snprintf(pipeline, sizeof(pipeline), "%" PRId64, p->pipeline);
	if (p->pipeline == 1)
		execlp("wrk", "wrk", "-t1", connections, duration, p->url, NULL);
	else if (asprintf(&script, "%s/peers/wrk/pipeline.lua", p->paths->root) > 0)
		execlp("wrk", "wrk", "-t1", connections, duration, "-s", script, p->url, "--",
			pipeline, NULL);
}

static void exec_h2load(const struct client_params *p, const char *connections)
{
	char streams[32];
	char duration[32];
	char body[64];
	char *url;

	snprintf(duration, sizeof(duration), "-D%" PRId64, p->seconds);
	snprintf(streams, sizeof(streams), "-m%" PRId64, p->pipeline);
	if (asprintf(&url, "http%s", strstr(p->url, "://")) > 0)
		execlp("h2load", "h2load", "-t1", connections, streams, duration, "-d",
			body_file(p->body, 5, body, sizeof(body)), "-H", "te: trailers", "-H",
			"content-type: application/grpc", url, NULL);
}

/* Replaces the process by the client; returns only when that fails. */
static void exec_client(const struct client_params *p)
{
	static void (*const exec[])(const struct client_params *, const char *) = {
		[CLIENT_RPCBENCH] = exec_rpcbench,
		[CLIENT_WRK] = exec_wrk,
		[CLIENT_H2LOAD] = exec_h2load,
	};
	char connections[32];

	snprintf(connections, sizeof(connections), "-c%" PRId64, p->connections);
	exec[p->tool](p, connections);
}

/* Return: its id, with @out set to where its output comes from; -1 after a message. */
static pid_t start_client(const struct client_params *p, int *out)
{
	int ends[2];
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC) != 0)
		return fail_errno("pipe");
	pid = fork();
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (p->cpus != NULL)
			sched_setaffinity(0, sizeof(*p->cpus), p->cpus);
		dup2(ends[1], STDOUT_FILENO);
		exec_client(p);
		fail_errno("cannot run %s", client_name(p->tool));
		_exit(127);
	}
	close(ends[1]);
	*out = ends[0];
	if (pid < 0) {
		close(ends[0]);
		return fail_errno("cannot start %s", client_name(p->tool));
	}
	return pid;
}

/* The peak resident memory of @pid so far, 0 when it cannot be told. */
static uint64_t read_peak(pid_t pid)
{
	char path[64];
	char line[256];
	uint64_t kib = 0;
	FILE *status;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	status = fopen(path, "re");
	while (status != NULL && kib == 0 && fgets(line, sizeof(line), status) != NULL)
		if (sscanf(line, "VmHWM: %" SCNu64, &kib) != 1)
			kib = 0;
	if (status != NULL)
		fclose(status);
	return kib << 10;
}

/*
 * Collects what the client prints until it closes its end, and its memory. That is read from
 * /proc, since in what wait4() tells the peak includes this process's own before the exec.
 * Return: 0; -1 after a message, or when Ctrl-C was pressed.
 */
static int read_output(pid_t pid, int fd, int64_t half_ns, int64_t end_ns, struct buf *out,
	struct client_result *r)
{
	struct pollfd ready = {.fd = fd, .events = POLLIN};

	for (;;) {
		int readable = poll(&ready, 1, SAMPLE_MS);
		int64_t now = clock_ns();
		uint64_t peak = read_peak(pid);
		ssize_t len;

		if (peak > r->max_rss_bytes)
			r->max_rss_bytes = peak;
		if (r->half_rss_bytes == 0 && now >= half_ns)
			r->half_rss_bytes = r->max_rss_bytes;
		if (interrupt_signal() != 0)
			return -1;
		if (now >= end_ns || buf_len(out) > OUTPUT_MAX)
			return fail_msg("a client does not end, or prints without end");
		if (readable <= 0)
			continue;
		if (buf_reserve(out, READ_SIZE) != 0)
			return fail_errno("a client's output");
		len = read(fd, buf_tail(out), READ_SIZE);
		if (len == 0)
			return buf_append(out, "", 1);
		if (len > 0)
			out->end += (size_t)len;
	}
}

static double seconds(struct timeval t)
{
	return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

int client_run(const struct client_params *params, struct client_result *result)
{
	int64_t start_ns = clock_ns();
	int64_t run_ns = params->seconds * NS_PER_S;
	const char *name = client_name(params->tool);
	struct buf output = {0};
	struct rusage used;
	int status;
	int fd = -1;
	pid_t pid = start_client(params, &fd);

	*result = (struct client_result){0};
	if (pid < 0)
		return -1;
	if (read_output(pid, fd, start_ns + run_ns / 2, start_ns + run_ns + GRACE_NS, &output,
		    result) != 0)
		kill(pid, SIGKILL);
	close(fd);
	while (wait4(pid, &status, 0, &used) < 0 && errno == EINTR)
		;
	result->cpu_s = seconds(used.ru_utime) + seconds(used.ru_stime);
	if (interrupt_signal() != 0)
		status = -1;
	else if (!WIFEXITED(status))
		status = fail_msg("%s was ended by signal %d", name, WTERMSIG(status));
	else if (buf_len(&output) == 0 ||
		 client_parse(params->tool, buf_head(&output), result) != 0)
		status = fail_msg(
			"%s ended with status %d and no counts", name, WEXITSTATUS(status));
	else
		status = 0;
	buf_free(&output);
	return status;
}

static int parse_rpcbench(const char *output, struct client_result *result)
{
	json_t *trial = json_loads(output, 0, NULL);
	json_int_t completed = -1;
	json_int_t failed = -1;

	if (json_unpack(trial, "{s:{s:I, s:I}}", "requests", "completed", &completed, "failed",
		    &failed) != 0 ||
		completed < 0 || failed < 0)
		completed = -1;
	json_decref(trial);
	result->requests = (uint64_t)completed;
	result->failed = (uint64_t)failed;
	return completed < 0 ? -1 : 0;
}

/* The number behind @word, 0 without that word. */
static uint64_t number_behind(const char *output, const char *word)
{
	const char *at = strstr(output, word);

	return at != NULL ? strtoull(at + strlen(word), NULL, 10) : 0;
}

static int parse_wrk(const char *output, struct client_result *result)
{
	const char *line = strstr(output, " requests in ");

	if (line == NULL)
		return -1;
	while (line > output && line[-1] != '\n')
		line--;
	result->requests = strtoull(line, NULL, 10);
	result->failed = number_behind(output, "Non-2xx or 3xx responses: ");
	line = strstr(output, "Socket errors: ");
	if (line != NULL)
		result->failed += number_behind(line, "connect ") + number_behind(line, "read ") +
				  number_behind(line, "write ") + number_behind(line, "timeout ");
	return 0;
}

/* "requests: N total, N started, N done, N succeeded, N failed, N errored, N timeout" */
static int parse_h2load(const char *output, struct client_result *result)
{
	const char *line = strstr(output, "requests: ");
	uint64_t counts[4];

	if (line == NULL || sscanf(line,
				    "requests: %*u total, %*u started, %*u done, %" SCNu64
				    " succeeded, %" SCNu64 " failed, %" SCNu64 " errored, %" SCNu64,
				    &counts[0], &counts[1], &counts[2], &counts[3]) != 4)
		return -1;
	result->requests = counts[0];
	result->failed = counts[1] + counts[2] + counts[3];
	return 0;
}

int client_parse(enum client_tool tool, const char *output, struct client_result *result)
{
	static int (*const parse[])(const char *, struct client_result *) = {
		[CLIENT_RPCBENCH] = parse_rpcbench,
		[CLIENT_WRK] = parse_wrk,
		[CLIENT_H2LOAD] = parse_h2load,
	};

	return parse[tool](output, result);
}
