#ifndef HARNESS_MACHINE_H
#define HARNESS_MACHINE_H

struct build;

/**
 * machine_put() - Add what the kernel tells of the machine, now; what it does not tell is null
 *   with NAME_reason, never a default.
 * @root: "" for this machine; in tests, a folder that holds its proc and sys.
 *
 * cpu_model, cores, smt (threads of a core run side by side), numa_nodes, memory_bytes,
 * memory_available_bytes, kernel, governor, turbo, clock_source, mitigations, virtualization,
 * steal_share (of all CPU time since the machine started, taken by its host), cgroup {version,
 * cpus (as many as the group may use at once), memory_bytes, throttled_s}, sysctls {name: text},
 * open_files {soft, hard}, sockets_in_time_wait, load_avg (1, 5 and 15 minutes).
 */
void machine_put(struct build *b, const char *root);

#endif
