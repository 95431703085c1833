/* Bytes, targets and hosts by the grammars of RFC 3986 and RFC 9110. */
#include <stdint.h>
#include <strings.h>

#include "servers/common/http1_target.h"

/* Kinds of bytes. */
enum {
	TARGET = 1 << 0, /* pchar and '/' of RFC 3986 */
	HOST = 1 << 1,   /* of uri-host [":" port] */
	TOKEN = 1 << 2,  /* tchar of RFC 9110 */
	HEX = 1 << 3,
};

static const uint8_t kinds[256] = {
	['0' ... '9'] = TARGET | HOST | TOKEN | HEX,
	['A' ... 'F'] = TARGET | HOST | TOKEN | HEX,
	['G' ... 'Z'] = TARGET | HOST | TOKEN,
	['a' ... 'f'] = TARGET | HOST | TOKEN | HEX,
	['g' ... 'z'] = TARGET | HOST | TOKEN,
	['-'] = TARGET | HOST | TOKEN,
	['.'] = TARGET | HOST | TOKEN,
	['_'] = TARGET | HOST | TOKEN,
	['~'] = TARGET | HOST | TOKEN,
	['!'] = TARGET | HOST | TOKEN,
	['$'] = TARGET | HOST | TOKEN,
	['&'] = TARGET | HOST | TOKEN,
	['\''] = TARGET | HOST | TOKEN,
	['*'] = TARGET | HOST | TOKEN,
	['+'] = TARGET | HOST | TOKEN,
	['%'] = TARGET | HOST | TOKEN,
	['('] = TARGET | HOST,
	[')'] = TARGET | HOST,
	[','] = TARGET | HOST,
	[';'] = TARGET | HOST,
	['='] = TARGET | HOST,
	[':'] = TARGET | HOST,
	['['] = HOST,
	[']'] = HOST,
	['@'] = TARGET,
	['/'] = TARGET,
	['#'] = TOKEN,
	['^'] = TOKEN,
	['`'] = TOKEN,
	['|'] = TOKEN,
};

static bool is(char byte, int kind)
{
	return (kinds[(unsigned char)byte] & kind) != 0;
}

bool http1_is_token(char byte)
{
	return is(byte, TOKEN);
}

bool http1_host_valid(struct slice host)
{
	int shared = HOST;

	for (size_t i = 0; i < host.len; i++)
		shared &= kinds[(unsigned char)host.data[i]];
	return shared != 0;
}

/* Length of "http://authority" or "https://authority" at the front; 0 = there is none. */
static size_t skip_authority(struct slice text)
{
	struct slice host;
	size_t at;

	if (text.len > 7 && strncasecmp(text.data, "http://", 7) == 0)
		at = 7;
	else if (text.len > 8 && strncasecmp(text.data, "https://", 8) == 0)
		at = 8;
	else
		return 0;
	host.data = text.data + at;
	for (; at < text.len && text.data[at] != '/' && text.data[at] != '?'; at++)
		;
	host.len = (size_t)(text.data + at - host.data);
	return host.len > 0 && http1_host_valid(host) ? at : 0;
}

bool http1_target_parse(struct slice text, struct http1_target *target)
{
	size_t start = 0;
	size_t at;

	*target = (struct http1_target){0};
	if (text.len == 1 && text.data[0] == '*') {
		target->path = text;
		return true;
	}
	if (text.len > 0 && text.data[0] != '/')
		start = skip_authority(text);
	if (text.len == 0 || (start == 0 && text.data[0] != '/'))
		return false;

	for (at = start; at < text.len && text.data[at] != '?'; at++) {
		if (!is(text.data[at], TARGET))
			return false;
		if (text.data[at] != '%')
			continue;
		if (text.len - at < 3 || !is(text.data[at + 1], HEX) || !is(text.data[at + 2], HEX))
			return false;
		target->encoded = true;
	}
	target->path = (struct slice){text.data + start, at - start};
	if (target->path.len == 0)
		target->path = slice_of("/"); /* RFC 9110 section 4.2.3 */
	if (at == text.len)
		return true;
	target->query = (struct slice){text.data + at + 1, text.len - at - 1};
	/* What browsers leave unencoded in a query is let through, but for a fragment. */
	return memchr(target->query.data, '#', target->query.len) == NULL;
}

static int hex_value(char digit)
{
	return digit <= '9' ? digit - '0' : (digit | 0x20) - 'a' + 10;
}

bool http1_target_is(const struct http1_target *target, const char *path)
{
	const char *at = target->path.data;
	const char *end = at + target->path.len;

	if (!target->encoded)
		return strncmp(path, at, target->path.len) == 0 && path[target->path.len] == '\0';
	for (; at < end; at++, path++) {
		int byte = (unsigned char)*at;

		if (byte == '%') {
			byte = hex_value(at[1]) << 4 | hex_value(at[2]);
			at += 2;
		}
		if (byte == '\0' || byte != (unsigned char)*path)
			return false;
	}
	return *path == '\0';
}
