#ifndef SERVERS_COMMON_APP_H
#define SERVERS_COMMON_APP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * DOC: The shared handler library: what every server answers, as functions on plain structs.
 * No protocol knows the data and no handler knows a protocol, so that rows of different
 * protocols differ by their protocol alone. Sizes and fields come from the public benchmarks
 * that the rounds take up; protos/expect holds the same replies for tests and verification.
 */

#define APP_NAME_MAX 256 /* longest package name that publish accepts, in bytes */

/** struct app_message - Reply of app_message(). */
struct app_message {
	const char *message;
};

/** struct app_package - A package record, 256 bytes as compact JSON in this field order. */
struct app_package {
	const char *name;
	const char *version;
	const char *description;
	const char *main;
	struct {
		const char *type;
		const char *url;
	} repository;
	const char *author;
	const char *license;
};

/** struct app_publish_reply - Reply of app_publish(). */
struct app_publish_reply {
	int16_t code;                    /* 0 accepted, 1 the name is empty or too long */
	char message[APP_NAME_MAX + 16]; /* NAME@VERSION, or what is wrong */
};

#define APP_ECHO_PAYLOAD 32 /* bytes of an echo's payload, as in the public benchmark */

/** struct app_echo_reply - Reply of app_echo(). */
struct app_echo_reply {
	bool failed;                /* answer with the protocol's own error, and @message */
	char message[APP_NAME_MAX]; /* a greeting, or the error */
	size_t payload_len;         /* APP_ECHO_PAYLOAD or 0 */
	uint8_t payload[APP_ECHO_PAYLOAD];
};

/** app_hello() - The 11 bytes "Hello world" (transfer none). */
const char *app_hello(void);

/** app_plaintext() - The 13 bytes "Hello, World!" (transfer none). */
const char *app_plaintext(void);

/** app_message() - The object {message: "Hello, World!"}. */
void app_message(struct app_message *out);

/**
 * app_find_one() - Look a package up.
 * @name: what is asked for, may be NULL. The registry holds one package and finds it by any
 *   name, as the public benchmark does.
 * @out: filled with constant strings (transfer none).
 */
void app_find_one(const char *name, struct app_package *out);

/** app_publish() - Publish version @version of @name; NULL counts as empty. Keeps nothing. */
void app_publish(const char *name, int32_t version, struct app_publish_reply *out);

/**
 * app_echo() - Answer a call by name, NULL counts as empty.
 *
 * "32byte" gets 32 random bytes, fresh in each reply; "error" fails; any other is greeted.
 */
void app_echo(const char *name, struct app_echo_reply *out);

#endif
