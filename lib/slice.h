#ifndef LIB_SLICE_H
#define LIB_SLICE_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/** struct slice - Bytes that belong to somebody else; valid as long as their owner says. */
struct slice {
	const char *data; /* may be NULL when len is 0 */
	size_t len;
};

/** slice_of() - The bytes of a C string without its NUL (transfer none). */
static inline struct slice slice_of(const char *text)
{
	return (struct slice){.data = text, .len = strlen(text)};
}

/** slice_eq() - True when both have the same bytes. */
static inline bool slice_eq(struct slice a, struct slice b)
{
	return a.len == b.len && (a.len == 0 || memcmp(a.data, b.data, a.len) == 0);
}

#endif
