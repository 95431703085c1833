#include <jansson.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/host.h"
#include "harness/machine.h"
#include "harness/paths.h"
#include "harness/pin.h"
#include "harness/report/build.h"
#include "lib/fail.h"

/* The Makefile gives both; tools that read this file by itself go without. */
#ifndef HOST_CFLAGS
#define HOST_CFLAGS    "unknown"
#define HOST_LIBRARIES ""
#endif

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

	machine_put(&b, "");
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
