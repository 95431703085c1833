#include <stdlib.h>
#include <string.h>

#include "tests/unit/h2_peer.h"
#include "tests/unit/test.h"

#define NV(n, v)                                                                                   \
	(nghttp2_nv)                                                                               \
	{                                                                                          \
		.name = (uint8_t *)(n), .value = (uint8_t *)(v), .namelen = strlen(n),             \
		.valuelen = strlen(v)                                                              \
	}

static ssize_t read_body(nghttp2_session *session, int32_t stream, uint8_t *to, size_t room,
	uint32_t *flags, nghttp2_data_source *source, void *user)
{
	struct h2_peer *p = user;
	size_t at = (size_t)(uintptr_t)nghttp2_session_get_stream_user_data(session, stream);
	size_t n = p->body.len - at < room ? p->body.len - at : room;

	(void)source;
	memcpy(to, p->body.data + at, n);
	nghttp2_session_set_stream_user_data(session, stream, (void *)(uintptr_t)(at + n));
	if (at + n < p->body.len)
		return (ssize_t)n;
	*flags |= NGHTTP2_DATA_FLAG_EOF;
	if (p->grpc_status != NULL) {
		nghttp2_nv trailer = NV("grpc-status", p->grpc_status);

		*flags |= NGHTTP2_DATA_FLAG_NO_END_STREAM;
		nghttp2_submit_trailer(session, stream, &trailer, 1);
	}
	return (ssize_t)n;
}

static void reply(struct h2_peer *p, int32_t stream)
{
	nghttp2_data_provider body = {.read_callback = read_body};
	nghttp2_nv interim = NV(":status", "103");
	nghttp2_nv header[] = {
		NV(":status", p->status),
		NV("content-type", "application/grpc"),
		NV("x-filler", p->filler != NULL ? p->filler : ""),
	};

	if (p->interim)
		nghttp2_submit_headers(
			p->session, NGHTTP2_FLAG_NONE, stream, NULL, &interim, 1, NULL);
	nghttp2_submit_response(p->session, stream, header, p->filler != NULL ? 3 : 2, &body);
}

static int on_frame(nghttp2_session *session, const nghttp2_frame *frame, void *user)
{
	struct h2_peer *p = user;

	(void)session;
	if ((frame->hd.type != NGHTTP2_HEADERS && frame->hd.type != NGHTTP2_DATA) ||
		(frame->hd.flags & NGHTTP2_FLAG_END_STREAM) == 0)
		return 0;
	p->requests++;
	if (p->hold)
		p->held[p->held_n++] = frame->hd.stream_id;
	else
		reply(p, frame->hd.stream_id);
	return 0;
}

static int on_begin(nghttp2_session *session, const nghttp2_frame *frame, void *user)
{
	struct h2_peer *p = user;

	(void)session;
	(void)frame;
	p->open++;
	p->most_at_once = p->open > p->most_at_once ? p->open : p->most_at_once;
	return 0;
}

static int on_stream_close(nghttp2_session *session, int32_t stream, uint32_t error, void *user)
{
	struct h2_peer *p = user;

	(void)session;
	(void)stream;
	(void)error;
	p->open--;
	return 0;
}

static int on_header(nghttp2_session *session, const nghttp2_frame *frame, const uint8_t *name,
	size_t name_len, const uint8_t *value, size_t value_len, uint8_t flags, void *user)
{
	struct h2_peer *p = user;

	(void)session;
	(void)frame;
	(void)flags;
	if (name_len == 5 && memcmp(name, ":path", 5) == 0)
		memcpy(p->path, value, value_len + 1);
	if (name_len == 10 && memcmp(name, ":authority", 10) == 0)
		memcpy(p->authority, value, value_len + 1);
	return 0;
}

static int on_data(nghttp2_session *session, uint8_t flags, int32_t stream, const uint8_t *data,
	size_t len, void *user)
{
	struct h2_peer *p = user;

	(void)session;
	(void)flags;
	(void)stream;
	(void)data;
	p->body_bytes += len;
	return 0;
}

static ssize_t select_padding(
	nghttp2_session *session, const nghttp2_frame *frame, size_t max, void *user)
{
	struct h2_peer *p = user;
	size_t wanted = frame->hd.length + p->padding;

	(void)session;
	return (ssize_t)(wanted < max ? wanted : max);
}

void h2_peer_open(struct h2_peer *p)
{
	nghttp2_session_callbacks *callbacks;
	nghttp2_settings_entry settings[4];
	size_t n = 0;

	nghttp2_session_callbacks_new(&callbacks);
	nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, on_frame);
	nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks, on_begin);
	nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, on_stream_close);
	nghttp2_session_callbacks_set_on_header_callback(callbacks, on_header);
	nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, on_data);
	if (p->padding > 0)
		nghttp2_session_callbacks_set_select_padding_callback(callbacks, select_padding);
	nghttp2_session_server_new(&p->session, callbacks, p);
	nghttp2_session_callbacks_del(callbacks);
	if (p->status == NULL)
		p->status = "200";
	if (p->max_streams > 0)
		settings[n++] = (nghttp2_settings_entry){
			NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, p->max_streams};
	if (p->window > 0)
		settings[n++] =
			(nghttp2_settings_entry){NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, p->window};
	if (p->table_size != UINT32_MAX)
		settings[n++] =
			(nghttp2_settings_entry){NGHTTP2_SETTINGS_HEADER_TABLE_SIZE, p->table_size};
	nghttp2_submit_settings(p->session, NGHTTP2_FLAG_NONE, settings, n);
}

void h2_peer_feed(struct h2_peer *p, struct slice bytes)
{
	if (nghttp2_session_mem_recv(p->session, (const uint8_t *)bytes.data, bytes.len) !=
		(ssize_t)bytes.len)
		p->failed = true;
}

struct slice h2_peer_take(struct h2_peer *p)
{
	const uint8_t *data;
	ssize_t n;

	buf_clear(&p->out);
	while ((n = nghttp2_session_mem_send(p->session, &data)) > 0)
		buf_append(&p->out, data, (size_t)n);
	return (struct slice){.data = buf_head(&p->out), .len = buf_len(&p->out)};
}

void h2_peer_reply_all(struct h2_peer *p)
{
	for (unsigned i = 0; i < p->held_n; i++)
		reply(p, p->held[p->held_n - 1 - i]);
	p->held_n = 0;
}

void h2_peer_close(struct h2_peer *p)
{
	nghttp2_session_del(p->session);
	buf_free(&p->out);
}
