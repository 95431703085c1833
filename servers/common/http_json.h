#ifndef SERVERS_COMMON_HTTP_JSON_H
#define SERVERS_COMMON_HTTP_JSON_H

#include "lib/slice.h"
#include "servers/common/app.h"

struct buf;

/**
 * DOC: What app.h answers, as the JSON bodies of the HTTP servers, made anew by jansson for each
 * call. Keys keep the order of the structs' fields.
 */

#define HTTP_JSON_TYPE        "application/json"
#define HTTP_JSON_PACKAGE_LEN 256 /* bytes that a package record has, about */

/** http_json_message() - Append {"message": …}. Return: 0 or -1. */
int http_json_message(const struct app_message *message, struct buf *out);

/** http_json_package() - Append a package record. Return: 0 or -1. */
int http_json_package(const struct app_package *package, struct buf *out);

/** http_json_publish_reply() - Append {"code": …, "message": …}. Return: 0 or -1. */
int http_json_publish_reply(const struct app_publish_reply *reply, struct buf *out);

#define HTTP_JSON_TEXT 128 /* bytes of a text that a query brings, with its NUL */

/**
 * http_json_text() - The text that a query has for @key, "message=some-text", for a reply that has
 *   it in place of its own: how a client sees that replies are made for each request.
 * @text: HTTP_JSON_TEXT bytes.
 *
 * Return: @text; or @fallback when there is none of unreserved characters (RFC 3986 section 2.3),
 * or it is too long.
 */
const char *http_json_text(struct slice query, const char *key, char *text, const char *fallback);

/* Longer bodies of publish are refused: parsed, JSON can take a hundred times its length. */
#define HTTP_JSON_PUBLISH_MAX (64 << 10)

/**
 * http_json_publish() - Call app_publish() with what the body {"name": …, "version": …} says.
 * @reply: what it answered, or code 1 and what was expected.
 *
 * Return: the status of the HTTP reply: 200; 400 when @body is no such object; 413.
 */
int http_json_publish(struct slice body, struct app_publish_reply *reply);

#endif
