#include <errno.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/paths.h"
#include "lib/fail.h"

/* True when @root holds the rounds. */
static bool holds_rounds(const char *root)
{
	char path[PATH_MAX];
	int len = snprintf(path, sizeof(path), "%s/harness/rounds", root);

	return len > 0 && (size_t)len < sizeof(path) && access(path, R_OK | X_OK) == 0;
}

/* Cut the last @n parts off @path. Return: false when there are not so many. */
static bool cut(char *path, int n)
{
	while (n-- > 0) {
		char *slash = strrchr(path, '/');

		if (slash == NULL)
			return false;
		*slash = '\0';
	}
	return true;
}

/* The folder for logs of an installed rpcbench: as the XDG base directory specification has it. */
static char *state_folder(void)
{
	const char *state = getenv("XDG_STATE_HOME");
	const char *home = getenv("HOME");
	const char *tmp = getenv("TMPDIR");
	char *folder = NULL;
	int made;

	if (state != NULL && state[0] == '/')
		made = asprintf(&folder, "%s/rpcbench/logs", state);
	else if (home != NULL && home[0] == '/')
		made = asprintf(&folder, "%s/.local/state/rpcbench/logs", home);
	else
		made = asprintf(&folder, "%s/rpcbench-logs", tmp != NULL ? tmp : "/tmp");
	return made < 0 ? NULL : folder;
}

static int fill_repository(struct paths *paths, const char *folder, const char *root)
{
	paths->bin = strdup(folder);
	paths->root = strdup(root);
	if (asprintf(&paths->logs, "%s/build/logs", root) < 0)
		paths->logs = NULL;
	return paths->bin != NULL && paths->root != NULL && paths->logs != NULL ? 0 : -1;
}

static int fill_installed(struct paths *paths, const char *prefix)
{
	paths->installed = true;
	if (asprintf(&paths->bin, "%s/libexec/rpcbench", prefix) < 0)
		paths->bin = NULL;
	if (asprintf(&paths->root, "%s/share/rpcbench", prefix) < 0)
		paths->root = NULL;
	paths->logs = state_folder();
	return paths->bin != NULL && paths->root != NULL && paths->logs != NULL ? 0 : -1;
}

int paths_find(struct paths *paths)
{
	char folder[PATH_MAX];
	char parent[PATH_MAX];
	ssize_t len = readlink("/proc/self/exe", folder, sizeof(folder) - 1);
	int status;

	*paths = (struct paths){0};
	if (len < 0)
		return fail_errno("cannot find the program's own place, /proc/self/exe");
	folder[len] = '\0';
	cut(folder, 1);

	memcpy(parent, folder, sizeof(parent));
	if (cut(parent, 3) && holds_rounds(parent)) {
		status = fill_repository(paths, folder, parent);
	} else {
		memcpy(parent, folder, sizeof(parent));
		cut(parent, 1);
		status = fill_installed(paths, parent);
	}
	if (status != 0) {
		paths_free(paths);
		return fail_msg("out of memory");
	}
	if (!holds_rounds(paths->root)) {
		fail_msg("%s is neither build/VARIANT/bin of a repository nor PREFIX/bin with "
			 "rounds in PREFIX/share/rpcbench/harness/rounds",
			folder);
		paths_free(paths);
		return -1;
	}
	return 0;
}

void paths_free(struct paths *paths)
{
	free(paths->bin);
	free(paths->root);
	free(paths->logs);
	*paths = (struct paths){0};
}

const char *paths_short(const struct paths *paths, const char *path)
{
	size_t len = strlen(paths->root);

	if (strncmp(path, paths->root, len) == 0 && path[len] == '/')
		return path + len + 1;
	return path;
}

int paths_make(const char *path)
{
	char part[PATH_MAX];
	struct stat info;
	size_t len = strlen(path);

	if (len >= sizeof(part)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	memcpy(part, path, len + 1);
	for (char *p = part + 1; *p != '\0'; p++) {
		if (*p != '/')
			continue;
		*p = '\0';
		if (mkdir(part, 0777) != 0 && errno != EEXIST)
			return -1;
		*p = '/';
	}
	if (mkdir(part, 0777) == 0)
		return 0;
	if (errno != EEXIST || stat(part, &info) != 0)
		return -1;
	errno = ENOTDIR;
	return S_ISDIR(info.st_mode) ? 0 : -1;
}

char *paths_results(const struct paths *paths, const char *out, bool as_written)
{
	char *folder = NULL;

	if (out != NULL)
		return strdup(out);
	if (paths->installed)
		return strdup(as_written ? "results" : "results/changed");
	if (asprintf(&folder, "%s/%s", paths->root, as_written ? "results" : "build/results") < 0)
		return NULL;
	return folder;
}

char **paths_list(const struct paths *paths, const char *folder)
{
	static const char suffix[] = ".json";
	char pattern[PATH_MAX];
	glob_t found = {0};
	char **names;

	snprintf(pattern, sizeof(pattern), "%s/%s/*%s", paths->root, folder, suffix);
	if (glob(pattern, 0, NULL, &found) != 0)
		found.gl_pathc = 0;
	names = calloc(found.gl_pathc + 1, sizeof(*names));
	for (size_t i = 0; names != NULL && i < found.gl_pathc; i++) {
		const char *name = strrchr(found.gl_pathv[i], '/') + 1;

		names[i] = strndup(name, strlen(name) - strlen(suffix));
		if (names[i] == NULL)
			break;
	}
	globfree(&found);
	return names;
}

void paths_list_free(char **names)
{
	for (char **name = names; name != NULL && *name != NULL; name++)
		free(*name);
	free(names);
}
