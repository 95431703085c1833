/*
 * local_ports_wait
 *   local_ports_look, once a second: the kernel's range, less reserved ports, less those of sockets
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/interrupt.h"
#include "harness/local_ports.h"
#include "harness/port.h"
#include "harness/report/build.h"

#define TIME_WAIT_STATE 6 /* TCP_TIME_WAIT as /proc/net/tcp prints it */
#define AGAIN_NS        (1 * NS_PER_S)
#define PORTS           65536

/* Ports that cannot be had, and whether only sockets in TIME_WAIT are why. */
struct ports {
	bool taken[PORTS];
	bool waiting[PORTS];
};

/* "a-b" or "a" at @at. Return: what follows, or NULL. */
static const char *read_span(const char *at, unsigned *first, unsigned *last)
{
	char *end;

	*first = (unsigned)strtoul(at, &end, 10);
	if (end == at || *first >= PORTS)
		return NULL;
	*last = *first;
	if (*end != '-')
		return end;
	at = end + 1;
	*last = (unsigned)strtoul(at, &end, 10);
	return end != at && *last < PORTS ? end : NULL;
}

static void take(struct ports *ports, unsigned first, unsigned last)
{
	for (unsigned port = first; port <= last; port++)
		ports->taken[port] = true;
}

static bool read_line(const char *proc, const char *name, char *line, int size)
{
	char path[PATH_MAX];
	FILE *in;
	bool read;

	snprintf(path, sizeof(path), "%s/%s", proc, name);
	in = fopen(path, "re");
	if (in == NULL)
		return false;
	read = fgets(line, size, in) != NULL;
	fclose(in);
	return read;
}

/* Those that the kernel gives to nobody who does not ask for them: "8080,9000-9010". */
static void take_reserved(const char *proc, struct ports *ports)
{
	char line[4096] = "";
	const char *at = line;
	unsigned first;
	unsigned last;

	read_line(proc, "sys/net/ipv4/ip_local_reserved_ports", line, sizeof(line));
	while (at != NULL && (at = read_span(at, &first, &last)) != NULL) {
		take(ports, first, last);
		at = *at == ',' ? at + 1 : NULL;
	}
}

/*
 * "   0: 0100007F:1F90 00000000:0000 0A …": local address and port, the peer's, the state. There
 * can be many thousands of lines: no sscanf.
 */
static void take_socket(char *line, struct ports *ports, size_t *time_wait)
{
	char *address = strchr(line, ':');
	char *port;
	char *peer;
	unsigned long number;
	bool waits;

	if (address == NULL)
		return;
	address += strspn(address, ": ");
	port = strchr(address, ':');
	if (port == NULL)
		return;
	*port = '\0';
	number = strtoul(port + 1, &peer, 16);
	peer += strspn(peer, " ");
	peer += strcspn(peer, " ");
	waits = strtoul(peer, NULL, 16) == TIME_WAIT_STATE;
	*time_wait += waits;
	if (number >= PORTS || !port_serves_loopback(address))
		return;
	if (waits)
		ports->waiting[number] = true;
	else
		ports->taken[number] = true;
}

/* Return: 0 or -1 when there is no such table. */
static int take_sockets(
	const char *proc, const char *name, struct ports *ports, struct local_ports *found)
{
	char path[PATH_MAX];
	char line[512];
	FILE *in;

	snprintf(path, sizeof(path), "%s/%s", proc, name);
	in = fopen(path, "re");
	if (in == NULL)
		return -1;
	setvbuf(in, NULL, _IOFBF, 1 << 16);
	while (fgets(line, sizeof(line), in) != NULL)
		take_socket(line, ports, &found->time_wait);
	fclose(in);
	return 0;
}

int local_ports_look(const char *proc, struct local_ports *ports, char *reason)
{
	struct ports map = {0};
	char range[64] = "";
	unsigned first;
	unsigned last;

	*ports = (struct local_ports){0};
	if (!read_line(proc, "sys/net/ipv4/ip_local_port_range", range, sizeof(range)) ||
		sscanf(range, "%u %u", &first, &last) != 2 || first > last || last >= PORTS)
		return reason_set(reason, "the kernel does not tell its ip_local_port_range");
	if (take_sockets(proc, "net/tcp", &map, ports) != 0)
		return reason_set(reason, "%s/net/tcp cannot be read", proc);
	take_sockets(proc, "net/tcp6", &map, ports); /* no IPv6: no such table */
	take_reserved(proc, &map);
	ports->total = last - first + 1;
	for (unsigned port = first; port <= last; port++) {
		ports->free += !map.taken[port] && !map.waiting[port];
		ports->waiting += !map.taken[port] && map.waiting[port];
	}
	return 0;
}

void local_ports_wait(const char *proc, int64_t max_ns, struct local_ports_wait *wait,
	void (*tell)(void *ctx, const struct local_ports_wait *wait), void *ctx)
{
	int64_t began_ns = clock_ns();
	bool told = false;

	for (;;) {
		wait->known = local_ports_look(proc, &wait->seen, wait->reason) == 0;
		wait->waited_ns = told ? clock_ns() - began_ns : 0;
		if (!wait->known || wait->seen.free >= wait->needed ||
			wait->seen.free + wait->seen.waiting < wait->needed ||
			wait->waited_ns >= max_ns || interrupt_signal() != 0)
			return;
		if (!told)
			tell(ctx, wait);
		told = true;
		clock_sleep_until(clock_ns() + AGAIN_NS);
	}
}

json_t *local_ports_object(const struct local_ports_wait *wait)
{
	struct build b = build_begin();

	build_count(&b, "needed", wait->needed);
	build_count(&b, "free", wait->seen.free);
	build_count(&b, "time_wait", wait->seen.time_wait);
	build_number(&b, "waited_s", (double)wait->waited_ns / NS_PER_S);
	return build_end(&b);
}
