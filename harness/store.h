#ifndef HARNESS_STORE_H
#define HARNESS_STORE_H

#include <jansson.h>
#include <stdbool.h>

/**
 * DOC: Where a round's results go: FOLDER/NAME.json, NAME.md and charts. What was measured is not
 * lost when the folder fails: the record is kept in a temporary folder then, or else printed.
 */

#define STORE_PROBE_BYTES (1 << 20) /* free at the start; the largest records are half of that */

/** struct store - A zeroed struct is none. */
struct store {
	char *folder; /* owned, as the others */
	char *json_path;
	char *stem; /* of the page and the charts */
	char *spare_path;
	bool failed; /* to be written where it belongs */
};

/**
 * store_open() - Make the folder, and find out whether it can be written to.
 *
 * Return: 0, or -1 after a message; end with store_close() in both cases.
 */
int store_open(struct store *store, const char *folder, const char *name);

/**
 * store_save() - Write the record, as far as it has come.
 *
 * After a failure it is written to the spare place, and a message says so, once.
 */
void store_save(struct store *store, const json_t *record);

/**
 * store_finish() - Write the whole record, the page and the charts, and say where they are. A
 * record that could be written nowhere is printed on stdout.
 *
 * Return: 0 when both are where they belong, else -1 after a message.
 */
int store_finish(struct store *store, const json_t *record);

/** store_close() - Let go of what it owns; also of a zeroed struct. */
void store_close(struct store *store);

#endif
