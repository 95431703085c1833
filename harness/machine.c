#include <glob.h>
#include <jansson.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "harness/machine.h"
#include "harness/report/build.h"
#include "lib/clock.h"

#define LINE_SIZE 4096 /* the flags of a CPU are a long line */
#define CPU_CLASS "/sys/devices/system/cpu/"
#define CGROUP    "/sys/fs/cgroup"
#define UNLIMITED (UINT64_C(1) << 60) /* cgroup v1 says "none" by a number near 2^63 */

/* ------------------------------------------------------------------ reading files */

static FILE *open_under(const char *root, const char *path)
{
	char name[PATH_MAX];

	snprintf(name, sizeof(name), "%s%s", root, path);
	return fopen(name, "re");
}

/* The first line of a file, without its end and with blanks for tabs. Return: false when there is
 * none. */
static bool read_line(const char *root, const char *path, char *line, size_t size)
{
	FILE *in = open_under(root, path);
	bool got = in != NULL && fgets(line, (int)size, in) != NULL;

	if (in != NULL)
		fclose(in);
	if (!got)
		return false;
	line[strcspn(line, "\n")] = '\0';
	for (char *c = line; *c != '\0'; c++)
		*c = *c == '\t' ? ' ' : *c;
	return line[0] != '\0';
}

/* What follows @name, and a colon or blanks, in the first line that begins with it. */
static bool read_value(
	const char *root, const char *path, const char *name, char *value, size_t size)
{
	FILE *in = open_under(root, path);
	char line[LINE_SIZE];
	bool got = false;

	while (in != NULL && !got && fgets(line, sizeof(line), in) != NULL) {
		const char *rest = line + strlen(name);

		if (strncmp(line, name, strlen(name)) != 0 || strchr(" \t:", *rest) == NULL)
			continue;
		line[strcspn(line, "\n")] = '\0';
		rest += strspn(rest, " \t:");
		snprintf(value, size, "%s", rest);
		got = *rest != '\0';
	}
	if (in != NULL)
		fclose(in);
	return got;
}

static bool read_number(const char *root, const char *path, double *number)
{
	char line[LINE_SIZE];
	char *end;

	if (!read_line(root, path, line, sizeof(line)))
		return false;
	*number = strtod(line, &end);
	return end != line;
}

static void put_line(
	struct build *b, const char *name, const char *root, const char *path, const char *reason)
{
	char line[LINE_SIZE];

	if (read_line(root, path, line, sizeof(line)))
		build_text(b, name, line);
	else
		build_absent(b, name, reason);
}

/* ------------------------------------------------------------------ hardware */

static void put_memory(struct build *b, const char *name, const char *root, const char *label)
{
	char text[LINE_SIZE];
	unsigned long long kib;

	if (read_value(root, "/proc/meminfo", label, text, sizeof(text)) &&
		sscanf(text, "%llu", &kib) == 1)
		build_count(b, name, kib * 1024);
	else
		build_absent(b, name, "/proc/meminfo does not tell it");
}

static size_t count_matches(const char *root, const char *pattern)
{
	char path[PATH_MAX];
	glob_t found = {0};
	size_t count;

	snprintf(path, sizeof(path), "%s%s", root, pattern);
	count = glob(path, GLOB_NOSORT, NULL, &found) == 0 ? found.gl_pathc : 0;
	globfree(&found);
	return count;
}

static void put_cpus(struct build *b, const char *root)
{
	char text[LINE_SIZE];
	double active;
	size_t nodes = count_matches(root, "/sys/devices/system/node/node[0-9]*");

	if (read_value(root, "/proc/cpuinfo", "model name", text, sizeof(text)))
		build_text(b, "cpu_model", text);
	else
		build_absent(b, "cpu_model", "/proc/cpuinfo has no model name");
	build_count(b, "cores", (uint64_t)sysconf(_SC_NPROCESSORS_ONLN));
	if (read_number(root, CPU_CLASS "smt/active", &active))
		build_put(b, "smt", json_boolean(active != 0));
	else
		build_absent(b, "smt", "the kernel does not tell it");
	if (nodes > 0)
		build_count(b, "numa_nodes", nodes);
	else
		build_absent(b, "numa_nodes", "the kernel shows no nodes");
}

/* Either of the two drivers has a switch, of opposite sense. */
static void put_turbo(struct build *b, const char *root)
{
	double value;

	if (read_number(root, CPU_CLASS "intel_pstate/no_turbo", &value))
		build_put(b, "turbo", json_boolean(value == 0));
	else if (read_number(root, CPU_CLASS "cpufreq/boost", &value))
		build_put(b, "turbo", json_boolean(value != 0));
	else
		build_absent(b, "turbo", "the kernel shows no switch for it");
}

/* "9 mitigated, 2 vulnerable (mds, srbds), 7 not affected" */
static void put_mitigations(struct build *b, const char *root)
{
	unsigned mitigated = 0;
	unsigned vulnerable = 0;
	unsigned unaffected = 0;
	char names[256] = "";
	char text[512];
	glob_t found = {0};

	snprintf(text, sizeof(text), "%s" CPU_CLASS "vulnerabilities/*", root);
	if (glob(text, 0, NULL, &found) != 0)
		found.gl_pathc = 0;
	for (size_t i = 0; i < found.gl_pathc; i++) {
		size_t len = strlen(names);

		if (!read_line("", found.gl_pathv[i], text, sizeof(text)))
			continue;
		mitigated += strncmp(text, "Mitigation", 10) == 0;
		unaffected += strncmp(text, "Not affected", 12) == 0;
		if (strncmp(text, "Vulnerable", 10) != 0)
			continue;
		snprintf(names + len, sizeof(names) - len, "%s%s", vulnerable++ > 0 ? ", " : "",
			strrchr(found.gl_pathv[i], '/') + 1);
	}
	globfree(&found);
	snprintf(text, sizeof(text), "%u mitigated, %u vulnerable%s%s%s, %u not affected",
		mitigated, vulnerable, vulnerable > 0 ? " (" : "", names, vulnerable > 0 ? ")" : "",
		unaffected);
	if (mitigated + vulnerable + unaffected > 0)
		build_text(b, "mitigations", text);
	else
		build_absent(b, "mitigations", "the kernel shows no vulnerabilities");
}

/* ------------------------------------------------------------------ who else decides */

static void put_virtualization(struct build *b, const char *root)
{
	char flags[LINE_SIZE];
	char vendor[128];
	char text[256];

	if (!read_value(root, "/proc/cpuinfo", "flags", flags, sizeof(flags))) {
		build_absent(b, "virtualization", "/proc/cpuinfo has no flags");
		return;
	}
	if (strstr(flags, " hypervisor") == NULL)
		snprintf(text, sizeof(text), "none");
	else if (read_line(root, "/sys/class/dmi/id/sys_vendor", vendor, sizeof(vendor)))
		snprintf(text, sizeof(text), "virtual machine, %s", vendor);
	else
		snprintf(text, sizeof(text), "virtual machine");
	if (count_matches(root, "/.dockerenv") + count_matches(root, "/run/.containerenv") > 0)
		strcat(text, ", container");
	build_text(b, "virtualization", text);
}

/* Of "cpu user nice system idle iowait irq softirq steal guest guest_nice"; the last two are
 * counted in the first two. */
static void put_steal(struct build *b, const char *root)
{
	enum { STEAL = 7, FIELDS };
	double ticks[FIELDS] = {0};
	double sum = 0;
	char text[LINE_SIZE] = "";
	char *at = text;
	size_t n = 0;

	read_value(root, "/proc/stat", "cpu", text, sizeof(text));
	for (char *end = NULL; n < FIELDS; n++, at = end) {
		ticks[n] = strtod(at, &end);
		if (end == at)
			break;
		sum += ticks[n];
	}
	if (n == FIELDS)
		build_ratio(b, "steal_share", ticks[STEAL], sum, "no CPU time was counted");
	else
		build_absent(b, "steal_share", "/proc/stat does not tell it");
}

/* The path of this process in the hierarchy whose line in /proc/self/cgroup has @controller between
 * its colons: "0::/user.slice", "4:cpu,cpuacct:/user.slice". */
static bool cgroup_path(const char *root, const char *controller, char *path, size_t size)
{
	FILE *in = open_under(root, "/proc/self/cgroup");
	char line[LINE_SIZE];
	bool found = false;

	while (in != NULL && !found && fgets(line, sizeof(line), in) != NULL) {
		char *save = NULL;
		char *names = strchr(line, ':');
		char *own = names != NULL ? strchr(names + 1, ':') : NULL;

		if (own == NULL)
			continue;
		*own++ = '\0';
		own[strcspn(own, "\n")] = '\0';
		snprintf(path, size, "%s", own);
		found = *controller == '\0' && names[1] == '\0';
		for (char *name = strtok_r(names + 1, ",", &save); name != NULL && !found;
			name = strtok_r(NULL, ",", &save))
			found = strcmp(name, controller) == 0;
	}
	if (in != NULL)
		fclose(in);
	return found;
}

/* How much CPU the group was held back from, by the line @name of its cpu.stat. */
static void put_throttled(
	struct build *b, const char *root, const char *folder, const char *name, double unit_s)
{
	char path[PATH_MAX];
	char text[LINE_SIZE];

	snprintf(path, sizeof(path), "%s/cpu.stat", folder);
	if (read_value(root, path, name, text, sizeof(text)))
		build_number(b, "throttled_s", strtod(text, NULL) * unit_s);
	else
		build_absent(b, "throttled_s", "the group has no CPU limit to be held back by");
}

static void put_memory_limit(struct build *b, const char *root, const char *path)
{
	double bytes;

	if (read_number(root, path, &bytes) && bytes < (double)UNLIMITED)
		build_count(b, "memory_bytes", (uint64_t)bytes);
	else
		build_absent(b, "memory_bytes", "no limit");
}

static void put_cgroup2(struct build *b, const char *root, const char *own)
{
	char folder[PATH_MAX];
	char path[PATH_MAX + 16];
	char text[LINE_SIZE];
	double quota;
	double period;

	snprintf(folder, sizeof(folder), CGROUP "%s", own);
	snprintf(path, sizeof(path), "%s/cpu.max", folder);
	build_count(b, "version", 2);
	if (read_line(root, path, text, sizeof(text)) &&
		sscanf(text, "%lf %lf", &quota, &period) == 2 && period > 0)
		build_number(b, "cpus", quota / period);
	else
		build_absent(b, "cpus", "no limit");
	snprintf(path, sizeof(path), "%s/memory.max", folder);
	put_memory_limit(b, root, path);
	put_throttled(b, root, folder, "throttled_usec", 1e-6);
}

static void put_cgroup1(struct build *b, const char *root, const char *cpu, const char *memory)
{
	char folder[PATH_MAX];
	char path[PATH_MAX + 32];
	double quota;
	double period;
	bool limited;

	snprintf(folder, sizeof(folder), CGROUP "/cpu%s", cpu);
	snprintf(path, sizeof(path), "%s/cpu.cfs_quota_us", folder);
	limited = read_number(root, path, &quota) && quota > 0;
	snprintf(path, sizeof(path), "%s/cpu.cfs_period_us", folder);
	build_count(b, "version", 1);
	if (limited && read_number(root, path, &period) && period > 0)
		build_number(b, "cpus", quota / period);
	else
		build_absent(b, "cpus", "no limit");
	snprintf(path, sizeof(path), CGROUP "/memory%s/memory.limit_in_bytes", memory);
	put_memory_limit(b, root, path);
	put_throttled(b, root, folder, "throttled_time", 1.0 / NS_PER_S);
}

static void put_cgroup(struct build *b, const char *root)
{
	struct build group = build_begin();
	char cpu[PATH_MAX / 2];
	char memory[PATH_MAX / 2] = "/";

	if (count_matches(root, CGROUP "/cgroup.controllers") > 0 &&
		cgroup_path(root, "", cpu, sizeof(cpu))) {
		put_cgroup2(&group, root, cpu);
	} else if (cgroup_path(root, "cpu", cpu, sizeof(cpu))) {
		cgroup_path(root, "memory", memory, sizeof(memory));
		put_cgroup1(&group, root, cpu, memory);
	} else {
		json_decref(build_end(&group));
		build_absent(b, "cgroup", "the kernel shows no control group of this process");
		return;
	}
	build_put(b, "cgroup", build_end(&group));
}

/* ------------------------------------------------------------------ settings and state */

/* Those that a benchmark of servers runs into; recorded, never changed. */
static void put_sysctls(struct build *b, const char *root)
{
	static const char *const names[] = {
		"net.core.somaxconn",
		"net.ipv4.ip_local_port_range",
		"net.ipv4.tcp_congestion_control",
		"net.ipv4.tcp_fin_timeout",
		"net.ipv4.tcp_max_syn_backlog",
		"net.ipv4.tcp_max_tw_buckets",
		"net.ipv4.tcp_slow_start_after_idle",
		"net.ipv4.tcp_tw_reuse",
	};
	struct build sysctls = build_begin();

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		char path[256];

		snprintf(path, sizeof(path), "/proc/sys/%s", names[i]);
		for (char *c = path; *c != '\0'; c++)
			*c = *c == '.' ? '/' : *c;
		put_line(&sysctls, names[i], root, path, "the kernel does not have it");
	}
	build_put(b, "sysctls", build_end(&sysctls));
}

static void put_open_files(struct build *b)
{
	struct build files = build_begin();
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
		build_count(&files, "soft", limit.rlim_cur);
		build_count(&files, "hard", limit.rlim_max);
	}
	build_put(b, "open_files", build_end(&files));
}

/* "TCP: inuse 1 orphan 0 tw 235 alloc 1 mem 41" */
static void put_time_wait(struct build *b, const char *root)
{
	char text[LINE_SIZE];
	const char *tw;

	if (read_value(root, "/proc/net/sockstat", "TCP", text, sizeof(text)) &&
		(tw = strstr(text, " tw ")) != NULL)
		build_count(b, "sockets_in_time_wait", strtoull(tw + 4, NULL, 10));
	else
		build_absent(b, "sockets_in_time_wait", "/proc/net/sockstat does not tell it");
}

static void put_load(struct build *b, const char *root)
{
	char text[LINE_SIZE];
	double load[3];

	if (read_line(root, "/proc/loadavg", text, sizeof(text)) &&
		sscanf(text, "%lf %lf %lf", &load[0], &load[1], &load[2]) == 3)
		build_put(b, "load_avg", json_pack("[f, f, f]", load[0], load[1], load[2]));
	else
		build_absent(b, "load_avg", "/proc/loadavg does not tell it");
}

static void put_kernel(struct build *b)
{
	struct utsname name;
	char text[256];

	if (uname(&name) != 0) {
		build_absent(b, "kernel", "uname() failed");
		return;
	}
	snprintf(text, sizeof(text), "%s %s %s", name.sysname, name.release, name.machine);
	build_text(b, "kernel", text);
}

void machine_put(struct build *b, const char *root)
{
	put_cpus(b, root);
	put_memory(b, "memory_bytes", root, "MemTotal");
	put_memory(b, "memory_available_bytes", root, "MemAvailable");
	put_kernel(b);
	put_line(b, "governor", root, CPU_CLASS "cpu0/cpufreq/scaling_governor",
		"the kernel shows no cpufreq");
	put_turbo(b, root);
	put_line(b, "clock_source", root,
		"/sys/devices/system/clocksource/clocksource0/current_clocksource",
		"the kernel does not tell it");
	put_mitigations(b, root);
	put_virtualization(b, root);
	put_steal(b, root);
	put_cgroup(b, root);
	put_sysctls(b, root);
	put_open_files(b);
	put_time_wait(b, root);
	put_load(b, root);
}
