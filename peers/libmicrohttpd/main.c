/* GNU libmicrohttpd with its own epoll thread, as its manual shows: a response per request. */
#include <microhttpd.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "lib/fail.h"
#include "peers/peer.h"
#include "servers/common/app.h"
#include "servers/common/srv.h"

static enum MHD_Result reply(struct MHD_Connection *connection, unsigned status, const char *body)
{
	struct MHD_Response *response =
		MHD_create_response_from_buffer(strlen(body), (void *)body, MHD_RESPMEM_PERSISTENT);
	enum MHD_Result queued;

	if (response == NULL)
		return MHD_NO;
	MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, "text/plain");
	queued = MHD_queue_response(connection, status, response);
	MHD_destroy_response(response);
	return queued;
}

static enum MHD_Result on_request(void *arg, struct MHD_Connection *connection, const char *url,
	const char *method, const char *version, const char *data, size_t *data_size, void **state)
{
	static int begun;

	(void)arg;
	(void)version;
	(void)data;
	(void)data_size;
	/* The first call has the headers only; a reply to it would close the connection. */
	if (*state != &begun) {
		*state = &begun;
		return MHD_YES;
	}
	if (strcmp(method, MHD_HTTP_METHOD_GET) != 0)
		return reply(connection, MHD_HTTP_METHOD_NOT_ALLOWED, "method not allowed");
	if (strcmp(url, "/") == 0)
		return reply(connection, MHD_HTTP_OK, app_hello());
	if (strcmp(url, "/plaintext") == 0)
		return reply(connection, MHD_HTTP_OK, app_plaintext());
	return reply(connection, MHD_HTTP_NOT_FOUND, "not found");
}

int main(int argc, char **argv)
{
	struct MHD_Daemon *daemon;
	sigset_t signals;
	int number;
	int fd = peer_listen("libmicrohttpd", argc, argv);

	sigemptyset(&signals);
	sigaddset(&signals, SIGTERM);
	sigaddset(&signals, SIGINT);
	sigprocmask(SIG_BLOCK, &signals, NULL);
	daemon = MHD_start_daemon(MHD_USE_EPOLL_INTERNAL_THREAD, 0, NULL, NULL, on_request, NULL,
		MHD_OPTION_LISTEN_SOCKET, fd, MHD_OPTION_END);
	if (daemon == NULL) {
		fail_msg("cannot start libmicrohttpd");
		close(fd);
		return 1;
	}
	srv_ready(srv_port(fd));
	sigwait(&signals, &number);
	MHD_stop_daemon(daemon);
	return 0;
}
