#include <glob.h>
#include <jansson.h>
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "harness/host.h"
#include "harness/paths.h"
#include "harness/pin.h"
#include "harness/report/build.h"
#include "lib/fail.h"

/* The Makefile gives both; tools that read this file by itself go without. */
#ifndef HOST_CFLAGS
#define HOST_CFLAGS    "unknown"
#define HOST_LIBRARIES ""
#endif

#define LINE_SIZE 4096 /* the flags of a CPU are a long line */
#define CPU_CLASS "/sys/devices/system/cpu/"

/* The first line of a file, without its end. Return: false when it cannot be read. */
static bool read_line(const char *path, char *line, size_t size)
{
	FILE *in = fopen(path, "re");
	bool got = in != NULL && fgets(line, (int)size, in) != NULL;

	if (in != NULL)
		fclose(in);
	if (got)
		line[strcspn(line, "\n")] = '\0';
	return got && line[0] != '\0';
}

/* The value of the first line "NAME : VALUE" of a file in /proc. */
static bool read_value(const char *path, const char *name, char *value, size_t size)
{
	FILE *in = fopen(path, "re");
	char line[LINE_SIZE];
	bool got = false;

	while (in != NULL && !got && fgets(line, sizeof(line), in) != NULL) {
		char *colon = strchr(line, ':');

		if (colon == NULL || strncmp(line, name, strlen(name)) != 0)
			continue;
		line[strcspn(line, "\n")] = '\0';
		snprintf(value, size, "%s", colon + 1 + strspn(colon + 1, " \t"));
		got = value[0] != '\0';
	}
	if (in != NULL)
		fclose(in);
	return got;
}

static void put_hardware(struct build *b)
{
	char text[LINE_SIZE];
	unsigned long long kib;

	if (read_value("/proc/cpuinfo", "model name", text, sizeof(text)))
		build_text(b, "cpu_model", text);
	else
		build_absent(b, "cpu_model", "/proc/cpuinfo has no model name");
	build_count(b, "cores", (uint64_t)sysconf(_SC_NPROCESSORS_ONLN));
	if (read_value("/proc/meminfo", "MemTotal", text, sizeof(text)) &&
		sscanf(text, "%llu", &kib) == 1)
		build_count(b, "memory_bytes", kib * 1024);
	else
		build_absent(b, "memory_bytes", "/proc/meminfo has no MemTotal");
}

static void put_kernel(struct build *b)
{
	struct utsname name;
	char text[256];

	if (uname(&name) == 0) {
		snprintf(text, sizeof(text), "%s %s %s", name.sysname, name.release, name.machine);
		build_text(b, "kernel", text);
	} else {
		build_absent(b, "kernel", "uname() failed");
	}
	if (read_line(CPU_CLASS "cpu0/cpufreq/scaling_governor", text, sizeof(text)))
		build_text(b, "governor", text);
	else
		build_absent(b, "governor", "the kernel shows no cpufreq");
}

/* "9 mitigated, 2 vulnerable (mds, srbds), 7 not affected" */
static void put_mitigations(struct build *b)
{
	unsigned mitigated = 0;
	unsigned vulnerable = 0;
	unsigned unaffected = 0;
	char names[256] = "";
	char text[512];
	glob_t found = {0};

	if (glob(CPU_CLASS "vulnerabilities/*", 0, NULL, &found) != 0)
		found.gl_pathc = 0;
	for (size_t i = 0; i < found.gl_pathc; i++) {
		size_t len = strlen(names);

		if (!read_line(found.gl_pathv[i], text, sizeof(text)))
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

static void put_virtualization(struct build *b)
{
	char flags[LINE_SIZE];
	char vendor[128];
	char text[256];

	if (!read_value("/proc/cpuinfo", "flags", flags, sizeof(flags))) {
		build_absent(b, "virtualization", "/proc/cpuinfo has no flags");
		return;
	}
	if (strstr(flags, " hypervisor") == NULL)
		snprintf(text, sizeof(text), "none");
	else if (read_line("/sys/class/dmi/id/sys_vendor", vendor, sizeof(vendor)))
		snprintf(text, sizeof(text), "virtual machine, %s", vendor);
	else
		snprintf(text, sizeof(text), "virtual machine");
	if (access("/.dockerenv", F_OK) == 0 || access("/run/.containerenv", F_OK) == 0)
		strcat(text, ", container");
	build_text(b, "virtualization", text);
}

static void put_load(struct build *b)
{
	double load[3];
	json_t *list = json_array();

	if (getloadavg(load, 3) != 3) {
		build_absent(b, "load_avg", "getloadavg() failed");
		json_decref(list);
		return;
	}
	for (int i = 0; i < 3; i++)
		json_array_append_new(list, json_real(round(load[i] * 100) / 100));
	build_put(b, "load_avg", list);
}

/* HOST_LIBRARIES is "name version name version …", as pkg-config had it when this was built. */
static void put_build(struct build *b)
{
	char list[] = HOST_LIBRARIES;
	json_t *libraries = json_object();
	char *save = NULL;

#ifdef __clang__
	build_text(b, "compiler", __VERSION__);
#else
	build_text(b, "compiler", "gcc " __VERSION__);
#endif
	build_text(b, "cflags", HOST_CFLAGS);
	for (char *name = strtok_r(list, " ", &save); name != NULL;
		name = strtok_r(NULL, " ", &save)) {
		const char *version = strtok_r(NULL, " ", &save);

		json_object_set_new(
			libraries, name, version != NULL ? json_string(version) : json_null());
	}
	build_put(b, "libraries", libraries);
}

/*
 * The first line that git prints. @root goes through the environment, out of the shell's reach.
 * Return: 1 with a line, 0 without, -1 when git failed.
 */
static int ask_git(const char *root, const char *arguments, char *line, size_t size)
{
	char command[256];
	FILE *out;
	int got;

	snprintf(command, sizeof(command), "git -C \"$RPCBENCH_ROOT\" %s 2>/dev/null", arguments);
	setenv("RPCBENCH_ROOT", root, 1);
	out = popen(command, "re");
	if (out == NULL)
		return -1;
	got = fgets(line, (int)size, out) != NULL;
	if (got)
		line[strcspn(line, "\n")] = '\0';
	while (fgetc(out) != EOF)
		continue;
	if (pclose(out) != 0)
		return -1;
	return got;
}

static void put_commit(struct build *b, const struct paths *paths)
{
	char top[PATH_MAX];
	char line[PATH_MAX];
	int dirty = -1;

	/* A repository around an unpacked archive would tell of something else. */
	if (paths->installed ||
		ask_git(paths->root, "rev-parse --show-toplevel", top, sizeof(top)) != 1 ||
		strcmp(top, paths->root) != 0 ||
		ask_git(paths->root, "rev-parse HEAD", line, sizeof(line)) != 1) {
		build_absent(b, "commit", "not run from a git repository");
		build_absent(b, "dirty", "not run from a git repository");
		return;
	}
	build_text(b, "commit", line);
	dirty = ask_git(paths->root,
		"status --porcelain --untracked-files=no -- . ':(exclude)results'", line,
		sizeof(line));
	if (dirty >= 0)
		build_put(b, "dirty", json_boolean(dirty));
	else
		build_absent(b, "dirty", "git status failed");
}

json_t *host_environment(const struct paths *paths, const struct pin *pin)
{
	struct build b = build_begin();
	json_t *environment;

	put_hardware(&b);
	put_kernel(&b);
	put_virtualization(&b);
	put_mitigations(&b);
	put_load(&b);
	put_build(&b);
	put_commit(&b, paths);
	if (pin->on)
		build_put(&b, "pinning", pin_object(pin));
	else
		build_absent(&b, "pinning", pin->reason);
	environment = build_end(&b);
	if (environment == NULL)
		fail_msg("out of memory");
	return environment;
}
