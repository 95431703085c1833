#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "harness/load/source.h"
#include "lib/fail.h"

#define BITS_MIN 16 /* of a network; a larger one is a slip */

int source_bind(const struct source *source, uint32_t turn, int fd)
{
	struct sockaddr_in address = {.sin_family = AF_INET};
	int one = 1;

	if (source->count == 0)
		return 0;
	address.sin_addr.s_addr = htonl(source->first + turn % source->count);
	if (setsockopt(fd, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &one, sizeof(one)) != 0)
		return -1;
	return bind(fd, (const struct sockaddr *)&address, sizeof(address));
}

static int check(const struct source *source, uint32_t turn, const char *text)
{
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int ret = fd >= 0 ? source_bind(source, turn, fd) : -1;
	struct in_addr address = {.s_addr = htonl(source->first + turn)};

	if (ret != 0)
		fail_errno("--source %s: cannot connect from %s", text, inet_ntoa(address));
	if (fd >= 0)
		close(fd);
	return ret;
}

int source_parse(const char *text, struct source *source)
{
	const char *slash = strchr(text, '/');
	size_t len = slash != NULL ? (size_t)(slash - text) : strlen(text);
	char host[INET_ADDRSTRLEN] = "";
	struct in_addr address;
	char *end = "";
	long bits = slash != NULL ? strtol(slash + 1, &end, 10) : 32;
	uint32_t size = UINT32_C(1) << (bits >= BITS_MIN && bits <= 32 ? 32 - bits : 0);

	if (len < sizeof(host))
		snprintf(host, sizeof(host), "%.*s", (int)len, text);
	if (inet_pton(AF_INET, host, &address) != 1 || *end != '\0' || bits < BITS_MIN || bits > 32)
		return fail_msg("--source: bad network '%s', expected an IPv4 address, or one "
				"with /%d to /32",
			text, BITS_MIN);
	*source = (struct source){.first = ntohl(address.s_addr) & ~(size - 1), .count = size};
	if (size >= 4) {
		source->first++;
		source->count -= 2;
	}
	return check(source, 0, text) != 0 || check(source, source->count - 1, text) != 0 ? -1 : 0;
}
