#include <jansson.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/fail.h"
#include "servers/common/cities.h"

#define DEFAULT_FILE "servers/common/cities-1500.json"

/* A list with what its texts live in. */
struct owner {
	struct cities cities; /* first, so that a pointer to it is one to all */
	json_t *root;
	struct city list[];
};

static int parse_text(
	const char *path, size_t i, const json_t *city, const char *key, const char **value)
{
	*value = json_string_value(json_object_get(city, key));
	if (*value == NULL || **value == '\0')
		return fail_msg("%s: city %zu: \"%s\": expected a text", path, i + 1, key);
	return 0;
}

static int parse_degrees(
	const char *path, size_t i, const json_t *city, const char *key, int limit, float *value)
{
	const json_t *number = json_object_get(city, key);
	double degrees = json_number_value(number);

	if (!json_is_number(number) || degrees < -limit || degrees > limit)
		return fail_msg("%s: city %zu: \"%s\": expected a number from %d to %d", path,
			i + 1, key, -limit, limit);
	*value = (float)degrees;
	return 0;
}

static int parse_city(const char *path, size_t i, const json_t *from, struct city *city)
{
	if (!json_is_object(from))
		return fail_msg("%s: city %zu: expected an object", path, i + 1);
	if (parse_text(path, i, from, "country", &city->country) != 0 ||
		parse_text(path, i, from, "name", &city->name) != 0 ||
		parse_degrees(path, i, from, "lat", 90, &city->lat) != 0 ||
		parse_degrees(path, i, from, "lng", 180, &city->lng) != 0)
		return -1;
	if (strlen(city->country) != 2)
		return fail_msg(
			"%s: city %zu: \"country\": expected a code of two letters", path, i + 1);
	return 0;
}

/* Takes @root over. */
static struct cities *parse(const char *path, json_t *root)
{
	const json_t *list = json_object_get(root, "cities");
	size_t n = json_array_size(list);
	struct owner *owner;

	if (n == 0) {
		fail_msg("%s: expected an object with \"cities\", a list that is not empty", path);
		goto err0;
	}
	owner = malloc(sizeof(*owner) + n * sizeof(owner->list[0]));
	if (owner == NULL) {
		fail_errno("%s", path);
		goto err0;
	}
	for (size_t i = 0; i < n; i++)
		if (parse_city(path, i, json_array_get(list, i), &owner->list[i]) != 0)
			goto err1;
	owner->root = root;
	owner->cities = (struct cities){.list = owner->list, .n = n};
	return &owner->cities;

err1:
	free(owner);
err0:
	json_decref(root);
	return NULL;
}

/* Writes DEFAULT_FILE's place to @path, PATH_MAX bytes: in the repository that holds the program
 * as build/VARIANT/bin/PROGRAM, or of an installed PREFIX/libexec/rpcbench/PROGRAM. */
static int find_default(char *path)
{
	char program[PATH_MAX - 64]; /* room for what is appended */
	ssize_t len = readlink("/proc/self/exe", program, sizeof(program) - 1);
	char *end;

	if (len < 0)
		return fail_errno("cannot find the program's own place, /proc/self/exe");
	program[len] = '\0';
	for (int parts = 0; parts < 3; parts++) {
		end = strrchr(program, '/');
		if (end != NULL)
			*end = '\0';
	}
	snprintf(path, PATH_MAX, "%s/share/rpcbench/" DEFAULT_FILE, program);
	if (access(path, R_OK) == 0)
		return 0;
	end = strrchr(program, '/');
	if (end != NULL)
		*end = '\0';
	snprintf(path, PATH_MAX, "%s/" DEFAULT_FILE, program);
	return 0;
}

struct cities *cities_load(const char *path)
{
	char found[PATH_MAX];
	json_error_t error;
	json_t *root;

	if (path == NULL) {
		if (find_default(found) != 0)
			return NULL;
		path = found;
	}
	if (access(path, R_OK) != 0) {
		fail_errno("cannot read the cities of %s", path);
		return NULL;
	}
	root = json_load_file(path, JSON_REJECT_DUPLICATES, &error);
	if (root == NULL) {
		fail_msg("%s: line %d: %s", path, error.line, error.text);
		return NULL;
	}
	return parse(path, root);
}

void cities_free(struct cities *cities)
{
	struct owner *owner = (struct owner *)cities;

	if (owner != NULL) {
		json_decref(owner->root);
		free(owner);
	}
}
