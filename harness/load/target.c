#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/codec/codec.h"
#include "harness/load/target.h"
#include "lib/fail.h"

static int bad_url(const char *url, const char *expected)
{
	return fail_msg("bad URL '%s': expected %s", url, expected);
}

/* Takes "scheme://" off the front. Return: the rest, or NULL after a message. */
static const char *parse_scheme(const char *url, struct target *target)
{
	const char *end = strstr(url, "://");
	char scheme[16];
	char expected[64];

	snprintf(expected, sizeof(expected), "%s in front", codec_schemes());
	if (end == NULL || (size_t)(end - url) >= sizeof(scheme)) {
		bad_url(url, expected);
		return NULL;
	}
	memcpy(scheme, url, (size_t)(end - url));
	scheme[end - url] = '\0';
	target->codec = codec_by_scheme(scheme);
	if (target->codec == NULL) {
		bad_url(url, expected);
		return NULL;
	}
	return end + 3;
}

/* Takes the host off the front: a name, an IPv4 address, or an IPv6 address in brackets. */
static const char *parse_host(const char *url, const char *rest, struct target *target)
{
	const char *end;
	size_t len;

	if (*rest == '[') {
		rest++;
		end = strchr(rest, ']');
		if (end == NULL) {
			bad_url(url, "']' after an IPv6 address");
			return NULL;
		}
	} else {
		end = rest + strcspn(rest, ":/?#");
	}
	len = (size_t)(end - rest);
	if (len == 0 || len >= sizeof(target->host) || memchr(rest, '@', len) != NULL) {
		bad_url(url, "a host name or address, without user or password");
		return NULL;
	}
	memcpy(target->host, rest, len);
	target->host[len] = '\0';
	return *end == ']' ? end + 1 : end;
}

static const char *parse_port(const char *url, const char *rest, struct target *target)
{
	long port = target->codec->port;
	char *end;

	if (*rest == ':') {
		port = strtol(rest + 1, &end, 10);
		if (end == rest + 1 || port < 1 || port > 65535) {
			bad_url(url, "a port of 1 to 65535");
			return NULL;
		}
		rest = end;
	} else if (port == 0) {
		bad_url(url, "a port, as in thrift://host:port/Service.Method");
		return NULL;
	}
	target->port = (uint16_t)port;
	return rest;
}

/* The path must be fit to be sent as it is: no spaces, controls or bytes above ASCII. */
static int parse_path(const char *url, const char *rest, struct target *target)
{
	if (*rest != '\0' && *rest != '/' && *rest != '?' && *rest != '#')
		return bad_url(url, "'/' after the host and port");
	for (const char *c = rest; *c != '\0'; c++)
		if (*c <= ' ' || *c == 127)
			return bad_url(url, "a percent-encoded path");
	if (asprintf(&target->path, "%s%.*s", *rest == '/' ? "" : "/", (int)strcspn(rest, "#"),
		    rest) < 0) {
		target->path = NULL;
		return fail_errno("cannot keep a URL");
	}
	return 0;
}

static int resolve(struct target *target)
{
	struct addrinfo hints = {.ai_socktype = SOCK_STREAM};
	struct addrinfo *address;
	char service[8];
	int error;

	snprintf(service, sizeof(service), "%u", target->port);
	error = getaddrinfo(target->host, service, &hints, &address);
	if (error != 0)
		return fail_msg("cannot resolve host '%s': %s", target->host, gai_strerror(error));
	memcpy(&target->address, address->ai_addr, address->ai_addrlen);
	target->address_len = address->ai_addrlen;
	freeaddrinfo(address);
	return 0;
}

int target_parse(const char *url, struct target *target)
{
	const char *rest;

	*target = (struct target){0};
	rest = parse_scheme(url, target);
	if (rest != NULL)
		rest = parse_host(url, rest, target);
	if (rest != NULL)
		rest = parse_port(url, rest, target);
	if (rest == NULL || parse_path(url, rest, target) != 0)
		goto err0;
	target->url = strdup(url);
	if (target->url == NULL) {
		fail_errno("cannot keep a URL");
		goto err0;
	}
	if (resolve(target) != 0)
		goto err0;
	return 0;

err0:
	target_free(target);
	return -1;
}

void target_free(struct target *target)
{
	free(target->url);
	free(target->path);
	*target = (struct target){0};
}
