#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "harness/interrupt.h"
#include "harness/reason.h"
#include "harness/verify/sock.h"
#include "lib/clock.h"

/* Return: 0 when @events came, or -1 with @reason. */
static int wait_for(int fd, short events, int64_t deadline_ns, char *reason)
{
	struct pollfd poll_fd = {.fd = fd, .events = events};

	for (;;) {
		int64_t left_ns = deadline_ns - clock_ns();
		int n;

		if (interrupt_signal() != 0)
			return reason_set(reason, "interrupted");
		if (left_ns <= 0)
			return reason_set(reason, "no answer in time");
		n = poll(&poll_fd, 1, (int)(left_ns / NS_PER_MS) + 1);
		if (n > 0)
			return 0;
		if (n < 0 && errno != EINTR)
			return reason_set(reason, "poll: %s", strerror(errno));
	}
}

int sock_connect(uint16_t port, int64_t deadline_ns, char *reason)
{
	struct sockaddr_in address = {
		.sin_family = AF_INET,
		.sin_port = htons(port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	int error = 0;
	socklen_t len = sizeof(error);

	if (fd < 0)
		return reason_set(reason, "socket: %s", strerror(errno));
	if (connect(fd, (struct sockaddr *)&address, sizeof(address)) != 0)
		error = errno;
	if (error == EINPROGRESS) {
		if (wait_for(fd, POLLOUT, deadline_ns, reason) != 0)
			goto err0;
		getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &len);
	}
	if (error != 0) {
		reason_set(reason, "cannot connect to port %u: %s", port, strerror(error));
		goto err0;
	}
	return fd;

err0:
	close(fd);
	return -1;
}

int sock_send(int fd, const char *data, size_t len, int64_t deadline_ns, char *reason)
{
	while (len > 0) {
		ssize_t n = send(fd, data, len, MSG_NOSIGNAL);

		if (n >= 0) {
			data += n;
			len -= (size_t)n;
		} else if (errno != EAGAIN && errno != EINTR) {
			return reason_set(reason, "cannot send: %s", strerror(errno));
		} else if (wait_for(fd, POLLOUT, deadline_ns, reason) != 0) {
			return -1;
		}
	}
	return 0;
}

ssize_t sock_receive(int fd, char *data, size_t size, int64_t deadline_ns, char *reason)
{
	for (;;) {
		ssize_t n = recv(fd, data, size, 0);

		if (n >= 0)
			return n;
		if (errno != EAGAIN && errno != EINTR)
			return reason_set(reason, "cannot receive: %s", strerror(errno));
		if (wait_for(fd, POLLIN, deadline_ns, reason) != 0)
			return -1;
	}
}
