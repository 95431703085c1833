#ifndef HARNESS_HOST_H
#define HARNESS_HOST_H

#include <jansson.h>

struct paths;
struct pin;

/**
 * host_environment() - The machine and this build, for the record: read now, from /proc, /sys and
 *   git; what cannot be read is null with NAME_reason, never a default.
 *
 * What machine_put() adds, and compiler, cflags, libraries {name: version}, commit and dirty (of
 * the repository, without results/), pinning {server_cpus, client_cpus}.
 *
 * Return: a new reference, or NULL after a message.
 */
json_t *host_environment(const struct paths *paths, const struct pin *pin);

#endif
