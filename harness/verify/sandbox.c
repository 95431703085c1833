#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/interrupt.h"
#include "harness/reason.h"
#include "harness/verify/sandbox.h"
#include "lib/buf.h"
#include "lib/clock.h"

#define MEMORY_MAX (512u << 20) /* bytes of address space */
#define OUT_MAX    (4u << 20)   /* bytes handed back */

/* AddressSanitizer and ThreadSanitizer reserve terabytes of address space. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define HAS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define HAS_SANITIZER 1
#endif
#endif
#ifndef HAS_SANITIZER
#define HAS_SANITIZER 0
#endif

/* What the child sends: '+' and the bytes, or '-' and the reason. */
static void send_all(int fd, const char *data, size_t len)
{
	while (len > 0) {
		ssize_t n = write(fd, data, len);

		if (n < 0 && errno != EINTR)
			_exit(1);
		if (n > 0) {
			data += n;
			len -= (size_t)n;
		}
	}
}

static void run_child(int (*fn)(void *arg, struct buf *out, char *reason), void *arg, int fd)
{
	const struct rlimit memory = {.rlim_cur = MEMORY_MAX, .rlim_max = MEMORY_MAX};
	const struct rlimit no_core = {0};
	char reason[REASON_MAX] = "";
	struct buf out = {0};
	int null_fd = open("/dev/null", O_WRONLY | O_CLOEXEC);

	/* What the library prints about hostile bytes is of no use to anybody. */
	if (null_fd >= 0)
		dup2(null_fd, STDERR_FILENO);
	setrlimit(RLIMIT_CORE, &no_core);
	if (!HAS_SANITIZER)
		setrlimit(RLIMIT_AS, &memory);
	if (fn(arg, &out, reason) == 0) {
		send_all(fd, "+", 1);
		if (buf_len(&out) > 0)
			send_all(fd, buf_head(&out), buf_len(&out));
	} else {
		send_all(fd, "-", 1);
		send_all(fd, reason, strlen(reason));
	}
	_exit(0);
}

/* Return: 0 at the end of what the child sends, or -1 with @reason. */
static int receive_all(int fd, int64_t deadline_ns, struct buf *in, char *reason)
{
	struct pollfd poll_fd = {.fd = fd, .events = POLLIN};

	for (;;) {
		int64_t left_ns = deadline_ns - clock_ns();
		ssize_t n;

		if (interrupt_signal() != 0)
			return reason_set(reason, "interrupted");
		if (left_ns <= 0)
			return reason_set(reason, "no answer in time");
		if (poll(&poll_fd, 1, (int)(left_ns / NS_PER_MS) + 1) <= 0)
			continue;
		if (buf_len(in) > OUT_MAX || buf_reserve(in, 65536) != 0)
			return reason_set(reason, "out of memory");
		n = read(fd, buf_tail(in), 65536);
		if (n == 0)
			return 0;
		if (n > 0)
			in->end += (size_t)n;
		else if (errno != EINTR)
			return reason_set(reason, "read: %s", strerror(errno));
	}
}

/* Take apart what the child sent. */
static int unpack(struct buf *in, int child_status, struct buf *out, char *reason)
{
	size_t len = buf_len(in) > 0 ? buf_len(in) - 1 : 0;

	if (WIFSIGNALED(child_status))
		return reason_set(reason, "decoding the reply ended the client by signal %d (%s)",
			WTERMSIG(child_status), strsignal(WTERMSIG(child_status)));
	if (buf_len(in) == 0)
		return reason_set(reason, "decoding the reply ended the client with status %d",
			WEXITSTATUS(child_status));
	if (*buf_head(in) == '-')
		return reason_set(reason, "%.*s", (int)len, buf_head(in) + 1);
	return len > 0 && buf_append(out, buf_head(in) + 1, len) != 0
		       ? reason_set(reason, "out of memory")
		       : 0;
}

int sandbox_run(int (*fn)(void *arg, struct buf *out, char *reason), void *arg, int64_t timeout_ns,
	struct buf *out, char *reason)
{
	struct buf in = {0};
	int status;
	int child_status = 0;
	int ends[2];
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC) != 0)
		return reason_set(reason, "pipe: %s", strerror(errno));
	pid = fork();
	if (pid == 0)
		run_child(fn, arg, ends[1]);
	close(ends[1]);
	if (pid < 0) {
		close(ends[0]);
		return reason_set(reason, "fork: %s", strerror(errno));
	}
	status = receive_all(ends[0], clock_ns() + timeout_ns, &in, reason);
	close(ends[0]);
	if (status != 0)
		kill(pid, SIGKILL);
	waitpid(pid, &child_status, 0);
	if (status == 0)
		status = unpack(&in, child_status, out, reason);
	buf_free(&in);
	return status;
}
