#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/fail.h"
#include "lib/opt.h"
#include "peers/peer.h"
#include "servers/common/srv.h"

struct options {
	int64_t port;
};

static const struct opt options_table[] = {
	{.name = "port",
		.type = OPT_INT,
		.offset = offsetof(struct options, port),
		.arg = "PORT",
		.max = 65535,
		.help = "port on 127.0.0.1, 0 = any free (0)"},
	{0},
};

int peer_listen(const char *name, int argc, char **argv)
{
	struct options options = {0};
	char usage[64];
	int first;
	int fd;
	enum opt_result parsed;

	fail_set_program(name);
	snprintf(usage, sizeof(usage), "%s [OPTIONS]", name);
	parsed = opt_parse(options_table, &options, usage, argc, argv, &first);
	if (parsed != OPT_OK)
		exit(parsed == OPT_HELP ? 0 : 2);
	fd = srv_listen("127.0.0.1", (uint16_t)options.port, false);
	if (fd < 0)
		exit(1);
	return fd;
}
