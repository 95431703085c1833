#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/manifest.h"
#include "harness/paths.h"
#include "tests/unit/catch.h"
#include "tests/unit/test.h"

static struct paths here = {.root = ".", .bin = "build/bin"};
static char folder[] = "/tmp/rpcbench-manifest-XXXXXX";
static char file[64];

#define GOOD                                                                                       \
	"{\"name\": \"a\", \"protocol\": \"http1\", \"class\": \"stock\",\n"                       \
	" \"command\": [\"{bin}/a\", \"{port}\"],\n"                                               \
	" \"calls\": {\"find_one\": {\"url\": \"/test\"}}"

/* Reads @text as a manifest. Return: what was printed, without the file's name. */
static const char *read_text(struct manifests *all, const char *text, struct catch *c)
{
	FILE *out = fopen(file, "w");
	const char *printed;

	fputs(text, out);
	fclose(out);
	catch_begin(c);
	manifest_add(all, &here, file);
	printed = catch_end(c);
	if (strstr(printed, file) == NULL)
		return printed;
	return strstr(printed, file) + strlen(file);
}

static const struct {
	const char *text;
	const char *message;
} bad_manifests[] = {
	{"{", ":1: string or '}' expected near end of file"},
	{"[]", ":1: expected a contestant or a list of them"},
	{"\n3", ":2: expected an object, got 3"},
	{"\n\n[\"x\"]", ":3: [0]: expected an object, got \"x\""},
	{"{\"name\":\n\"a\",\n\"name\":\"b\"}", ":3: duplicate object key near '\"name\"'"},
	{"\n{\"name\": \"a\"}", ":2: expected the key protocol, which is missing"},
	{GOOD ",\n\"clas\": 1}",
		":4: clas: unknown key, expected one of name, description, protocol, "
		"class, command, calls, requires, ready, ready_timeout, port, "
		"max_connections, max_pipeline, port_word, companions, counts, env"},
	{GOOD ",\n\n\"port\": \"80\"}",
		":5: port: expected a whole number of 1 to 65535, got \"80\""},
	{GOOD ",\n\"port\": 0}", ":4: port: expected a whole number of 1 to 65535, got 0"},
	{GOOD ",\n\"port\": 8.5}", ":4: port: expected a whole number of 1 to 65535, got 8.5"},
	{GOOD ",\n\"ready\": \"never\"}",
		":4: ready: expected one of \"line\", \"port\", got \"never\""},
	{GOOD ",\n\"requires\": []}", ":4: requires: expected a list of texts, got []"},
	{GOOD ",\n\"requires\": [\"node\",\n\n 7]}", ":6: requires[1]: expected a text, got 7"},
	{GOOD ",\n\"description\": \"\"}", ":4: description: expected a text, got \"\""},
	{GOOD ",\n\"env\": {\"A\": \"1\",\n\"B\": 2}}", ":5: env.B: expected a text, got 2"},
	{GOOD ",\n\"env\": {\"A=B\": \"1\"}}", ":4: env.A=B: expected a variable's name"},
	{GOOD ",\n\"env\": {\"A\": \"{prot}\"}}",
		":4: env.A: expected only the placeholders {bin}, {dir}, {root}, {host}, "
		"{port} and {threads}, got \"{prot}\""},
	{"{\"name\": \"a b\", \"protocol\": \"http1\", \"class\": \"stock\","
	 "\"command\": [\"a\"], \"calls\": {}}",
		":1: name: expected a name of letters, digits, '.', '_' and '-', at most "
		"64, got \"a b\""},
	{"{\"name\": \"a\", \"protocol\": \"http2\"}",
		":1: expected the key class, which is missing"},
	{"{\"name\": \"a\", \"class\": \"stock\", \"command\": [\"a\"], \"calls\": {},\n"
	 "\"protocol\": \"http2\"}",
		":1: calls: expected an object with members, got {}"},
	{"[" GOOD "},\n" GOOD "}]",
		":4: [1].name: expected a name of its own, 'a' is taken by FILE:1"},
	{"{\"name\": \"a\", \"protocol\": \"thrift\", \"class\": \"bare\",\n"
	 "\"command\": [\"a\",\n\"{ports}\"], \"calls\": {\"hello\": {\"url\": \"/\"}}}",
		":3: command[1]: expected only the placeholders {bin}, {dir}, {root}, "
		"{host}, {port} and {threads}, got \"{ports}\""},
	{"{\"name\": \"a\", \"protocol\": \"thrift\", \"class\": \"bare\",\n"
	 "\"ready\": \"port\",\n"
	 "\"command\": [\"a\"], \"calls\": {\"hello\": {\"url\": \"/\"}}}",
		":3: command: expected {port} in it or in env, since neither a fixed port "
		"nor a READY line tells where it listens"},
	{"{\"name\": \"a\", \"protocol\": \"http1\", \"class\": \"bare\",\n"
	 "\"command\": [\"a\"], \"calls\": {\"h\\u0065llo\": {\"url\": \"/\"},\n"
	 "\"message\":{\n\"headers\": {}}}}",
		":3: calls.message: expected the key url, which is missing"},
	{"{\"name\": \"a\", \"protocol\": \"http1\", \"class\": \"bare\",\n"
	 "\"command\": [\"a \\\" } ]\", \"{\"], \"calls\": {\n\"hello\": {\n"
	 "\"url\": \"test\"}}}",
		":4: calls.hello.url: expected a path that begins with '/', got \"test\""},
	{"{\"name\": \"a\", \"protocol\": \"http1\", \"class\": \"bare\",\n"
	 "\"command\": [\"a\"], \"calls\": {\"hello\": {\"url\": \"/\",\n"
	 "\"method\": \"get\"}}}",
		":3: calls.hello.method: expected a method in capital letters, got "
		"\"get\""},
	{"{\"name\": \"a\", \"protocol\": \"http1\", \"class\": \"bare\",\n"
	 "\"command\": [\"a\"], \"calls\": {\n\"helo\": {\"url\": \"/\"}}}",
		":3: calls.helo: unknown call, expected one of: echo find_one get_cities "
		"hello "
		"message "
		"plaintext publish"},
};

static void test_bad_manifests(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(bad_manifests) / sizeof(bad_manifests[0]); i++) {
		struct manifests all = {0};
		struct catch c;
		char printed[4096];
		char *name;

		snprintf(
			printed, sizeof(printed), "%s", read_text(&all, bad_manifests[i].text, &c));
		name = strstr(printed, file);
		if (name != NULL) {
			memmove(name + 4, name + strlen(file), strlen(name + strlen(file)) + 1);
			memcpy(name, (const char[]){'F', 'I', 'L', 'E'}, 4);
		}
		assert_string_equal(printed, bad_manifests[i].message);
		manifest_free(&all);
	}
}

static void test_good_manifest(void **state)
{
	const struct manifest_values values = {.paths = &here, .port = 81, .threads = 2};
	struct manifests all = {0};
	const struct contestant *c;
	struct catch caught;
	char *text;

	(void)state;
	assert_string_equal(
		read_text(&all,
			"[" GOOD ", \"port\": 81}, {\"name\": \"b\", \"protocol\": \"thrift\", "
			"\"class\": \"tuned\", \"command\": [\"x\", \"{host}:{port} {}{A}{\", "
			"\"{dir}-{root}-{bin}-{threads}\"], \"calls\": {\"publish\": "
			"{\"url\": \"/S.M\"}}}]",
			&caught),
		"");
	assert_int_equal(all.count, 2);
	c = manifest_find(&all, "a");
	assert_int_equal(c->port, 81);
	assert_int_equal(c->ready, MANIFEST_PORT);
	assert_string_equal(manifest_call(c, "find_one")->url, "/test");
	assert_string_equal(manifest_call(c, "find_one")->method, "GET");
	assert_null(manifest_call(c, "publish"));
	c = manifest_find(&all, "b");
	assert_int_equal(c->ready, MANIFEST_LINE);
	assert_string_equal(manifest_class_name(c), "tuned");
	assert_string_equal(manifest_protocol_name(c), "thrift");
	text = manifest_expand(c, c->command[1], &values);
	assert_string_equal(text, "127.0.0.1:81 {}{A}{");
	free(text);
	text = manifest_expand(c, c->command[2], &values);
	assert_memory_equal(text, folder, strlen(folder));
	assert_string_equal(text + strlen(folder), "-.-build/bin-2");
	free(text);
	assert_null(manifest_find(&all, "c"));
	manifest_free(&all);
}

static void test_what_is_missing(void **state)
{
	struct manifests all = {0};
	struct catch caught;
	char reason[256];

	(void)state;
	assert_string_equal(
		read_text(&all,
			"[" GOOD "}, {\"name\": \"b\", \"protocol\": \"http1\", \"class\": "
			"\"bare\", \"command\": [\"sh\"], \"requires\": [\"sh\", \"{dir}/x.json\", "
			"\"./x.json\"], \"calls\": {\"hello\": {\"url\": \"/\"}}}, {\"name\": "
			"\"c\", "
			"\"protocol\": \"http1\", \"class\": \"bare\", \"command\": [\"sh\"], "
			"\"requires\": [\"no-such-program\"], \"calls\": {\"hello\": {\"url\": "
			"\"/\"}}}]",
			&caught),
		"");
	assert_true(manifest_missing(manifest_find(&all, "a"), &here, reason, sizeof(reason)));
	assert_non_null(strstr(reason, "build/bin/a, which does not exist"));
	assert_false(manifest_missing(manifest_find(&all, "b"), &here, reason, sizeof(reason)));
	assert_true(manifest_missing(manifest_find(&all, "c"), &here, reason, sizeof(reason)));
	assert_string_equal(reason, "needs no-such-program, which is not in PATH");
	manifest_free(&all);
}

static int set_up(void **state)
{
	(void)state;
	if (mkdtemp(folder) == NULL)
		return -1;
	snprintf(file, sizeof(file), "%s/x.json", folder);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	unlink(file);
	return rmdir(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bad_manifests),
		cmocka_unit_test(test_good_manifest),
		cmocka_unit_test(test_what_is_missing),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
