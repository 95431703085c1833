#ifndef SERVERS_COMMON_HTTP1_TARGET_H
#define SERVERS_COMMON_HTTP1_TARGET_H

#include <stdbool.h>

#include "lib/slice.h"

/** struct http1_target - A request target taken apart; points into its text. */
struct http1_target {
	struct slice path;  /* as sent; "*" for the asterisk form */
	struct slice query; /* after the '?' */
	bool encoded;       /* the path has percent-encoded bytes, all well-formed */
};

/**
 * http1_target_parse() - Take a target in origin, absolute or asterisk form apart (RFC 9112
 *   section 3.2).
 *
 * Return: false when it is none of these, has a fragment, or a path with bytes that RFC 3986
 *   does not allow.
 */
bool http1_target_parse(struct slice text, struct http1_target *target);

/** http1_target_is() - True when the decoded path is @path. */
bool http1_target_is(const struct http1_target *target, const char *path);

/** http1_host_valid() - True for uri-host [":" port] and for nothing, RFC 9110 section 7.2. */
bool http1_host_valid(struct slice host);

/** http1_is_token() - True for a byte of a token, RFC 9110 section 5.6.2. */
bool http1_is_token(char byte);

#endif
