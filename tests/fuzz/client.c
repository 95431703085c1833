#include <stdlib.h>
#include <string.h>

#include "harness/codec/codec.h"
#include "harness/codec/reference.h"
#include "harness/load/load.h"
#include "lib/buf.h"
#include "lib/clock.h"
#include "tests/fuzz/client.h"
#include "tests/fuzz/fuzz.h"

#define DEPTH_MAX 8
#define RESETS    0x08
#define OUT_MAX   (8 << 20) /* bytes of one flush(), far beyond what the requests have */

/* The connection, as the engine keeps it. */
struct conn {
	const struct codec_ops *codec;
	struct codec_env env;
	void *state;
	bool busy[DEPTH_MAX];
	uint32_t free_slots[DEPTH_MAX]; /* a ring: the one that was freed first goes out first */
	uint32_t free_head;
	uint32_t inflight;
	size_t fed; /* bytes */
	size_t accounted;
};

static void on_done(void *ctx, uint32_t slot, enum outcome outcome, unsigned status, size_t bytes)
{
	struct conn *c = ctx;

	(void)status;
	fuzz_check(slot < c->env.depth && c->busy[slot]);
	fuzz_check(outcome >= OUT_OK && outcome < OUT_REQUEST_KINDS);
	c->free_slots[(c->free_head + c->env.depth - c->inflight) % c->env.depth] = slot;
	c->busy[slot] = false;
	c->inflight--;
	c->accounted += bytes;
	fuzz_check(c->accounted <= c->fed);
}

/* Submits what fits, and takes what is to be sent. */
static void fill_and_send(struct conn *c)
{
	struct buf out = {0};

	while (c->inflight < c->env.depth) {
		uint32_t slot = c->free_slots[c->free_head];

		if (c->codec->submit(c->state, slot) != 0)
			break;
		c->free_head = (c->free_head + 1) % c->env.depth;
		c->busy[slot] = true;
		c->inflight++;
	}
	fuzz_check(c->codec->flush(c->state, &out) == 0 && buf_len(&out) <= OUT_MAX);
	buf_free(&out);
}

static int feed_piece(struct conn *c, const uint8_t *data, size_t len)
{
	/* A copy of its own, so that a sanitizer sees each byte too far. */
	char *copy = malloc(len);
	int ret;

	fuzz_check(copy != NULL);
	memcpy(copy, data, len);
	c->fed += len;
	ret = c->codec->feed(c->state, copy, len);
	free(copy);
	fuzz_check(ret == 0 || ret == CODEC_CLOSED || (ret < 0 && ret > -OUT_KINDS));
	return ret;
}

static void converse(struct conn *c, uint8_t how, const uint8_t *data, size_t size)
{
	size_t piece = fuzz_piece(how);
	int ret = 0;

	fill_and_send(c);
	for (size_t at = 0; ret == 0 && at < size;) {
		size_t len = size - at < piece ? size - at : piece;

		ret = feed_piece(c, data + at, len);
		at += len;
		if (ret == 0)
			fill_and_send(c);
	}
	if (ret == 0)
		fuzz_check(c->codec->eof(c->state, (how & RESETS) != 0) != 0);
}

static void open_and_close(struct conn *c, uint8_t how, const uint8_t *data, size_t size)
{
	for (uint32_t i = 0; i < c->env.depth; i++)
		c->free_slots[i] = i;
	c->state = calloc(1, c->codec->state_size);
	fuzz_check(c->state != NULL && c->codec->open(c->state, &c->env) == 0);
	converse(c, how, data, size);
	if (c->codec->close != NULL)
		c->codec->close(c->state);
	free(c->state);
}

void fuzz_client_run(const struct fuzz_client *client, const uint8_t *data, size_t size)
{
	struct target target;
	struct load_params params = {
		.target = &target,
		.connections = 1,
		.pipeline = DEPTH_MAX,
		.threads = 1,
		.timeout_ns = NS_PER_S,
		.keep_alive = true,
		.method = "POST",
		.body = client->body,
	};
	struct reference *reference;
	struct conn c = {0};

	if (size < 2)
		return;
	fuzz_check(target_parse(client->url, &target) == 0);
	c.codec = target.codec;
	reference = reference_new((struct slice){0});
	c.env = (struct codec_env){.depth = 1 + data[0] % DEPTH_MAX, .ctx = &c, .done = on_done};
	c.env.shared = c.codec->prepare(&params, reference);
	fuzz_check(reference != NULL && c.env.shared != NULL);
	open_and_close(&c, data[1], data + 2, size - 2);
	c.codec->release(c.env.shared);
	reference_free(reference);
	target_free(&target);
}
