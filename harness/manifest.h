#ifndef HARNESS_MANIFEST_H
#define HARNESS_MANIFEST_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "harness/config.h"

struct paths;

/**
 * DOC: What can be measured: a manifest, contestant.json, holds one contestant or a list of them.
 *
 *   name         of the row
 *   protocol     "http1", "thrift" or "grpc"
 *   class        "stock" as a user gets it, "tuned" for speed, "bare" does less than a real
 *                server must (verify.h says what it is excused from)
 *   command      program and arguments, in its own folder's terms: {bin} the programs of this
 *                suite, {dir} the manifest's folder, {root} the suite's root, {host} and {port}
 *                to listen on, {threads}
 *   calls        {NAME: {url, method, headers}}: where each call of protos/expect is answered
 *   requires     programs (looked up in PATH) or files (with a '/', from the manifest's folder)
 *                without which it is left out
 *   ready        "line": it prints "READY port=N" once it listens; "port": it cannot, and is
 *                ready when its port answers
 *   ready_timeout   how long it may take to get ready, "10s" unless given
 *   port         a fixed port to expect it on; then ready is "port" unless given
 *   max_connections, max_pipeline   what it can serve at once; more is never asked of it
 *   port_word    where its READY line names several ports, "READY port=N grpc=M": which of them
 *                this contestant is asked on, "port" unless given
 *   companions   contestants that must run beside it; they are started before it, and their
 *                READY lines fill the placeholders {NAME.port}, {NAME.grpc}, …
 *   counts       "signal": on SIGUSR1 it prints "COUNTS requests=N", all it has answered since its
 *                start, which is checked against what was asked; "no" unless given
 *   env          more environment variables
 *   description  for people
 */

enum manifest_protocol { MANIFEST_HTTP1, MANIFEST_THRIFT, MANIFEST_GRPC };
enum manifest_class { MANIFEST_STOCK, MANIFEST_TUNED, MANIFEST_BARE };
enum manifest_ready { MANIFEST_LINE, MANIFEST_PORT };
enum manifest_counts { MANIFEST_NO_COUNTS, MANIFEST_SIGNAL };

#define MANIFEST_HOST "127.0.0.1" /* where every contestant listens */

/** struct manifest_call - A call that a contestant answers. */
struct manifest_call {
	const char *name; /* of a file in protos/expect */
	const char *url; /* path and query; for Thrift /Service.Method?protocol=…&transport=… */
	const char *method; /* HTTP; "GET" unless given */
	json_t *headers;    /* object of texts, or NULL */
	const char *varied; /* HTTP: path and query that has MANIFEST_TEXT, see call_vary_text(); or
			       NULL */
};

#define MANIFEST_TEXT "{text}" /* where verification puts a text of its own */

/** struct contestant - One that can be measured; texts belong to the manifest's file. */
struct contestant {
	const char *name;
	const char *description; /* or NULL */
	int protocol;            /* enum manifest_protocol */
	int class;               /* enum manifest_class */
	int ready;               /* enum manifest_ready */
	int counts;              /* enum manifest_counts */
	int64_t ready_ns;        /* how long it may take to get ready */
	const char **command;    /* with placeholders */
	const char **requires;   /* with placeholders, or NULL */
	int64_t port;            /* 0 = any */
	int64_t max_connections; /* 0 = no limit */
	int64_t max_pipeline;    /* 0 = no limit */
	const char *port_word;   /* or NULL */
	const char **companions; /* names, ended by NULL; or NULL */
	json_t *env;             /* object of texts, or NULL */
	struct manifest_call *calls;
	size_t call_count;
	char *dir;        /* the manifest's folder */
	const char *file; /* the manifest */
	size_t line;      /* where it begins there */
};

/** struct manifests - All contestants, in the order they were read. */
struct manifests {
	struct contestant *list;
	size_t count;
	struct config *files;
	size_t file_count;
};

struct process;

#define MANIFEST_COMPANIONS 4 /* at most */

/** struct manifest_values - What placeholders stand for. */
struct manifest_values {
	const struct paths *paths;
	int64_t port;
	int64_t threads;
	const struct process *companions[MANIFEST_COMPANIONS]; /* in the contestant's order */
};

/**
 * manifest_add() - Read one more manifest. Its calls must be known in protos/expect.
 *
 * Return: 0, or -1 after a message.
 */
int manifest_add(struct manifests *all, const struct paths *paths, const char *file);

/**
 * manifest_add_all() - Read servers/NAME/contestant.json and peers/NAME/contestant.json, by name.
 *
 * Return: 0, or -1 after a message.
 */
int manifest_add_all(struct manifests *all, const struct paths *paths);

/** manifest_free() - Let go of everything; also of a zeroed struct. */
void manifest_free(struct manifests *all);

/** manifest_find() - By name; NULL when there is none. */
const struct contestant *manifest_find(const struct manifests *all, const char *name);

/** manifest_call() - The contestant's call of that name; NULL when it has none. */
const struct manifest_call *manifest_call(const struct contestant *c, const char *name);

/**
 * manifest_expand() - Replace the placeholders in a text of a manifest.
 *
 * Return: owned by the caller, or NULL without memory.
 */
char *manifest_expand(
	const struct contestant *c, const char *text, const struct manifest_values *values);

/**
 * manifest_missing() - What the contestant needs and this machine lacks: the first of its
 *   command's program and its requires.
 * @reason: becomes e.g. "needs node, which is not in PATH".
 *
 * Return: true when something is missing.
 */
bool manifest_missing(
	const struct contestant *c, const struct paths *paths, char *reason, size_t size);

/** manifest_class_name(), manifest_protocol_name() - As in the file. */
const char *manifest_class_name(const struct contestant *c);
const char *manifest_protocol_name(const struct contestant *c);

#endif
