#ifndef HARNESS_PIN_H
#define HARNESS_PIN_H

#include <jansson.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>

/**
 * struct pin - Which CPUs the server and the client run on: sets that share no CPU and, where
 * the machine has more than one core, no core either.
 */
struct pin {
	bool on;
	const char *reason; /* why it is off */
	cpu_set_t server;
	cpu_set_t client;
	int server_count; /* CPUs that the server may use, pinned or not */
	int client_count;
};

/**
 * pin_plan() - Share out the CPUs that this process may run on.
 * @wanted: false: all may run anywhere.
 * @server_threads: the server gets a core for each, as long as one is left for the client; of
 *   several numbers the largest, so that all are measured on the same CPUs.
 */
void pin_plan(struct pin *pin, bool wanted, int64_t server_threads);

/** pin_self() - Move the calling thread, and threads it will start, to the client's CPUs. */
void pin_self(const struct pin *pin);

/**
 * pin_used() - The CPUs that are used: the server's, and those of the client's @threads.
 * @out: filled. Return: @out, or NULL when all may run anywhere.
 */
const cpu_set_t *pin_used(const struct pin *pin, int threads, cpu_set_t *out);

/** pin_object() - {server_cpus: […], client_cpus: […]}. Return: new, NULL when off. */
json_t *pin_object(const struct pin *pin);

#endif
