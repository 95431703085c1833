#include <jansson.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/buf.h"
#include "servers/cities-proxy/decode.h"
#include "servers/cities-proxy/json.h"
#include "servers/common/cities.h"
#include "servers/common/cities_json.h"
#include "servers/common/rpc.h"
#include "tests/unit/test.h"

#define CITY(name) "{\"country\":\"AD\",\"name\":\"" name "\",\"lat\":1,\"lng\":2}"
#define LIST(city) "{\"cities\":[" city "]}"

/* All of the grammar: what is read, and what is skipped. */
static const char rich[] =
	"\xef\xbb\xbf {\"\\u0063ities\" : [ {\"lng\":-1.5e1,\"name\":\"a\\\"\\\\\\/\\b\\f\\n\\r\\t"
	"\\u00e9\\ud83d\\uDE00 \303\240\360\237\230\200\",\"x\":{\"y\":[true,false,null,{},[]]},"
	"\"lat\":0.25E+02,\"country\":\"ZW\"},\r\n\t{\"country\":\"\",\"name\":\"\",\"lat\":-0,"
	"\"lng\":179.99999999999999999999,\"pop\":[1,-2.5e-3,\"\\u20ac\",{\"k\":[[0]]}]}],"
	"\"more\":\"end\"} ";
#define RICH (rich + 3) /* without the byte order mark, which JSON has not */

enum outcome { LISTED, BROKEN, UNSURE };

/* What decode_json() makes of a body, as canonical JSON, with no byte to spare behind it. */
static enum outcome decode(const char *text, size_t len, struct buf *out)
{
	struct buf body = {.data = malloc(len + 1), .end = len, .cap = len + 1};
	struct decoded decoded;
	enum outcome outcome = BROKEN;

	assert_non_null(body.data);
	memcpy(body.data, text, len);
	if (decode_json(&decoded, &body) == 0) {
		outcome = LISTED;
		assert_int_equal(cities_json(out, &decoded.cities), 0);
	}
	decoded_free(&decoded);
	buf_free(&body);
	return outcome;
}

static bool refer_city(const json_t *from, struct city *city)
{
	const json_t *lat = json_object_get(from, "lat");
	const json_t *lng = json_object_get(from, "lng");

	city->country = json_string_value(json_object_get(from, "country"));
	city->name = json_string_value(json_object_get(from, "name"));
	city->lat = (float)json_number_value(lat);
	city->lng = (float)json_number_value(lng);
	return city->country != NULL && city->name != NULL && json_is_number(lat) &&
	       json_is_number(lng) && fabsf(city->lat) <= 90 && fabsf(city->lng) <= 180;
}

static enum outcome refer_list(const json_t *root, struct buf *out)
{
	const json_t *list = json_object_get(root, "cities");

	if (!json_is_array(list))
		return BROKEN;
	assert_int_equal(cities_json_begin(out), 0);
	for (size_t i = 0; i < json_array_size(list); i++) {
		struct city city;

		if (!refer_city(json_array_get(list, i), &city))
			return BROKEN;
		assert_int_equal(cities_json_add(out, &city, i == 0), 0);
	}
	assert_int_equal(cities_json_end(out), 0);
	return LISTED;
}

/* The same by jansson; UNSURE where its rules differ: for numbers that no double has, and for
 * members that come twice and that nobody reads. */
static enum outcome refer(const char *text, size_t len, struct buf *out)
{
	json_error_t error;
	json_t *root =
		json_loadb(text, len, JSON_REJECT_DUPLICATES | JSON_DECODE_INT_AS_REAL, &error);
	enum json_error_code code = root != NULL ? json_error_unknown : json_error_code(&error);
	enum outcome outcome = BROKEN;

	/* jansson loses a NUL that it has read one byte too early, as behind a number. */
	if (root != NULL && memchr(text, '\0', len) == NULL)
		outcome = refer_list(root, out);
	else if (code == json_error_duplicate_key || code == json_error_numeric_overflow)
		outcome = UNSURE;
	json_decref(root);
	return outcome;
}

/* Return: what both say, which has to be the same. */
static enum outcome compare(const char *text, size_t len)
{
	struct buf ours = {0};
	struct buf theirs = {0};
	enum outcome expected = refer(text, len, &theirs);
	enum outcome got = decode(text, len, &ours);

	if (expected != UNSURE && got != expected)
		fail_msg("%s: %.*s", got == LISTED ? "taken" : "refused", (int)len, text);
	if (expected == LISTED) {
		assert_int_equal(buf_len(&ours), buf_len(&theirs));
		assert_memory_equal(buf_head(&ours), buf_head(&theirs), buf_len(&ours));
	}
	buf_free(&ours);
	buf_free(&theirs);
	return expected;
}

static void test_the_grammar(void **state)
{
	(void)state;
	assert_int_equal(compare(RICH, strlen(RICH)), LISTED);
	assert_int_equal(compare(rich, strlen(rich)), BROKEN);
	for (size_t len = 0; len < strlen(RICH) - 1; len++)
		assert_int_equal(compare(RICH, len), BROKEN);
}

static void test_the_cities(void **state)
{
	struct cities *cities = cities_load(NULL);
	struct buf body = {0};
	struct buf again = {0};

	(void)state;
	assert_non_null(cities);
	assert_int_equal(cities_json(&body, cities), 0);
	assert_int_equal(decode(buf_head(&body), buf_len(&body), &again), LISTED);
	assert_int_equal(buf_len(&body), buf_len(&again));
	assert_memory_equal(buf_head(&body), buf_head(&again), buf_len(&body));
	for (size_t len = 0; len < buf_len(&body); len += 1009)
		assert_int_equal(decode(buf_head(&body), len, &again), BROKEN);
	buf_free(&body);
	buf_free(&again);
	cities_free(cities);
}

static const char *const good[] = {
	"{\"cities\":[]}",
	" {\"a\":1e999,\"cities\" :[ ] , \"b\":-0.0e-0}\n",
	LIST(CITY("")),
	LIST(CITY("a") "," CITY("b")),
	LIST(CITY("\\u0001\\ud800\\udc00\\uDBFF\\uDFFF\\uffff")),
	LIST("{\"country\":\"\",\"name\":\"\",\"lat\":90,\"lng\":-180}"),
	LIST("{\"country\":\"\",\"name\":\"\",\"lat\":-90.0,\"lng\":1.8e+2}"),
	LIST("{\"country\":\"\",\"name\":\"\",\"lat\":0e99999999999999999999,\"lng\":1e-999}"),
	LIST("{\"a\":1,\"a\":2,\"country\":\"\",\"name\":\"\",\"lat\":0,\"lng\":0}"),
	NULL,
};

static const char *const bad[] = {
	"",
	" ",
	"null",
	"[]",
	"{}",
	"{\"Cities\":[]}",
	"{\"cities\":null}",
	"{\"cities\":{}}",
	"{\"cities\":[],}",
	"{,\"cities\":[]}",
	"{\"cities\":[,]}",
	"{\"cities\":[]]",
	"{\"cities\":[]}}",
	"{\"cities\":[]}{}",
	"{\"cities\":[],\"cities\":[]}",
	"{\"cities\":[],cities:[]}",
	"{\"cities\" []}",
	"{'cities':[]}",
	"{\"cities\":[]/**/}",
	"{\"cities\":[],\"a\":tru}",
	"{\"cities\":[],\"a\":True}",
	"{\"cities\":[],\"a\":NaN}",
	"{\"cities\":[],\"a\":nullx}",
	"{\"cities\":[],\"a\":\"\\u0000\"}",
	"{\"cities\":[],\"a\":\"\\x41\"}",
	"{\"cities\":[],\"a\":\"\t\"}",
	"{\"cities\":[],\"a\":\"\\ud800\"}",
	"{\"cities\":[],\"a\":\"\\ud800\\u0041\"}",
	"{\"cities\":[],\"a\":\"\\ud800\\udbff\"}",
	"{\"cities\":[],\"a\":\"\\ud800\\ue000\"}",
	"{\"cities\":[],\"a\":\"\\udc00\\ud800\"}",
	"{\"cities\":[],\"a\":\"\\u00g0\"}",
	"{\"cities\":[],\"a\":\"\xc0\x80\"}",
	"{\"cities\":[],\"a\":\"\xed\xa0\x80\"}",
	"{\"cities\":[],\"a\":\"\xf4\x90\x80\x80\"}",
	LIST("[]"),
	LIST("{}"),
	LIST(CITY("a") ","),
	LIST(CITY("a") CITY("b")),
	LIST("{\"country\":\"\",\"name\":\"\",\"lat\":0}"),
	LIST("{\"country\":\"\",\"name\":\"\",\"lat\":0,\"lng\":0,\"lng\":0}"),
	LIST("{\"country\":\"\",\"name\":\"\",\"lat\":0,\"lng\":\"0\"}"),
	LIST("{\"country\":\"\",\"name\":null,\"lat\":0,\"lng\":0}"),
	LIST("{\"country\":\"\",\"name\":\"\",\"lat\":90.00001,\"lng\":0}"),
	LIST("{\"country\":\"\",\"name\":\"\",\"lat\":0,\"lng\":-180.0001}"),
	LIST("{\"country\":\"\",\"name\":\"\",\"lat\":1e999,\"lng\":0}"),
	LIST("{\"country\":\"\",\"name\":\"\",\"lat\":-1e999,\"lng\":0}"),
	LIST("{\"country\":\"\",\"name\":\"\",\"lat\":99999999999999999999,\"lng\":0}"),
	NULL,
};

static void test_lists_taken_and_refused(void **state)
{
	static const char cut[] = "{\"cities\":[],\0\"a\":1}";
	static const char behind[] = "{\"cities\":[]}\0";
	struct buf out = {0};

	(void)state;
	for (size_t i = 0; good[i] != NULL; i++) {
		assert_int_not_equal(compare(good[i], strlen(good[i])), BROKEN);
		if (decode(good[i], strlen(good[i]), &out) != LISTED)
			fail_msg("refused: %s", good[i]);
	}
	for (size_t i = 0; bad[i] != NULL; i++) {
		assert_int_not_equal(compare(bad[i], strlen(bad[i])), LISTED);
		if (decode(bad[i], strlen(bad[i]), &out) != BROKEN)
			fail_msg("taken: %s", bad[i]);
	}
	assert_int_equal(compare(cut, sizeof(cut) - 1), BROKEN);
	assert_int_equal(compare(behind, sizeof(behind) - 1), BROKEN);
	buf_free(&out);
}

static void test_names_of_any_bytes(void **state)
{
	static const char *const tails[] = {"", "\x80", "\xbf", "\x80\x80", "\xbf\xbf", "\x80x"};
	char text[128];

	(void)state;
	for (int lead = 0x80; lead <= 0xff; lead++)
		for (int next = 0x20; next <= 0xff; next += next < 0x7f ? 19 : 1)
			for (size_t i = 0; i < sizeof(tails) / sizeof(*tails); i++) {
				snprintf(text, sizeof(text), LIST(CITY("%c%c%s")), lead, next,
					tails[i]);
				compare(text, strlen(text));
			}
}

/* Of a linear congruential generator, to be the same everywhere. */
static unsigned draw(unsigned below)
{
	static uint64_t seed = 1;

	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)((seed >> 33) % below);
}

static void mutate(char *text, size_t *len)
{
	static const char marks[] = "\"\\{}[],:0123456789.eE+-u \n\303\240tfn";
	size_t at = draw((unsigned)*len);
	size_t size = 1 + draw(draw(8) == 0 ? 40 : 2);
	char mark = draw(8) == 0 ? (char)draw(256) : marks[draw(sizeof(marks))];

	if (size > *len - at)
		size = *len - at;
	switch (draw(4)) {
	case 0:
		text[at] = mark;
		break;
	case 1:
		memmove(text + at + 1, text + at, *len - at);
		text[at] = mark;
		*len += 1;
		break;
	case 2:
		memmove(text + at, text + at + size, *len - at - size);
		*len -= size;
		break;
	default:
		memmove(text + at + size, text + at, *len - at);
		*len += size;
	}
}

static void test_mutations(void **state)
{
	unsigned counts[UNSURE + 1] = {0};
	char text[sizeof(rich) + 256];

	(void)state;
	for (int i = 0; i < 20000; i++) {
		size_t len = strlen(RICH);

		memcpy(text, RICH, len);
		for (unsigned n = 1 + draw(3); n > 0; n--)
			mutate(text, &len);
		counts[compare(text, len)]++;
	}
	assert_true(counts[LISTED] > 1000 && counts[BROKEN] > 1000);
}

static void check_number(const char *text)
{
	char copy[128];
	struct json json = {.at = copy};
	double expected = strtod(text, NULL);
	double value;

	snprintf(copy, sizeof(copy), "%s,", text);
	assert_true(json_number(&json, &value));
	assert_int_equal(*json.at, ',');
	if (value != expected || signbit(value) != signbit(expected))
		fail_msg("%s was read as %.17g", text, value);
}

static void test_numbers(void **state)
{
	char text[128];

	(void)state;
	for (int i = 0; i < 100000; i++) {
		size_t len = 0;

		if (draw(2) == 0)
			text[len++] = '-';
		text[len++] = (char)('0' + draw(10));
		for (unsigned n = text[len - 1] != '0' ? draw(25) : 0; n > 0; n--)
			text[len++] = (char)('0' + draw(10));
		if (draw(4) != 0) {
			text[len++] = '.';
			for (unsigned n = 1 + draw(25); n > 0; n--)
				text[len++] = (char)('0' + draw(draw(2) == 0 ? 10 : 1));
		}
		text[len] = '\0';
		if (draw(2) == 0)
			sprintf(text + len, "%c%s%u", draw(2) == 0 ? 'e' : 'E',
				draw(2) == 0 ? "-" : "", draw(draw(8) == 0 ? 400 : 30));
		check_number(text);
	}
	check_number("9007199254740993");
	check_number("9007199254740993.0");
	check_number("0.000000000000000000000000000000000001");
	check_number("-0");
}

static void test_depth(void **state)
{
	struct buf body = {0};
	struct buf out = {0};

	(void)state;
	for (int depth = 1; depth < 1000000; depth = depth < 100 ? depth + 1 : depth * 100) {
		buf_clear(&body);
		buf_printf(&body, "{\"cities\":[],\"a\":");
		for (int i = 0; i < depth; i++)
			buf_append(&body, i % 2 == 0 ? "[" : "{\"\":", i % 2 == 0 ? 1 : 4);
		buf_append(&body, "0", 1);
		for (int i = depth - 1; i >= 0; i--)
			buf_append(&body, i % 2 == 0 ? "]" : "}", 1);
		buf_append(&body, "}", 1);
		assert_int_equal(decode(buf_head(&body), buf_len(&body), &out),
			depth < JSON_DEPTH_MAX ? LISTED : BROKEN);
	}
	buf_free(&body);
	buf_free(&out);
}

static void test_large_bodies(void **state)
{
	static const char *const parts[] = {"\\u00e9x", "9", ",0", "[]"};
	struct buf body = {0};
	struct buf out = {0};

	(void)state;
	for (size_t part = 0; part < sizeof(parts) / sizeof(*parts); part++) {
		buf_clear(&body);
		buf_printf(&body, "{\"a\":%s", part == 0 ? "\"" : part == 2 ? "[0" : "");
		for (int i = 0; i < 1000000; i++)
			buf_append(&body, parts[part], strlen(parts[part]));
		buf_printf(&body, "%s,\"cities\":[]}", part == 0 ? "\"" : part == 2 ? "]" : "");
		assert_int_equal(
			decode(buf_head(&body), buf_len(&body), &out), part == 3 ? BROKEN : LISTED);
	}
	buf_free(&body);
	buf_free(&out);
}

/* Cities as close to each other as can be: the list has room for them. */
static void test_short_cities(void **state)
{
	static const char shortest[] = "{\"country\":\"\",\"name\":\"\",\"lat\":0,\"lng\":0}";
	struct buf body = {0};

	(void)state;
	for (int n = 0; n < 200; n++) {
		buf_clear(&body);
		buf_append(&body, "{\"cities\":[", 11);
		for (int i = 0; i < n; i++)
			buf_printf(&body, "%s%s", i > 0 ? "," : "", shortest);
		buf_append(&body, "]}", 2);
		assert_int_equal(compare(buf_head(&body), buf_len(&body)), LISTED);
	}
	buf_free(&body);
}

static void test_messages(void **state)
{
	struct cities *cities = cities_load(NULL);
	struct cities few = {.list = cities->list, .n = 20};
	struct rpc_data data = {.cities = &few};
	const struct rpc_method *method = rpc_find(slice_of("/cityinfo.GeoCity/GetCities"));
	char error[RPC_MESSAGE_MAX];
	struct buf message = {0};
	struct decoded decoded;
	size_t whole = 0;

	(void)state;
	assert_int_equal(method->call(&data, (struct slice){0}, &message, error), RPC_OK);
	for (size_t len = buf_len(&message); len > 0; len--) {
		struct buf part = {.data = malloc(len), .end = len, .cap = len};

		memcpy(part.data, buf_head(&message), len);
		if (decode_protobuf(&decoded, &part) == 0) {
			whole++;
			assert_int_equal(decoded.cities.n, few.n + 1 - whole);
			assert_string_equal(decoded.list[0].name, few.list[0].name);
		}
		decoded_free(&decoded);
		buf_free(&part);
	}
	assert_int_equal(whole, few.n);
	buf_free(&message);
	cities_free(cities);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_grammar),
		cmocka_unit_test(test_the_cities),
		cmocka_unit_test(test_lists_taken_and_refused),
		cmocka_unit_test(test_names_of_any_bytes),
		cmocka_unit_test(test_mutations),
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_depth),
		cmocka_unit_test(test_large_bodies),
		cmocka_unit_test(test_short_cities),
		cmocka_unit_test(test_messages),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
