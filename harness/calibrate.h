#ifndef HARNESS_CALIBRATE_H
#define HARNESS_CALIBRATE_H

#include <jansson.h>

struct pin;
struct plan;
struct suite;

/**
 * calibrate() - What the load generator can do by itself, at each load of a round: the best of a
 * few short runs of the null codec against the null server, on the CPUs of the round's own clients
 * and servers.
 *
 * Return: a new list of {connections, pipeline, server_threads, threads, runs, rps,
 * requests_per_client_cpu_s}, or of {connections, pipeline, rps: null, rps_reason} where it could
 * not be measured; NULL without memory.
 */
json_t *calibrate(const struct suite *suite, const struct plan *plan, const struct pin *pin);

#endif
