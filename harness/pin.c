#include <stdio.h>

#include "harness/pin.h"

/* The lowest CPU of the core that @cpu is part of; itself where that is not known. */
static int core_of(int cpu)
{
	char path[96];
	FILE *in;
	int first = cpu;

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/topology/thread_siblings_list",
		cpu);
	in = fopen(path, "re");
	if (in == NULL)
		return cpu;
	if (fscanf(in, "%d", &first) != 1)
		first = cpu;
	fclose(in);
	return first;
}

/* One CPU of each core: the first that is allowed. */
static void keep_cores(const cpu_set_t *allowed, cpu_set_t *cores)
{
	cpu_set_t seen;

	CPU_ZERO(cores);
	CPU_ZERO(&seen);
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		int core;

		if (!CPU_ISSET(cpu, allowed))
			continue;
		core = core_of(cpu);
		if (core < 0 || core >= CPU_SETSIZE || CPU_ISSET(core, &seen))
			continue;
		CPU_SET(core, &seen);
		CPU_SET(cpu, cores);
	}
}

void pin_plan(struct pin *pin, bool wanted, int64_t server_threads)
{
	cpu_set_t allowed;
	cpu_set_t cores;

	*pin = (struct pin){.reason = "switched off by --no-pin"};
	if (sched_getaffinity(0, sizeof(allowed), &allowed) != 0) {
		CPU_ZERO(&allowed);
		CPU_SET(0, &allowed);
	}
	pin->server_count = pin->client_count = CPU_COUNT(&allowed);
	if (!wanted)
		return;
	if (CPU_COUNT(&allowed) < 2) {
		pin->reason = "there is one CPU only";
		return;
	}
	/* Two threads of one core slow each other down: used only where there is but one core. */
	keep_cores(&allowed, &cores);
	if (CPU_COUNT(&cores) < 2)
		cores = allowed;
	pin->on = true;
	pin->reason = NULL;
	pin->server_count = pin->client_count = 0;
	for (int cpu = 0, left = CPU_COUNT(&cores); cpu < CPU_SETSIZE; cpu++) {
		if (!CPU_ISSET(cpu, &cores))
			continue;
		if (pin->server_count < server_threads && left > 1) {
			CPU_SET(cpu, &pin->server);
			pin->server_count++;
		} else {
			CPU_SET(cpu, &pin->client);
			pin->client_count++;
		}
		left--;
	}
}

void pin_self(const struct pin *pin)
{
	if (pin->on)
		sched_setaffinity(0, sizeof(pin->client), &pin->client);
}

const cpu_set_t *pin_used(const struct pin *pin, int threads, cpu_set_t *out)
{
	if (!pin->on)
		return NULL;
	*out = pin->server;
	for (int cpu = 0; cpu < CPU_SETSIZE && threads > 0; cpu++)
		if (CPU_ISSET(cpu, &pin->client)) {
			CPU_SET(cpu, out);
			threads--;
		}
	return out;
}

static json_t *list(const cpu_set_t *cpus)
{
	json_t *array = json_array();

	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, cpus))
			json_array_append_new(array, json_integer(cpu));
	return array;
}

json_t *pin_object(const struct pin *pin)
{
	if (!pin->on)
		return NULL;
	return json_pack(
		"{s:o, s:o}", "server_cpus", list(&pin->server), "client_cpus", list(&pin->client));
}
