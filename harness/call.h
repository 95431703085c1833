#ifndef HARNESS_CALL_H
#define HARNESS_CALL_H

#include <jansson.h>
#include <stdbool.h>

struct buf;
struct paths;

/** struct call - A request and the reply to it, free of any protocol: protos/expect/NAME.json. */
struct call {
	json_t *root; /* owned; the others belong to it */
	const char *name;
	json_t *request;
	json_t *reply; /* an object; or a text, which is sent as it is */
};

/**
 * call_is_known() - Is there a call of that name?
 * @known: when not, " NAME" of each call is appended for a message; may be NULL.
 */
bool call_is_known(const struct paths *paths, const char *name, struct buf *known);

/**
 * call_load() - Read a call that is known.
 *
 * Return: 0, to be freed by call_free(); -1 after a message.
 */
int call_load(struct call *call, const struct paths *paths, const char *name);

/** call_free() - Let go of what it owns; also of a zeroed struct. */
void call_free(struct call *call);

/**
 * call_thrift_arguments() - The request as the arguments of a Thrift call, in the text form of
 *   Thrift's TJSONProtocol, e.g. {"1":{"rec":{"1":{"str":"koa-suit"}}}}.
 *
 * Return: owned by the caller; NULL when the call is none of protos/unpkg.thrift, or no memory.
 */
char *call_thrift_arguments(const struct call *call);

/** call_json_body() - The request as the JSON body of an HTTP POST. Return: owned by the caller. */
char *call_json_body(const struct call *call);

/** call_varies() - Does its reply depend on its request? */
bool call_varies(const struct call *call);

/**
 * call_vary() - The same call with another request that no server can know before, and the reply
 *   that must come then.
 * @varied: as from call_load(), to be freed by call_free().
 *
 * Return: true; false when every request of this call gets the same reply.
 */
bool call_vary(const struct call *call, struct call *varied);

/**
 * call_vary_text() - As call_vary() of a call with one reply, for contestants that take a text
 *   for it beside their public benchmark, which knows no request: "message" of message, "name" of
 *   find_one. The request of @varied is {"text": …}: letters, digits and '-'.
 */
bool call_vary_text(const struct call *call, struct call *varied);

#endif
