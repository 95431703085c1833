#include "servers/common/http2_session.h"

#include "servers/common/http2.h"

/* The library's defaults hold for the rest: 1000 acknowledgements that wait, 32 entries in a
 * SETTINGS frame, 8 CONTINUATION frames. */
static nghttp2_option *new_option(void)
{
	nghttp2_option *option;

	if (nghttp2_option_new(&option) != 0)
		return NULL;
	nghttp2_option_set_no_closed_streams(option, 1);
	/* Ours is HTTP2_RESETS_MAX. */
	nghttp2_option_set_stream_reset_rate_limit(option, UINT64_MAX, UINT64_MAX);
	return option;
}

/* What we announce. Without the priorities of RFC 7540 streams take turns. Return: 0 or -1. */
static int announce(nghttp2_session *session, const struct srv_options *options)
{
	uint64_t limit = options->header_limit;
	const nghttp2_settings_entry settings[] = {
		{NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, HTTP2_STREAMS_MAX},
		{NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE,
			limit < UINT32_MAX ? (uint32_t)limit : UINT32_MAX},
		{NGHTTP2_SETTINGS_NO_RFC7540_PRIORITIES, 1},
	};

	if (nghttp2_submit_settings(session, NGHTTP2_FLAG_NONE, settings,
		    sizeof(settings) / sizeof(*settings)) != 0)
		return -1;
	if (nghttp2_session_set_local_window_size(
		    session, NGHTTP2_FLAG_NONE, 0, HTTP2_BODIES_MAX) != 0)
		return -1;
	return 0;
}

nghttp2_session *http2_session_new(void (*set_callbacks)(nghttp2_session_callbacks *callbacks),
	const struct srv_options *options, void *arg)
{
	nghttp2_session_callbacks *callbacks = NULL;
	nghttp2_session *session = NULL;
	nghttp2_option *option = new_option();

	if (option == NULL || nghttp2_session_callbacks_new(&callbacks) != 0)
		goto err0;
	set_callbacks(callbacks);
	if (nghttp2_session_server_new2(&session, callbacks, arg, option) != 0)
		session = NULL;
	else if (announce(session, options) != 0)
		goto err1;
	nghttp2_session_callbacks_del(callbacks);
	nghttp2_option_del(option);
	return session;

err1:
	nghttp2_session_del(session);
	nghttp2_session_callbacks_del(callbacks);
err0:
	nghttp2_option_del(option);
	return NULL;
}
