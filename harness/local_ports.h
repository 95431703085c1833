#ifndef HARNESS_LOCAL_PORTS_H
#define HARNESS_LOCAL_PORTS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "harness/reason.h"
#include "lib/clock.h"

/**
 * DOC: The ports that connections to the loopback can begin from. A trial that closes many
 * connections leaves sockets in TIME_WAIT (RFC 9293 3.6.1), which Linux keeps for 60 s: the next
 * trial could lack ports for what the one before has done.
 */

/* TIME_WAIT lasts 60 s (TCP_TIMEWAIT_LEN), and a bit. */
#define LOCAL_PORTS_WAIT_NS (65 * NS_PER_S)

/** struct local_ports - What one look found. */
struct local_ports {
	size_t total;     /* of the kernel's range, ip_local_port_range */
	size_t free;      /* of these: no socket of the loopback or of any address has them */
	size_t waiting;   /* of these: only sockets in TIME_WAIT have them */
	size_t time_wait; /* sockets in TIME_WAIT, whatever their address */
};

/** struct local_ports_wait - How a wait for free ports went. */
struct local_ports_wait {
	bool known;              /* false: @reason */
	struct local_ports seen; /* at its end */
	size_t needed;
	int64_t waited_ns;
	char reason[REASON_MAX];
};

/**
 * local_ports_look() - Count them now. Takes about 0.1 s for 60,000 sockets.
 * @proc: where /proc is.
 * @reason: REASON_MAX bytes; why they cannot be counted.
 *
 * A port that is taken towards another server alone is counted as taken: listening sockets, and
 * programs that bind, cannot have it.
 *
 * Return: 0 or -1 with @reason.
 */
int local_ports_look(const char *proc, struct local_ports *ports, char *reason);

/**
 * local_ports_wait() - Wait until @wait->needed ports are free, for @max_ns at most, while the
 *   end of TIME_WAIT can bring that about, and no signal asked to stop.
 * @proc: where /proc is.
 * @tell: called once, with what was seen, if it has to wait.
 */
void local_ports_wait(const char *proc, int64_t max_ns, struct local_ports_wait *wait,
	void (*tell)(void *ctx, const struct local_ports_wait *wait), void *ctx);

/**
 * local_ports_object() - For the record: {needed, free, time_wait, waited_s}. Return: new, NULL
 *   without memory.
 */
json_t *local_ports_object(const struct local_ports_wait *wait);

#endif
