/* What goes out on an HTTP/2 connection; the map is in h2.c. */
#include <stdlib.h>
#include <string.h>

#include "harness/codec/h2_conn.h"
#include "harness/codec/h2_frame.h"
#include "harness/load/load.h"
#include "lib/fail.h"

static int build_hello(struct buf *out)
{
	static const unsigned char settings[] = {
		0,
		H2_HEADER_TABLE_SIZE,
		0,
		0,
		0,
		0,
		0,
		H2_ENABLE_PUSH,
		0,
		0,
		0,
		0,
		0,
		H2_INITIAL_WINDOW_SIZE,
		0x7f,
		0xff,
		0xff,
		0xff,
	};

	if (buf_append(out, H2_PREFACE, strlen(H2_PREFACE)) != 0 ||
		h2_frame_put(out, H2_SETTINGS, 0, 0, settings, sizeof(settings)) != 0)
		return -1;
	return h2_frame_put_u32(out, H2_WINDOW_UPDATE, 0, H2_WINDOW_MAX - H2_WINDOW_DEFAULT);
}

static int build_body(struct h2_shared *shared, struct slice body)
{
	char prefix[GRPC_PREFIX] = {0};

	for (size_t i = 1; i < GRPC_PREFIX; i++)
		prefix[i] = (char)(body.len >> 8 * (GRPC_PREFIX - 1 - i));
	if (shared->grpc && buf_append(&shared->body, prefix, sizeof(prefix)) != 0)
		return -1;
	return buf_append(&shared->body, body.data, body.len);
}

void h2_release(void *arg)
{
	struct h2_shared *shared = arg;

	if (shared == NULL)
		return;
	for (size_t i = 0; i < H2_BLOCKS; i++)
		buf_free(&shared->blocks[i]);
	buf_free(&shared->hello);
	buf_free(&shared->body);
	free(shared);
}

static void *prepare(const struct load_params *params, struct reference *reference, bool grpc)
{
	struct h2_shared *shared = calloc(1, sizeof(*shared));

	if (shared == NULL) {
		fail_errno("cannot prepare a request");
		return NULL;
	}
	shared->grpc = grpc;
	shared->head = !grpc && strcmp(params->method, "HEAD") == 0;
	shared->reference = reference;
	shared->check_status = params->verify != VERIFY_OFF;
	shared->level = params->verify == VERIFY_FULL     ? CHECK_BYTES
			: params->verify == VERIFY_LENGTH ? CHECK_LENGTH
							  : CHECK_NOTHING;
	if (build_hello(&shared->hello) != 0 || build_body(shared, params->body) != 0 ||
		h2_head_encode(params, grpc, shared->blocks) != 0) {
		h2_release(shared);
		return NULL;
	}
	return shared;
}

void *h2c_prepare(const struct load_params *params, struct reference *reference)
{
	return prepare(params, reference, false);
}

void *grpc_prepare(const struct load_params *params, struct reference *reference)
{
	return prepare(params, reference, true);
}

int h2_submit(void *state, uint32_t slot)
{
	struct h2 *h = state;
	uint32_t tail = h->waiting_head + h->waiting_n;

	if (h->going_away)
		return -1;
	h->waiting[tail < h->env->depth ? tail : tail - h->env->depth] = slot;
	h->waiting_n++;
	return 0;
}

uint32_t h2_next_waiting(struct h2 *h)
{
	uint32_t slot = h->waiting[h->waiting_head];

	h->waiting_head = h->waiting_head + 1 < h->env->depth ? h->waiting_head + 1 : 0;
	h->waiting_n--;
	return slot;
}

/* As much of the body as both windows allow. */
static int send_body(struct h2 *h, struct h2_stream *s, struct buf *out)
{
	const struct buf *body = &h->shared->body;
	size_t total = buf_len(body);

	while (s->sent < total) {
		int64_t room = s->send_window < h->send_window ? s->send_window : h->send_window;
		size_t n = total - s->sent < H2_FRAME_MAX ? total - s->sent : H2_FRAME_MAX;

		if (room <= 0)
			return 0;
		n = (int64_t)n < room ? n : (size_t)room;
		if (h2_frame_put(out, H2_DATA, s->sent + n == total ? H2_END_STREAM : 0, s->id,
			    buf_head(body) + s->sent, n) != 0)
			return -1;
		s->sent += n;
		s->send_window -= (int64_t)n;
		h->send_window -= (int64_t)n;
	}
	return 0;
}

static int send_header(struct h2 *h, struct h2_stream *s, uint8_t flags, struct buf *out)
{
	static const char shrink = 0x20; /* table size 0: RFC 7541 section 6.3 */
	const struct buf *block = &h->shared->blocks[h->block];
	size_t at = buf_len(out);

	if (!h->shrink_table) {
		if (h2_frame_put(out, H2_HEADERS, flags, s->id, buf_head(block), buf_len(block)) !=
			0)
			return -1;
	} else {
		/* Written as two pieces; the length in the head is mended. */
		if (h2_frame_put(out, H2_HEADERS, flags, s->id, &shrink, 1) != 0 ||
			buf_append(out, buf_head(block), buf_len(block)) != 0)
			return -1;
		buf_head(out)[at + 1] = (char)((buf_len(block) + 1) >> 8);
		buf_head(out)[at + 2] = (char)(buf_len(block) + 1);
		h->shrink_table = false;
	}
	if (h->block == H2_BLOCK_FIRST)
		h->block = H2_BLOCK_NEXT;
	return 0;
}

static int start_stream(struct h2 *h, uint32_t slot, struct buf *out)
{
	struct h2_stream *s = &h->streams[slot];
	bool bodiless = buf_len(&h->shared->body) == 0;

	s->id = h->next_id;
	s->got_header = false;
	s->send_window = h->initial_window;
	s->sent = 0;
	s->bytes = 0;
	s->unrefilled = 0;
	s->prefix_len = 0;
	h->next_id += 2;
	h->going_away |= h->next_id >= H2_STREAM_ID_LIMIT;
	h->slot_of[s->id >> 1 & h->slot_mask] = slot;
	h->active++;
	if (send_header(h, s, H2_END_HEADERS | (bodiless ? H2_END_STREAM : 0), out) != 0 ||
		send_body(h, s, out) != 0)
		return -1;
	h->unsent += s->sent < buf_len(&h->shared->body);
	return 0;
}

/* Streams whose bodies the windows held back. */
static int send_bodies(struct h2 *h, struct buf *out)
{
	size_t total = buf_len(&h->shared->body);

	for (uint32_t slot = 0; h->unsent > 0 && slot < h->env->depth; slot++) {
		struct h2_stream *s = &h->streams[slot];

		if (s->id == 0 || s->sent == total)
			continue;
		if (send_body(h, s, out) != 0)
			return -1;
		h->unsent -= s->sent == total;
	}
	return 0;
}

int h2_flush(void *state, struct buf *out)
{
	struct h2 *h = state;

	if (buf_append(out, buf_head(&h->control), buf_len(&h->control)) != 0)
		return -1;
	buf_clear(&h->control);
	if (h->unsent > 0 && h->send_window > 0 && send_bodies(h, out) != 0)
		return -1;
	while (h->waiting_n > 0 && h->active < h->max_streams && h->got_settings) {
		if (start_stream(h, h2_next_waiting(h), out) != 0)
			return -1;
	}
	return 0;
}
