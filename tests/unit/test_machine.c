#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/doctor.h"
#include "harness/machine.h"
#include "harness/paths.h"
#include "harness/report/build.h"
#include "harness/report/environment.h"
#include "harness/report/pick.h"
#include "tests/unit/test.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/** struct file - A file of a machine that is made up. */
struct file {
	const char *path;
	const char *text;
};

static char root[] = "/tmp/rpcbench-machine-XXXXXX";

static int make_root(void **state)
{
	(void)state;
	strcpy(root + strlen(root) - 6, "XXXXXX");
	return mkdtemp(root) != NULL ? 0 : -1;
}

static int remove_root(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof(command), "rm -r '%s'", root);
	return system(command); /* NOLINT(cert-env33-c) */
}

static json_t *machine_of(const struct file *files, size_t n)
{
	struct build b = build_begin();

	for (size_t i = 0; i < n; i++) {
		char path[256];
		FILE *out;

		snprintf(path, sizeof(path), "%s%s", root, files[i].path);
		*strrchr(path, '/') = '\0';
		assert_int_equal(paths_make(path), 0);
		path[strlen(path)] = '/';
		out = fopen(path, "we");
		assert_non_null(out);
		fputs(files[i].text, out);
		fclose(out);
	}
	machine_put(&b, root);
	return build_end(&b);
}

#define CPU "/sys/devices/system/cpu/"

static void test_a_machine_that_tells_all(void **state)
{
	static const struct file files[] = {
		{"/proc/cpuinfo", "processor\t: 0\nmodel name\t: Example CPU\nflags\t\t: fpu vme "
				  "hypervisor lm\n"},
		{"/proc/meminfo", "MemTotal:        2048 kB\nMemFree:  1 kB\nMemAvailable:    1024 "
				  "kB\n"},
		{"/proc/stat", "cpu  50 0 20 25 0 0 0 5 0 0\ncpu0 1 1 1 1 1 1 1 1 1 1\n"},
		{"/proc/loadavg", "0.25 1.50 2.00 1/100 12345\n"},
		{"/proc/net/sockstat", "sockets: used 14\nTCP: inuse 1 orphan 0 tw 235 alloc 1\n"},
		{"/proc/self/cgroup", "0::/user.slice/mine\n"},
		{"/sys/fs/cgroup/cgroup.controllers", "cpu memory\n"},
		{"/sys/fs/cgroup/user.slice/mine/cpu.max", "150000 100000\n"},
		{"/sys/fs/cgroup/user.slice/mine/memory.max", "1048576\n"},
		{"/sys/fs/cgroup/user.slice/mine/cpu.stat",
			"usage_usec 5\nnr_throttled 2\nthrottled_usec 2500000\n"},
		{"/proc/sys/net/ipv4/ip_local_port_range", "32768\t60999\n"},
		{"/sys/class/dmi/id/sys_vendor", "Example Inc.\n"},
		{"/run/.containerenv", ""},
		{CPU "smt/active", "1\n"},
		{CPU "cpufreq/boost", "0\n"},
		{CPU "cpu0/cpufreq/scaling_governor", "powersave\n"},
		{CPU "vulnerabilities/mds", "Vulnerable: no microcode\n"},
		{CPU "vulnerabilities/retbleed", "Mitigation: IBRS\n"},
		{"/sys/devices/system/node/node0/cpulist", "0\n"},
		{"/sys/devices/system/node/node1/cpulist", "1\n"},
		{"/sys/devices/system/clocksource/clocksource0/current_clocksource", "tsc\n"},
	};
	static const struct file expected[] = {
		{"cpu_model", "Example CPU"},
		{"smt", "yes"},
		{"numa_nodes", "2"},
		{"memory_bytes", "2.00MB"},
		{"memory_available_bytes", "1.00MB"},
		{"governor", "powersave"},
		{"turbo", "no"},
		{"clock_source", "tsc"},
		{"mitigations", "1 mitigated, 1 vulnerable (mds), 0 not affected"},
		{"virtualization", "virtual machine, Example Inc., container"},
		{"steal_share", "0.05"},
		{"cgroup", "version 2, cpus 1.5, memory_bytes 1.00MB, throttled_s 2.5"},
		{"sockets_in_time_wait", "235"},
		{"load_avg", "0.25, 1.5, 2"},
	};
	json_t *machine = machine_of(files, COUNT(files));

	(void)state;
	for (size_t i = 0; i < COUNT(expected); i++) {
		char *text = environment_value(machine, expected[i].path);

		assert_string_equal(text, expected[i].text);
		free(text);
	}
	assert_string_equal(json_string_value(json_object_get(
				    pick(machine, "sysctls"), "net.ipv4.ip_local_port_range")),
		"32768 60999");
	json_decref(machine);
}

static void test_a_group_of_version_1(void **state)
{
	static const struct file files[] = {
		{"/proc/self/cgroup", "9:name=systemd:/\n4:memory:/m\n1:cpuacct,cpu:/c\n0::/\n"},
		{"/sys/fs/cgroup/cpu/c/cpu.cfs_quota_us", "50000\n"},
		{"/sys/fs/cgroup/cpu/c/cpu.cfs_period_us", "100000\n"},
		{"/sys/fs/cgroup/cpu/c/cpu.stat", "nr_throttled 3\nthrottled_time 1500000000\n"},
		{"/sys/fs/cgroup/memory/m/memory.limit_in_bytes", "9223372036854771712\n"},
	};
	json_t *machine = machine_of(files, COUNT(files));
	char *text = environment_value(machine, "cgroup");

	(void)state;
	assert_string_equal(text, "version 1, cpus 0.5, memory_bytes no limit, throttled_s 1.5");
	free(text);
	json_decref(machine);
}

/* Every null says why; nothing is made up. */
static void test_a_machine_that_tells_nothing(void **state)
{
	static const char *const known_by_other_means[] = {
		"cores", "kernel", "open_files", "sysctls"};
	json_t *machine = machine_of(NULL, 0);
	const char *name;
	json_t *value;

	(void)state;
	json_object_foreach (machine, name, value) {
		char reason[64];
		bool known = false;

		for (size_t i = 0; i < COUNT(known_by_other_means); i++)
			known = known || strcmp(name, known_by_other_means[i]) == 0;
		if (known || environment_is_reason(name))
			continue;
		snprintf(reason, sizeof(reason), "%s_reason", name);
		assert_true(json_is_null(value));
		assert_true(json_is_string(json_object_get(machine, reason)));
	}
	json_decref(machine);
}

/* The names of the rules that say something about @text. */
static const char *ailments(const char *text)
{
	static char found[512];
	json_t *environment = json_loads(text, 0, NULL);

	assert_non_null(environment);
	found[0] = '\0';
	for (const struct doctor_rule *rule = doctor_rules; rule->name != NULL; rule++)
		if (rule->ails(environment))
			snprintf(found + strlen(found), sizeof(found) - strlen(found), "%s ",
				rule->name);
	json_decref(environment);
	return found;
}

#define FINE                                                                                       \
	"\"cores\": 8, \"smt\": false, \"numa_nodes\": 1, \"memory_available_bytes\": 8e9, "       \
	"\"governor\": \"performance\", \"turbo\": false, \"clock_source\": \"tsc\", "             \
	"\"virtualization\": \"none\", \"steal_share\": 0, \"cgroup\": {\"cpus\": null}, "         \
	"\"open_files\": {\"hard\": 65536}, \"sockets_in_time_wait\": 10, \"dirty\": false, "      \
	"\"load_avg\": [0.1, 1, 1], \"cflags\": \"-O2\", \"sysctls\": {\"net.core.somaxconn\": "   \
	"\"4096\", \"net.ipv4.ip_local_port_range\": \"32768 60999\"}"

static void test_advice(void **state)
{
	/* A later member replaces an earlier one. */
	static const struct file cases[] = {
		{"{" FINE "}", ""},
		{"{" FINE ", \"cflags\": \"-O1 -fsanitize=address\"}", "cflags "},
		{"{" FINE ", \"cflags\": \"-g\"}", "cflags "},
		{"{" FINE ", \"cores\": 1}", "cores "},
		{"{" FINE ", \"load_avg\": [2.5, 0, 0]}", "load_avg "},
		{"{" FINE ", \"cgroup\": {\"cpus\": 1.5}}", "cgroup "},
		{"{" FINE ", \"steal_share\": 0.02}", "steal_share "},
		{"{" FINE ", \"virtualization\": \"virtual machine, X\"}", "virtualization "},
		{"{" FINE ", \"governor\": \"powersave\"}", "governor "},
		{"{" FINE ", \"governor\": null}", ""},
		{"{" FINE ", \"turbo\": true}", "turbo "},
		{"{" FINE ", \"smt\": true}", "smt "},
		{"{" FINE ", \"numa_nodes\": 2}", "numa_nodes "},
		{"{" FINE ", \"clock_source\": \"hpet\"}", "clock_source "},
		{"{" FINE ", \"sysctls\": {\"net.ipv4.ip_local_port_range\": \"50000 60000\"}}",
			"sysctls "},
		{"{" FINE ", \"sysctls\": {\"net.core.somaxconn\": \"128\"}}", "sysctls "},
		{"{" FINE ", \"open_files\": {\"hard\": 1024}}", "open_files "},
		{"{" FINE ", \"sockets_in_time_wait\": 20000}", "sockets_in_time_wait "},
		{"{" FINE ", \"memory_available_bytes\": 1e8}", "memory_available_bytes "},
		{"{" FINE ", \"dirty\": true}", "dirty "},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++)
		assert_string_equal(ailments(cases[i].path), cases[i].text);
	assert_string_equal(ailments("{\"cflags\": \"-O2\"}"), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			test_a_machine_that_tells_all, make_root, remove_root),
		cmocka_unit_test_setup_teardown(test_a_group_of_version_1, make_root, remove_root),
		cmocka_unit_test_setup_teardown(
			test_a_machine_that_tells_nothing, make_root, remove_root),
		cmocka_unit_test(test_advice),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
