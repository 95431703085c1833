#include <stdlib.h>
#include <string.h>

#include "lib/clock.h"
#include "tests/unit/codec_driver.h"
#include "tests/unit/test.h"

static struct buf sent;

static void on_done(void *ctx, uint32_t slot, enum outcome outcome, unsigned status, size_t bytes)
{
	struct driver *d = ctx;

	(void)slot;
	buf_printf(&d->events, "%s %u %zu; ", outcome_name(outcome), status, bytes);
}

struct driver *driver_new(const char *url)
{
	struct driver *d = calloc(1, sizeof(*d));

	assert_non_null(d);
	assert_int_equal(target_parse(url, &d->target), 0);
	d->codec = d->target.codec;
	d->params = (struct load_params){
		.target = &d->target,
		.connections = 1,
		.pipeline = 1,
		.threads = 1,
		.timeout_ns = NS_PER_S,
		.keep_alive = true,
		.method = "GET",
	};
	return d;
}

static void open_state(struct driver *d)
{
	d->state = calloc(1, d->codec->state_size);
	assert_int_equal(d->codec->open(d->state, &d->env), 0);
	buf_clear(&d->events);
}

int driver_open(struct driver *d, uint32_t depth)
{
	d->reference = reference_new(d->params.expect_body);
	d->shared = d->codec->prepare(&d->params, d->reference);
	if (d->shared == NULL)
		return -1;
	d->env = (struct codec_env){.shared = d->shared, .depth = depth, .ctx = d, .done = on_done};
	open_state(d);
	return 0;
}

static void close_state(struct driver *d)
{
	if (d->state == NULL)
		return;
	d->codec->close(d->state);
	free(d->state);
	d->state = NULL;
}

void driver_reopen(struct driver *d)
{
	close_state(d);
	open_state(d);
}

struct slice driver_submit(struct driver *d, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		assert_int_equal(d->codec->submit(d->state, i % d->env.depth), 0);
	buf_clear(&sent);
	assert_int_equal(d->codec->flush(d->state, &sent), 0);
	return (struct slice){.data = buf_head(&sent), .len = buf_len(&sent)};
}

static const char *events_text(struct driver *d, int ret)
{
	if (ret != 0)
		buf_printf(
			&d->events, "%s", ret > 0 ? "closed" : outcome_name((enum outcome) - ret));
	buf_append(&d->events, "", 1);
	d->events.end--;
	return buf_head(&d->events);
}

const char *driver_feed(struct driver *d, const char *data, size_t len, size_t piece)
{
	int ret = 0;

	while (ret == 0 && len > 0) {
		size_t n = len < piece ? len : piece;
		/* A copy of its own, so that a read beyond it is seen by ASan. */
		char *copy = malloc(n);

		memcpy(copy, data, n);
		ret = d->codec->feed(d->state, copy, n);
		free(copy);
		data += n;
		len -= n;
	}
	return events_text(d, ret);
}

const char *driver_eof(struct driver *d)
{
	return events_text(d, d->codec->eof(d->state, false));
}

void driver_free(struct driver *d)
{
	close_state(d);
	if (d->shared != NULL)
		d->codec->release(d->shared);
	reference_free(d->reference);
	target_free(&d->target);
	buf_free(&d->events);
	buf_free(&sent);
	free(d);
}
