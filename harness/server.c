#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/manifest.h"
#include "harness/port.h"
#include "harness/server.h"
#include "harness/suite.h"
#include "lib/buf.h"

#define COUNTS "COUNTS "

/* A list of owned texts, ended by NULL. */
static void texts_free(char **texts)
{
	for (char **text = texts; text != NULL && *text != NULL; text++)
		free(*text);
	free(texts);
}

static char **make_argv(const struct contestant *c, const struct manifest_values *values)
{
	size_t n = 0;
	char **argv;

	while (c->command[n] != NULL)
		n++;
	argv = calloc(n + 1, sizeof(*argv));
	for (size_t i = 0; argv != NULL && i < n; i++) {
		argv[i] = manifest_expand(c, c->command[i], values);
		if (argv[i] == NULL) {
			texts_free(argv);
			return NULL;
		}
	}
	return argv;
}

static char **make_env(const struct contestant *c, const struct manifest_values *values)
{
	char **env = calloc(json_object_size(c->env) + 1, sizeof(*env));
	const char *name;
	json_t *item;
	size_t n = 0;

	json_object_foreach (c->env, name, item) {
		char *value = manifest_expand(c, json_string_value(item), values);

		if (env != NULL && value != NULL && asprintf(&env[n], "%s=%s", name, value) >= 0)
			n++;
		free(value);
	}
	if (env != NULL && n == json_object_size(c->env))
		return env;
	if (env != NULL)
		env[n] = NULL;
	texts_free(env);
	return NULL;
}

/* The folder is made when the first log is. Ours is one of several harnesses, perhaps. */
static int name_log(struct server *server, const struct suite *suite, char *reason)
{
	if (paths_make(suite->paths.logs) != 0)
		return reason_set(reason, "cannot make the folder %s: %s", suite->paths.logs,
			strerror(errno));
	snprintf(server->log, sizeof(server->log), "%s/%s-%d.log", suite->paths.logs,
		server->contestant->name, getpid());
	return 0;
}

/* A server that did not come up often says why in its last line. */
static void add_last_words(const char *log, char *reason)
{
	char words[PROCESS_WORDS];
	char said[REASON_MAX];

	process_last_words(log, words);
	if (words[0] == '\0' || strncmp(words, "READY", 5) == 0)
		return;
	memcpy(said, reason, sizeof(said));
	reason_set(reason, "%s; it said: %s", said, words);
}

static int start_process(struct server *server, const struct process_params *params, char *reason)
{
	if (params->argv == NULL || params->env == NULL)
		return reason_set(reason, "out of memory");
	if (process_start(&server->process, params, reason) == 0)
		return 0;
	add_last_words(params->log, reason);
	return -1;
}

static int start_companions(struct server *server, const struct suite *suite,
	const struct contestant *c, int64_t threads, const cpu_set_t *cpus, char *reason)
{
	if (c->companions == NULL)
		return 0;
	server->companions = calloc(MANIFEST_COMPANIONS, sizeof(*server->companions));
	if (server->companions == NULL)
		return reason_set(reason, "out of memory");
	for (size_t i = 0; c->companions[i] != NULL; i++) {
		struct server *companion = &server->companions[server->companion_count++];
		char why[REASON_MAX];

		if (server_start(companion, suite,
			    manifest_find(&suite->manifests, c->companions[i]), threads, cpus,
			    why) != 0)
			return reason_set(
				reason, "its companion %s: %.400s", c->companions[i], why);
	}
	return 0;
}

int server_start(struct server *server, const struct suite *suite, const struct contestant *c,
	int64_t threads, const cpu_set_t *cpus, char *reason)
{
	struct manifest_values values = {
		.paths = &suite->paths, .port = c->port, .threads = threads};
	char **argv;
	char **env;
	int status;

	*server = (struct server){.contestant = c};
	if (c->ready == MANIFEST_PORT && c->port == 0)
		values.port = port_pick();
	if (name_log(server, suite, reason) != 0 ||
		start_companions(server, suite, c, threads, cpus, reason) != 0)
		return -1;
	for (size_t i = 0; i < server->companion_count; i++)
		values.companions[i] = &server->companions[i].process;
	argv = make_argv(c, &values);
	env = make_env(c, &values);
	status = start_process(server,
		&(struct process_params){
			.argv = argv,
			.env = env,
			.log = server->log,
			.prints_ready = c->ready == MANIFEST_LINE,
			.port_word = c->port_word,
			.port = (uint16_t)values.port,
			.ready_ns = c->ready_ns,
			.stop_ns = PROCESS_STOP_NS,
			.cpus = cpus,
		},
		reason);
	texts_free(argv);
	texts_free(env);
	return status;
}

bool server_count(struct server *server, uint64_t *requests, char *reason)
{
	char line[PROCESS_WORDS];

	if (server->contestant->counts != MANIFEST_SIGNAL) {
		reason_set(reason, "the server does not count");
		return false;
	}
	if (process_ask(&server->process, SIGUSR1, COUNTS, line) &&
		sscanf(line, COUNTS "requests=%" SCNu64, requests) == 1)
		return true;
	reason_set(reason, "the server did not answer SIGUSR1 with " COUNTS "requests=N");
	return false;
}

/* False for a log that is empty or holds the READY line alone. */
static bool tells_something(const char *log)
{
	char words[PROCESS_WORDS];
	struct stat info;

	process_last_words(log, words);
	return stat(log, &info) == 0 && words[0] != '\0' &&
	       (strncmp(words, "READY", 5) != 0 || (size_t)info.st_size > strlen(words) + 1);
}

bool server_ended(struct server *server, char *reason)
{
	char how[REASON_MAX];

	for (size_t i = 0; i < server->companion_count; i++) {
		struct server *companion = &server->companions[i];

		if (!process_ended(&companion->process, how))
			continue;
		reason_set(reason, "its companion %s %.400s", companion->contestant->name, how);
		return true;
	}
	return process_ended(&server->process, reason);
}

bool server_is_joined(const struct server *server, char *reason)
{
	char who[REASON_MAX];

	for (size_t i = 0; i < server->companion_count; i++) {
		const struct server *companion = &server->companions[i];

		if (!process_is_joined(&companion->process, who))
			continue;
		reason_set(reason, "its companion %s: %.400s", companion->contestant->name, who);
		return true;
	}
	return process_is_joined(&server->process, reason);
}

bool server_stop(struct server *server, bool keep_log)
{
	bool clean = process_stop(&server->process);

	while (server->companion_count > 0)
		clean &= server_stop(&server->companions[--server->companion_count], keep_log);
	free(server->companions);
	server->companions = NULL;
	if (server->log[0] == '\0')
		return clean;
	if (!keep_log || !tells_something(server->log)) {
		unlink(server->log);
		server->log[0] = '\0';
	}
	return clean;
}
