#ifndef TESTS_UNIT_THRIFT_GOLDEN_H
#define TESTS_UNIT_THRIFT_GOLDEN_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/test.h"

/* struct golden - A line of tests/golden/thrift. */
struct golden {
	char encoding[16];
	char name[32];
	char data[1024];
	size_t len;
};

/* golden_next() - The next line of @file. Return: false at its end. */
static inline bool golden_next(FILE *file, struct golden *golden)
{
	char hex[2 * sizeof(golden->data) + 1];
	unsigned byte;

	if (fscanf(file, "%15s %31s %2048s", golden->encoding, golden->name, hex) != 3)
		return false;
	golden->len = 0;
	for (const char *at = hex; sscanf(at, "%2x", &byte) == 1; at += 2)
		golden->data[golden->len++] = (char)byte;
	assert_int_equal(2 * golden->len, strlen(hex));
	return true;
}

/* golden_open() - A file of tests/golden/thrift; tests run in the root of the tree. */
static inline FILE *golden_open(const char *name)
{
	char path[64];
	FILE *file;

	snprintf(path, sizeof(path), "tests/golden/thrift/%s", name);
	file = fopen(path, "r");
	assert_non_null(file);
	return file;
}

/* golden_get() - Python's message @name in @encoding. */
static inline void golden_get(const char *encoding, const char *name, struct golden *golden)
{
	FILE *file = golden_open("python.txt");
	bool found = false;

	while (!found && golden_next(file, golden))
		found = strcmp(golden->encoding, encoding) == 0 && strcmp(golden->name, name) == 0;
	assert_true(found);
	fclose(file);
}

#endif
