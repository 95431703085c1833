#ifndef HARNESS_SUITE_H
#define HARNESS_SUITE_H

#include <stddef.h>

#include "harness/manifest.h"
#include "harness/paths.h"

struct opt_list;

/** struct suite - What there is to measure, and where it is. */
struct suite {
	struct paths paths;
	struct manifests manifests;
	size_t own_count; /* contestants of the suite; those of --manifest come after them */
};

/**
 * suite_open() - Find the suite's own contestants, and read the manifests @files.
 *
 * Return: 0, to be closed by suite_close(); -1 after a message.
 */
int suite_open(struct suite *suite, const struct opt_list *files);

/** suite_close() - Let go of what it owns; also of a zeroed struct. */
void suite_close(struct suite *suite);

/**
 * suite_find() - A contestant by name.
 *
 * Return: it, or NULL after a message that lists the known names.
 */
const struct contestant *suite_find(const struct suite *suite, const char *name);

#endif
