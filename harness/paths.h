#ifndef HARNESS_PATHS_H
#define HARNESS_PATHS_H

#include <stdbool.h>

/**
 * struct paths - Where things are, found from the program's own place: build/VARIANT/bin below a
 * repository, or PREFIX/bin with PREFIX/share/rpcbench and PREFIX/libexec/rpcbench beside it.
 */
struct paths {
	char *bin;      /* the servers' programs, {bin} in manifests */
	char *root;     /* of servers/, peers/, harness/rounds/, protos/expect/: {root} */
	char *logs;     /* of servers' output; made when the first log is */
	bool installed; /* not in a repository */
};

/**
 * paths_find() - Find everything.
 *
 * Return: 0, to be freed by paths_free(); -1 after a message.
 */
int paths_find(struct paths *paths);

/** paths_free() - Let go of what it owns; also of a zeroed struct. */
void paths_free(struct paths *paths);

/**
 * paths_short() - @path without the root in front, for texts that others will read; itself when
 *   it is elsewhere. Valid as long as @path.
 */
const char *paths_short(const struct paths *paths, const char *path);

/** paths_make() - Make folder @path with all its parents. Return: 0, or -1 with errno. */
int paths_make(const char *path);

/**
 * paths_results() - The folder for results: @out; without it results/ of the repository, or of
 *   the current folder where the suite is installed.
 * @as_written: false: options change what is measured, so the results do not belong there.
 *
 * Return: owned by the caller, or NULL without memory.
 */
char *paths_results(const struct paths *paths, const char *out, bool as_written);

/**
 * paths_list() - The names of the files NAME.json in @folder below the root, sorted.
 *
 * Return: ended by NULL, to be freed by paths_list_free(); NULL without memory.
 */
char **paths_list(const struct paths *paths, const char *folder);

/** paths_list_free() - Also of NULL. */
void paths_list_free(char **names);

#endif
