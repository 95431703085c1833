#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/report/page.h"
#include "harness/report/pick.h"
#include "harness/report/result.h"
#include "tests/unit/test.h"

#define GOLDEN        "tests/golden/report/"
#define GOLDEN_UPDATE "UPDATE_GOLDEN" /* environment: write the expected text, do not compare */
#define DATA_BEGIN    "<script id=\"data\" type=\"application/json\">"
#define HOSTILE       "</script><script>alert(1)"
#define DESCRIPTION   "<!-- \" \u2028\u2029 " HOSTILE

/* ------------------------------------------------------------------ helpers */

/* What a page is made of: one record, which is summarised. */
static json_t *read_records(const char *path)
{
	json_t *records = json_array();
	json_t *record = result_read(path);

	assert_non_null(record);
	assert_int_equal(result_summarise(record), 0);
	assert_int_equal(page_add(records, path, record), 0);
	json_decref(record);
	return records;
}

static char *print_page(const json_t *records)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	assert_non_null(out);
	assert_int_equal(page_print(records, out), 0);
	fclose(out);
	assert_int_equal(strlen(text), len);
	return text;
}

/* The data that @page carries, as a browser would find its end. */
static json_t *read_data(const char *page)
{
	const char *begin = strstr(page, DATA_BEGIN);
	const char *end;
	json_t *data;

	assert_non_null(begin);
	begin += strlen(DATA_BEGIN);
	end = strchr(begin, '<');
	assert_non_null(end);
	assert_int_equal(strncmp(end, "</script>", strlen("</script>")), 0);
	data = json_loadb(begin, (size_t)(end - begin), 0, NULL);
	assert_non_null(data);
	return data;
}

static json_t *first_contestant(const json_t *records)
{
	return json_array_get(pick(json_array_get(records, 0), "record.contestants"), 0);
}

static const json_t *row_called(const json_t *data, const char *name)
{
	const json_t *rows = pick(data, "rows");

	for (size_t i = 0; i < json_array_size(rows); i++)
		if (strcmp(pick_text(json_array_get(rows, i), "name"), name) == 0)
			return json_array_get(rows, i);
	fail_msg("no row %s", name);
	return NULL;
}

static size_t count_of(const char *text, const char *part)
{
	size_t n = 0;

	for (; (text = strstr(text, part)) != NULL; text += strlen(part))
		n++;
	return n;
}

/* ------------------------------------------------------------------ tests */

static void test_golden_data(void **state)
{
	static const char path[] = GOLDEN "limited-page.txt";
	json_t *records = read_records(GOLDEN "limited.json");
	char *page = print_page(records);
	json_t *data = read_data(page);
	json_t *expected;

	(void)state;
	if (getenv(GOLDEN_UPDATE) != NULL)
		assert_int_equal(
			json_dump_file(data, path, JSON_INDENT(1) | JSON_REAL_PRECISION(9)), 0);
	expected = json_load_file(path, 0, NULL);
	assert_non_null(expected);
	assert_true(json_equal(data, expected));
	json_decref(expected);
	json_decref(data);
	free(page);
	json_decref(records);
}

static void test_same_bytes(void **state)
{
	json_t *records = read_records(GOLDEN "round.json");
	json_t *again = read_records(GOLDEN "round.json");
	char *page = print_page(records);
	char *page_again = print_page(again);

	(void)state;
	assert_string_equal(page, page_again);
	free(page);
	free(page_again);
	json_decref(records);
	json_decref(again);
}

static void test_hostile_names(void **state)
{
	json_t *records = read_records(GOLDEN "limited.json");
	json_t *contestant = first_contestant(records);
	char *page = print_page(records);
	size_t scripts = count_of(page, "<script");
	const json_t *row;
	json_t *data;

	(void)state;
	free(page);
	json_object_set_new(contestant, "name", json_string(HOSTILE));
	json_object_set_new(contestant, "description", json_string(DESCRIPTION));
	json_object_set_new(contestant, "protocol", json_string(HOSTILE));
	page = print_page(records);
	assert_int_equal(count_of(page, "<script"), scripts);
	assert_int_equal(count_of(page, "<!--"), 0);
	assert_int_equal(count_of(page, "\u2028") + count_of(page, "\u2029"), 0);
	data = read_data(page);
	assert_non_null(strstr(page, "&lt;/script&gt;&lt;script&gt;alert(1)"));
	/* It comes out of the data as it went in. */
	row = row_called(data, HOSTILE);
	assert_string_equal(pick_text(row, "protocol"), HOSTILE);
	assert_string_equal(pick_text(row, "description"), DESCRIPTION);
	json_decref(data);
	free(page);
	json_decref(records);
}

static void test_nothing_to_show(void **state)
{
	json_t *records = json_array();
	char *page = print_page(records);
	json_t *data = read_data(page);

	(void)state;
	assert_int_equal(json_array_size(pick(data, "rows")), 0);
	assert_int_equal(count_of(page, "{{"), count_of(strstr(page, DATA_BEGIN), "{{"));
	json_decref(data);
	free(page);
	json_decref(records);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_golden_data),
		cmocka_unit_test(test_same_bytes),
		cmocka_unit_test(test_hostile_names),
		cmocka_unit_test(test_nothing_to_show),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
