/* null: sends back what it gets. With the null codec it shows what the load generator can do by
 * itself. */
#include "lib/buf.h"
#include "servers/common/srv.h"
#include "servers/common/stream.h"

static int on_open(void *state, struct stream *stream, const struct srv_worker *worker)
{
	(void)state;
	(void)stream;
	(void)worker;
	return 0;
}

static ssize_t on_input(void *state, const char *data, size_t len, struct buf *out)
{
	(void)state;
	return buf_append(out, data, len) == 0 ? (ssize_t)len : -1;
}

static const struct stream_ops ops = {.name = "null", .open = on_open, .input = on_input};
static const struct stream_protocol protocol = {.ops = &ops};

int main(int argc, char **argv)
{
	static const struct srv_spec spec = {
		.name = "null",
		.summary = "Sends back what it gets: the other end of null:// URLs.",
		.port = 4999,
		.service = &stream_service,
		.arg = &protocol,
	};

	return srv_main(&spec, argc, argv);
}
