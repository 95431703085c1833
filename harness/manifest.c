#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/call.h"
#include "harness/manifest.h"
#include "harness/paths.h"
#include "harness/process.h"
#include "lib/buf.h"
#include "lib/fail.h"

static const char *const protocols[] = {"http1", "thrift", "grpc", NULL};
static const char *const classes[] = {"stock", "tuned", "bare", NULL};
static const char *const readies[] = {"line", "port", NULL};
static const char *const count_ways[] = {"no", "signal", NULL};

static const char *const placeholders[] = {"bin", "dir", "root", "host", "port", "threads", NULL};
#define PLACEHOLDERS_EXPECTED                                                                      \
	"only the placeholders {bin}, {dir}, {root}, {host}, {port} and {threads}"

/*
 * The placeholder that @text starts with: its place in the list; -1 when @text starts with none,
 * -2 when with an unknown one. A brace that encloses anything but small letters is just that.
 */
static int placeholder(const char *text, size_t *len)
{
	size_t letters;

	if (text[0] != '{')
		return -1;
	letters = strspn(text + 1, "abcdefghijklmnopqrstuvwxyz_");
	if (letters == 0 || text[1 + letters] != '}')
		return -1;
	*len = letters + 2;
	for (int i = 0; placeholders[i] != NULL; i++)
		if (strlen(placeholders[i]) == letters &&
			memcmp(placeholders[i], text + 1, letters) == 0)
			return i;
	return -2;
}

static const char *check_placeholders(const char *text)
{
	size_t len;

	for (; *text != '\0'; text++)
		if (placeholder(text, &len) == -2)
			return PLACEHOLDERS_EXPECTED;
	return NULL;
}

static const char *check_url(const char *url)
{
	if (url[0] != '/')
		return "a path that begins with '/'";
	for (; *url != '\0'; url++)
		if ((unsigned char)*url <= ' ' || *url == 127)
			return "a path without spaces and control characters";
	return NULL;
}

static const char *check_varied(const char *url)
{
	return strstr(url, MANIFEST_TEXT) != NULL ? check_url(url)
						  : "a path with " MANIFEST_TEXT " in it";
}

static const char *check_method(const char *method)
{
	size_t len = strlen(method);

	return len <= 16 && strspn(method, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == len
		       ? NULL
		       : "a method in capital letters";
}

static const struct config_field call_fields[] = {
	{.key = "url",
		.type = CONFIG_TEXT,
		.required = true,
		.offset = offsetof(struct manifest_call, url),
		.check = check_url},
	{.key = "method",
		.type = CONFIG_TEXT,
		.offset = offsetof(struct manifest_call, method),
		.check = check_method},
	{.key = "headers", .type = CONFIG_PAIRS, .offset = offsetof(struct manifest_call, headers)},
	{.key = "varied",
		.type = CONFIG_TEXT,
		.offset = offsetof(struct manifest_call, varied),
		.check = check_varied},
	{0},
};

/* What the table below fills: the contestant, and its calls as they stand in the file. */
struct fields {
	struct contestant c;
	json_t *calls;
};

static const struct config_field fields_table[] = {
	{.key = "name",
		.type = CONFIG_TEXT,
		.required = true,
		.offset = offsetof(struct fields, c.name),
		.check = config_name},
	{.key = "description",
		.type = CONFIG_TEXT,
		.offset = offsetof(struct fields, c.description)},
	{.key = "protocol",
		.type = CONFIG_CHOICE,
		.required = true,
		.offset = offsetof(struct fields, c.protocol),
		.choices = protocols},
	{.key = "class",
		.type = CONFIG_CHOICE,
		.required = true,
		.offset = offsetof(struct fields, c.class),
		.choices = classes},
	{.key = "command",
		.type = CONFIG_TEXTS,
		.required = true,
		.offset = offsetof(struct fields, c.command),
		.check = check_placeholders},
	{.key = "calls",
		.type = CONFIG_OBJECT,
		.required = true,
		.offset = offsetof(struct fields, calls)},
	{.key = "requires",
		.type = CONFIG_TEXTS,
		.offset = offsetof(struct fields, c.requires),
		.check = check_placeholders},
	{.key = "ready",
		.type = CONFIG_CHOICE,
		.offset = offsetof(struct fields, c.ready),
		.choices = readies},
	{.key = "ready_timeout",
		.type = CONFIG_DURATION,
		.offset = offsetof(struct fields, c.ready_ns),
		.min = 1},
	{.key = "port",
		.type = CONFIG_INT,
		.offset = offsetof(struct fields, c.port),
		.min = 1,
		.max = 65535},
	{.key = "max_connections",
		.type = CONFIG_INT,
		.offset = offsetof(struct fields, c.max_connections),
		.min = 1,
		.max = 1000000},
	{.key = "max_pipeline",
		.type = CONFIG_INT,
		.offset = offsetof(struct fields, c.max_pipeline),
		.min = 1,
		.max = 1000000},
	{.key = "port_word",
		.type = CONFIG_TEXT,
		.offset = offsetof(struct fields, c.port_word),
		.check = config_name},
	{.key = "companions",
		.type = CONFIG_TEXTS,
		.offset = offsetof(struct fields, c.companions),
		.check = config_name},
	{.key = "counts",
		.type = CONFIG_CHOICE,
		.offset = offsetof(struct fields, c.counts),
		.choices = count_ways},
	{.key = "env", .type = CONFIG_PAIRS, .offset = offsetof(struct fields, c.env)},
	{0},
};

static int read_calls(const struct config *config, const struct config_at *at, json_t *calls,
	struct contestant *c)
{
	const struct config_at all = {.parent = at, .key = "calls"};
	const char *name;
	json_t *value;

	c->calls = calloc(json_object_size(calls), sizeof(*c->calls));
	if (c->calls == NULL)
		return fail_msg("out of memory");
	json_object_foreach (calls, name, value) {
		const struct config_at here = {.parent = &all, .key = name};
		struct manifest_call *call = &c->calls[c->call_count];

		*call = (struct manifest_call){.name = name, .method = "GET"};
		if (config_fields(config, &here, value, call_fields, call) != 0)
			return -1;
		c->call_count++;
	}
	return 0;
}

/* Each call is one that the suite knows the reply of. */
static int check_calls(const struct config *config, const struct config_at *at,
	const struct paths *paths, const struct contestant *c)
{
	const struct config_at all = {.parent = at, .key = "calls"};

	for (size_t i = 0; i < c->call_count; i++) {
		const struct config_at here = {.parent = &all, .key = c->calls[i].name};
		struct buf known = {0};

		if (call_is_known(paths, c->calls[i].name, &known))
			continue;
		config_error(config, &here, "unknown call, expected one of:%.*s",
			(int)buf_len(&known), buf_head(&known));
		buf_free(&known);
		return -1;
	}
	return 0;
}

static bool mentions_port(const struct contestant *c)
{
	const char *key;
	json_t *value;

	for (const char **arg = c->command; *arg != NULL; arg++)
		if (strstr(*arg, "{port}") != NULL)
			return true;
	json_object_foreach (c->env, key, value)
		if (strstr(json_string_value(value), "{port}") != NULL)
			return true;
	return false;
}

/* What no single field can tell. */
static int check_contestant(
	const struct config *config, const struct config_at *at, const struct contestant *c)
{
	const struct config_at env = {.parent = at, .key = "env"};
	const struct config_at command = {.parent = at, .key = "command"};
	const char *key;
	json_t *value;

	json_object_foreach (c->env, key, value) {
		const struct config_at here = {.parent = &env, .key = key};

		if (*key == '\0' || strchr(key, '=') != NULL)
			return config_error(config, &here, "expected a variable's name");
		if (check_placeholders(json_string_value(value)) != NULL)
			return config_expected(config, &here, PLACEHOLDERS_EXPECTED, value);
	}
	if (c->ready == MANIFEST_PORT && c->port == 0 && !mentions_port(c))
		return config_error(config, &command,
			"expected {port} in it or in env, since neither a fixed port nor a READY "
			"line tells where it listens");
	return 0;
}

static void contestant_free(struct contestant *c)
{
	free(c->command);
	free(c->requires);
	free(c->companions);
	free(c->calls);
	free(c->dir);
}

static char *folder_of(const char *file)
{
	char path[PATH_MAX];

	if (realpath(file, path) == NULL)
		return NULL;
	*strrchr(path, '/') = '\0';
	return strdup(path[0] != '\0' ? path : "/");
}

static int read_contestant(const struct config *config, const struct config_at *at, json_t *value,
	struct contestant *c)
{
	struct fields fields = {
		.c = {.ready = -1, .ready_ns = PROCESS_READY_NS, .file = config->file}};
	int status = config_fields(config, at, value, fields_table, &fields);

	*c = fields.c;
	if (status == 0)
		status = read_calls(config, at, fields.calls, c);
	if (c->ready < 0)
		c->ready = c->port != 0 ? MANIFEST_PORT : MANIFEST_LINE;
	if (status == 0)
		status = check_contestant(config, at, c);
	c->line = config_line(config, at);
	c->dir = folder_of(config->file);
	if (status == 0 && c->dir == NULL)
		return fail_errno("cannot find the folder of %s", config->file);
	return status;
}

static int append(struct manifests *all, const struct paths *paths, const struct config *config,
	const struct config_at *at, json_t *value)
{
	const struct config_at name = {.parent = at, .key = "name"};
	struct contestant *list = reallocarray(all->list, all->count + 1, sizeof(*all->list));
	const struct contestant *other;
	struct contestant c;

	if (list == NULL)
		return fail_msg("out of memory");
	all->list = list;
	if (read_contestant(config, at, value, &c) != 0 || check_calls(config, at, paths, &c) != 0)
		goto err0;
	other = manifest_find(all, c.name);
	if (other != NULL) {
		config_error(config, &name, "expected a name of its own, '%s' is taken by %s:%zu",
			c.name, other->file, other->line);
		goto err0;
	}
	all->list[all->count++] = c;
	return 0;

err0:
	contestant_free(&c);
	return -1;
}

int manifest_add(struct manifests *all, const struct paths *paths, const char *file)
{
	struct config *files = reallocarray(all->files, all->file_count + 1, sizeof(*all->files));
	const struct config *config;
	size_t n;

	if (files == NULL)
		return fail_msg("out of memory");
	all->files = files;
	if (config_open(&files[all->file_count], file) != 0)
		return -1;
	config = &files[all->file_count++];
	if (!json_is_array(config->root))
		return append(all, paths, config, NULL, config->root);
	n = json_array_size(config->root);
	if (n == 0)
		return config_error(config, NULL, "expected a contestant or a list of them");
	for (size_t i = 0; i < n; i++) {
		const struct config_at at = {.index = i};

		if (append(all, paths, config, &at, json_array_get(config->root, i)) != 0)
			return -1;
	}
	return 0;
}

int manifest_add_all(struct manifests *all, const struct paths *paths)
{
	static const char *const folders[] = {"servers", "peers"};
	int status = 0;

	for (size_t f = 0; f < sizeof(folders) / sizeof(folders[0]) && status == 0; f++) {
		char pattern[PATH_MAX];
		glob_t found = {0};

		snprintf(pattern, sizeof(pattern), "%s/%s/*/contestant.json", paths->root,
			folders[f]);
		if (glob(pattern, 0, NULL, &found) == 0)
			for (size_t i = 0; i < found.gl_pathc && status == 0; i++)
				status = manifest_add(all, paths, found.gl_pathv[i]);
		globfree(&found);
	}
	return status;
}

void manifest_free(struct manifests *all)
{
	for (size_t i = 0; i < all->count; i++)
		contestant_free(&all->list[i]);
	for (size_t i = 0; i < all->file_count; i++)
		config_close(&all->files[i]);
	free(all->list);
	free(all->files);
	*all = (struct manifests){0};
}

const struct contestant *manifest_find(const struct manifests *all, const char *name)
{
	for (size_t i = 0; i < all->count; i++)
		if (strcmp(all->list[i].name, name) == 0)
			return &all->list[i];
	return NULL;
}

const struct manifest_call *manifest_call(const struct contestant *c, const char *name)
{
	for (size_t i = 0; i < c->call_count; i++)
		if (strcmp(c->calls[i].name, name) == 0)
			return &c->calls[i];
	return NULL;
}

/* The value of placeholder @which. */
static int append_value(struct buf *out, int which, const struct contestant *c,
	const struct manifest_values *values)
{
	switch (which) {
	case 0:
		return buf_printf(out, "%s", values->paths->bin);
	case 1:
		return buf_printf(out, "%s", c->dir);
	case 2:
		return buf_printf(out, "%s", values->paths->root);
	case 3:
		return buf_printf(out, "%s", MANIFEST_HOST);
	case 4:
		return buf_printf(out, "%lld", (long long)values->port);
	default:
		return buf_printf(out, "%lld", (long long)values->threads);
	}
}

/*
 * {NAME.WORD} of a companion: the port that its READY line gives WORD.
 * Return: the placeholder's length; 0 when @text starts with none.
 */
static size_t companion_port(const char *text, const struct contestant *c,
	const struct manifest_values *values, uint16_t *port)
{
	for (size_t i = 0; c->companions != NULL && c->companions[i] != NULL; i++) {
		size_t len = strlen(c->companions[i]);
		size_t letters;
		char word[32];

		if (text[0] != '{' || strncmp(text + 1, c->companions[i], len) != 0 ||
			text[1 + len] != '.')
			continue;
		letters = strspn(text + 2 + len, "abcdefghijklmnopqrstuvwxyz_");
		if (text[2 + len + letters] != '}' || letters >= sizeof(word))
			continue;
		snprintf(word, sizeof(word), "%.*s", (int)letters, text + 2 + len);
		*port = values->companions[i] != NULL
				? process_ready_port(values->companions[i], word)
				: 0;
		return len + letters + 3;
	}
	return 0;
}

char *manifest_expand(
	const struct contestant *c, const char *text, const struct manifest_values *values)
{
	struct buf out = {0};
	char *expanded = NULL;

	while (*text != '\0') {
		size_t len = 1;
		int which = placeholder(text, &len);
		uint16_t port;
		size_t named = companion_port(text, c, values, &port);
		int status;

		if (named > 0)
			status = buf_printf(&out, "%u", port);
		else if (which >= 0)
			status = append_value(&out, which, c, values);
		else
			status = buf_append(&out, text, 1);
		if (status != 0)
			goto out;
		text += named > 0 ? named : which >= 0 ? len : 1;
	}
	if (buf_append(&out, "", 1) == 0)
		expanded = strdup(buf_head(&out));
out:
	buf_free(&out);
	return expanded;
}

/* True when PATH has a program of that name. */
static bool in_path(const char *name)
{
	const char *path = getenv("PATH");
	char file[PATH_MAX];

	for (path = path != NULL ? path : "/usr/bin:/bin"; *path != '\0';) {
		size_t len = strcspn(path, ":");

		snprintf(file, sizeof(file), "%.*s/%s", (int)len, path, name);
		if (access(file, X_OK) == 0)
			return true;
		path += len + (path[len] == ':');
	}
	return false;
}

/* @text is a program's name, or a path: absolute or from the manifest's folder. */
static bool is_missing(const struct contestant *c, const char *text, const struct paths *paths,
	char *reason, size_t size)
{
	const struct manifest_values values = {.paths = paths};
	char *expanded = manifest_expand(c, text, &values);
	char file[PATH_MAX] = "";
	bool missing = false;

	if (expanded != NULL && strchr(expanded, '/') == NULL) {
		missing = !in_path(expanded);
		snprintf(reason, size, "needs %s, which is not in PATH", expanded);
	} else if (expanded != NULL) {
		snprintf(file, sizeof(file), "%s%s%s", expanded[0] == '/' ? "" : c->dir,
			expanded[0] == '/' ? "" : "/", expanded);
		missing = access(file, F_OK) != 0;
		snprintf(reason, size, "needs %s, which does not exist", paths_short(paths, file));
	}
	free(expanded);
	return missing;
}

bool manifest_missing(
	const struct contestant *c, const struct paths *paths, char *reason, size_t size)
{
	for (const char **item = c->requires; item != NULL && *item != NULL; item++)
		if (is_missing(c, *item, paths, reason, size))
			return true;
	return is_missing(c, c->command[0], paths, reason, size);
}

const char *manifest_class_name(const struct contestant *c)
{
	return classes[c->class];
}

const char *manifest_protocol_name(const struct contestant *c)
{
	return protocols[c->protocol];
}
