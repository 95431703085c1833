#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

#include "servers/common/app.h"

const char *app_hello(void)
{
	return "Hello world";
}

const char *app_plaintext(void)
{
	return "Hello, World!";
}

void app_message(struct app_message *out)
{
	*out = (struct app_message){.message = "Hello, World!"};
}

void app_find_one(const char *name, struct app_package *out)
{
	(void)name;
	*out = (struct app_package){
		.name = "rpc-server-benchmark",
		.version = "1.0.0",
		.description = "The same reply from every protocol.",
		.main = "index.js",
		.repository =
			{
				.type = "git",
				.url = "git+https://example.org/rpcbench/"
				       "rpc-server-benchmark.git#v1",
			},
		.author = "rpcbench-dev",
		.license = "MIT",
	};
}

void app_publish(const char *name, int32_t version, struct app_publish_reply *out)
{
	size_t len = name != NULL ? strlen(name) : 0;

	if (len == 0 || len > APP_NAME_MAX) {
		out->code = 1;
		snprintf(out->message, sizeof(out->message), "name must have 1 to %d bytes",
			APP_NAME_MAX);
		return;
	}
	out->code = 0;
	snprintf(out->message, sizeof(out->message), "%s@%" PRId32, name, version);
}

void app_echo(const char *name, struct app_echo_reply *out)
{
	*out = (struct app_echo_reply){0};
	if (name == NULL)
		name = "";
	if (strcmp(name, "32byte") == 0) {
		/* Up to 256 bytes are never cut short: getrandom(2). */
		out->payload_len = sizeof(out->payload);
		if (getrandom(out->payload, sizeof(out->payload), 0) < 0)
			out->failed = true;
		snprintf(out->message, sizeof(out->message), out->failed ? "no random bytes" : "");
		return;
	}
	out->failed = strcmp(name, "error") == 0;
	if (out->failed)
		snprintf(out->message, sizeof(out->message), "asked to fail");
	else
		snprintf(out->message, sizeof(out->message), "Hello %s", name);
}
