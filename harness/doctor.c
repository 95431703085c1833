#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "harness/doctor.h"
#include "harness/report/pick.h"

#define PORTS_FEW      20000 /* connections a minute that can be closed by the client */
#define BACKLOG_FEW    1024  /* connections that may wait to be accepted */
#define FILES_FEW      4096  /* a round of 1000 connections takes 1000 on each side */
#define TIME_WAIT_MANY 10000
#define STEAL_SHARE    0.005
#define IDLE_LOAD      0.2 /* runnable threads a CPU that are not ours */
#define MEMORY_FEW     (512.0 * 1024 * 1024)

static bool has_text(const json_t *environment, const char *path, const char *text)
{
	const char *own = pick_text(environment, path);

	return own != NULL && strstr(own, text) != NULL;
}

/* Names of sysctls have dots, so they are no paths. */
static const char *sysctl_text(const json_t *environment, const char *name)
{
	return json_string_value(json_object_get(pick(environment, "sysctls"), name));
}

static bool is_unoptimised(const json_t *environment)
{
	return has_text(environment, "cflags", "-fsanitize") ||
	       !(has_text(environment, "cflags", "-O2") || has_text(environment, "cflags", "-O3"));
}

static bool is_alone(const json_t *environment)
{
	return pick_or(environment, "cores", 2) < 2;
}

static bool is_busy(const json_t *environment)
{
	const json_t *load = json_array_get(pick(environment, "load_avg"), 0);

	return json_number_value(load) > IDLE_LOAD * pick_or(environment, "cores", 1);
}

static bool is_stolen_from(const json_t *environment)
{
	return pick_or(environment, "steal_share", 0) > STEAL_SHARE;
}

static bool is_virtual(const json_t *environment)
{
	return has_text(environment, "virtualization", "virtual machine");
}

static bool is_limited(const json_t *environment)
{
	return pick_or(environment, "cgroup.cpus", 1e9) < pick_or(environment, "cores", 0);
}

static bool saves_power(const json_t *environment)
{
	const char *governor = pick_text(environment, "governor");

	return governor != NULL && strcmp(governor, "performance") != 0;
}

static bool has_turbo(const json_t *environment)
{
	return pick_true(environment, "turbo");
}

static bool has_smt(const json_t *environment)
{
	return pick_true(environment, "smt");
}

static bool has_nodes(const json_t *environment)
{
	return pick_or(environment, "numa_nodes", 1) > 1;
}

static bool has_slow_clock(const json_t *environment)
{
	return has_text(environment, "clock_source", "hpet") ||
	       has_text(environment, "clock_source", "acpi_pm") ||
	       has_text(environment, "clock_source", "jiffies");
}

static bool has_few_ports(const json_t *environment)
{
	const char *text = sysctl_text(environment, "net.ipv4.ip_local_port_range");
	long first;
	long last;

	return text != NULL && sscanf(text, "%ld %ld", &first, &last) == 2 &&
	       last - first < PORTS_FEW;
}

static bool has_short_backlog(const json_t *environment)
{
	const char *text = sysctl_text(environment, "net.core.somaxconn");
	long backlog;

	return text != NULL && sscanf(text, "%ld", &backlog) == 1 && backlog < BACKLOG_FEW;
}

static bool has_few_files(const json_t *environment)
{
	return pick_or(environment, "open_files.hard", FILES_FEW) < FILES_FEW;
}

static bool has_old_sockets(const json_t *environment)
{
	return pick_or(environment, "sockets_in_time_wait", 0) > TIME_WAIT_MANY;
}

static bool has_little_memory(const json_t *environment)
{
	return pick_or(environment, "memory_available_bytes", MEMORY_FEW) < MEMORY_FEW;
}

static bool is_dirty(const json_t *environment)
{
	return pick_true(environment, "dirty");
}

const struct doctor_rule doctor_rules[] = {
	{is_unoptimised, "cflags", "This build checks more or optimises less than a release.",
		"Measure with build/release/bin/rpcbench (make, without BUILD=)."},
	{is_alone, "cores", "Server and client take turns on one CPU.",
		"Use a machine with two cores or more."},
	{is_busy, "load_avg", "Other programs run; they take CPU time and cache from all rows.",
		"Stop what is not needed, and wait until the load is near 0."},
	{is_limited, "cgroup", "This control group gets less CPU time than the CPUs it sees.",
		"Raise its limit (cpu.max), or run outside of the container."},
	{is_stolen_from, "steal_share", "The host of this virtual machine takes CPU time away.",
		"Use a machine of your own, or compare only what was measured in one run."},
	{is_virtual, "virtualization",
		"In a virtual machine, neighbours and the host change latencies.",
		"Prefer bare metal for published numbers; compare within one run otherwise."},
	{saves_power, "governor", "The CPUs slow down when idle and speed up late.",
		"cpupower frequency-set -g performance"},
	{has_turbo, "turbo", "The clock rate depends on temperature and on how many cores work.",
		"echo 1 > /sys/devices/system/cpu/intel_pstate/no_turbo, or "
		"echo 0 > /sys/devices/system/cpu/cpufreq/boost"},
	{has_smt, "smt", "Two threads of a core share it; the second adds less than a core.",
		"rpcbench pins server and client to different cores. For steady numbers: "
		"echo off > /sys/devices/system/cpu/smt/control"},
	{has_nodes, "numa_nodes", "Memory and network of another node are slower to reach.",
		"numactl --cpunodebind=0 --membind=0 rpcbench run …"},
	{has_slow_clock, "clock_source", "A reading of the clock takes a system call.",
		"echo tsc > "
		"/sys/devices/system/clocksource/clocksource0/current_clocksource"},
	{has_few_ports, "sysctls", "Rounds with a connection for each request run out of ports.",
		"sysctl net.ipv4.ip_local_port_range='1024 65535'"},
	{has_short_backlog, "sysctls", "Many connections at once are refused or delayed.",
		"sysctl net.core.somaxconn=4096"},
	{has_few_files, "open_files", "Rounds of a thousand connections and more cannot start.",
		"ulimit -Hn 65536 as root, or LimitNOFILE= of the service"},
	{has_old_sockets, "sockets_in_time_wait", "Sockets of earlier runs hold local ports.",
		"Wait a minute."},
	{has_little_memory, "memory_available_bytes", "Swapping would be measured.",
		"Stop what uses memory."},
	{is_dirty, "dirty", "What is measured is no commit that others can get.",
		"Commit before you publish."},
	{0},
};
