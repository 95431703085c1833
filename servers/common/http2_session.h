#ifndef SERVERS_COMMON_HTTP2_SESSION_H
#define SERVERS_COMMON_HTTP2_SESSION_H

#include <nghttp2/nghttp2.h>

struct srv_options;

/**
 * http2_session_new() - A server's session of nghttp2 whose SETTINGS are queued.
 * @set_callbacks: fills in the callbacks.
 * @arg: for the callbacks.
 *
 * Return: owned by the caller, or NULL for lack of memory.
 */
nghttp2_session *http2_session_new(void (*set_callbacks)(nghttp2_session_callbacks *callbacks),
	const struct srv_options *options, void *arg);

#endif
