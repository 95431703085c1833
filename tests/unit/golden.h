#ifndef TESTS_UNIT_GOLDEN_H
#define TESTS_UNIT_GOLDEN_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/test.h"

#define GOLDEN_UPDATE "UPDATE_GOLDEN" /* environment: write the expected texts, do not compare */

/* The text of a file, owned by the caller. */
static inline char *read_all(const char *path)
{
	FILE *in = fopen(path, "r");
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);
	int c;

	if (in == NULL)
		fail_msg("cannot read %s", path);
	assert_non_null(out);
	while ((c = fgetc(in)) != EOF)
		fputc(c, out);
	fclose(in);
	fclose(out);
	return text;
}

/* Compares @text, which is freed, with a file. */
static inline void assert_golden(char *text, const char *path)
{
	char *expected;

	if (getenv(GOLDEN_UPDATE) != NULL) {
		FILE *out = fopen(path, "w");

		assert_non_null(out);
		fputs(text, out);
		fclose(out);
	}
	expected = read_all(path);
	if (strcmp(text, expected) != 0) {
		fputs(text, stderr);
		fail_msg("differs from %s", path);
	}
	free(expected);
	free(text);
}

#endif
