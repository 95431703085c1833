#ifndef TESTS_UNIT_CODEC_DRIVER_H
#define TESTS_UNIT_CODEC_DRIVER_H

#include "harness/codec/codec.h"
#include "harness/codec/reference.h"
#include "harness/load/load.h"
#include "harness/load/target.h"
#include "lib/buf.h"

/**
 * DOC: A connection without an engine: feeds a client codec and writes down what it reports, as
 * text: "ok 200 38; mismatch 200 38; " for each request that ended, then at the end of the bytes
 * nothing, "closed", or the name of the outcome that broke the connection.
 */

struct driver {
	const struct codec_ops *codec;
	struct load_params params;
	struct target target;
	struct reference *reference;
	void *shared;
	struct codec_env env;
	void *state;
	struct buf events;
};

/** driver_new() - For @url. Change driver.params before driver_open(). */
struct driver *driver_new(const char *url);

/** driver_open() - Prepare, and open a connection of @depth slots. Return: 0 or -1. */
int driver_open(struct driver *d, uint32_t depth);

/** driver_reopen() - A fresh connection of the same thread: templates and reference stay. */
void driver_reopen(struct driver *d);

/** driver_submit() - Begin @n requests. Return: the bytes to send, until the next call. */
struct slice driver_submit(struct driver *d, unsigned n);

/** driver_feed() - Give @data in pieces of @piece bytes. Return: what happened since open. */
const char *driver_feed(struct driver *d, const char *data, size_t len, size_t piece);

/** driver_eof() - The peer closes. Return: as driver_feed(). */
const char *driver_eof(struct driver *d);

void driver_free(struct driver *d);

#endif
