#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/plan.h"
#include "harness/stats/stats.h"
#include "tests/unit/catch.h"
#include "tests/unit/test.h"

static void test_the_seed_decides_the_order(void **state)
{
	size_t a[8];
	size_t b[8];
	struct plan first = {.count = 8, .order = a};
	struct plan second = {.count = 8, .order = b};
	struct stats_random first_random = {.state = 42};
	struct stats_random second_random = {.state = 42};
	size_t before[8];
	int changed = 0;

	(void)state;
	for (size_t i = 0; i < 8; i++)
		a[i] = b[i] = i;
	for (int round = 0; round < 10; round++) {
		memcpy(before, a, sizeof(before));
		plan_shuffle(&first, &first_random);
		plan_shuffle(&second, &second_random);
		assert_memory_equal(a, b, sizeof(a));
		changed += memcmp(before, a, sizeof(a)) != 0;
	}
	assert_true(changed >= 9);
	second_random.state++;
	plan_shuffle(&first, &first_random);
	plan_shuffle(&second, &second_random);
	assert_memory_not_equal(a, b, sizeof(a));
}

static void test_all_orders_are_equally_likely(void **state)
{
	size_t order[3] = {0, 1, 2};
	struct plan plan = {.count = 3, .order = order};
	unsigned seen[27] = {0};
	unsigned orders = 0;
	struct stats_random generator = {.state = 1};

	(void)state;
	for (int i = 0; i < 6000; i++) {
		plan_shuffle(&plan, &generator);
		seen[order[0] * 9 + order[1] * 3 + order[2]]++;
	}
	for (size_t i = 0; i < 27; i++) {
		if (seen[i] == 0)
			continue;
		orders++;
		/* 1000 expected, standard deviation 29. */
		assert_in_range(seen[i], 870, 1130);
	}
	assert_int_equal(orders, 6);
}

static void test_lists_of_threads(void **state)
{
	static const char *const bad[] = {"", ",", "1,", ",1", "1,1", "0", "257", "1 ,2", "-1",
		"1.5", "99999999999999999999", "1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17"};
	struct config_ints threads;
	struct round round = {0};

	(void)state;
	assert_int_equal(plan_parse_threads("4,1,256", &threads), 0);
	assert_int_equal(threads.count, 3);
	assert_true(threads.list[0] == 4 && threads.list[1] == 1 && threads.list[2] == 256);
	round.threads = threads;
	assert_true(plan_most_threads(&round) == 256);
	assert_int_equal(plan_parse_threads("2", &threads), 0);
	assert_true(threads.count == 1 && threads.list[0] == 2);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct catch c;
		char message[200];

		snprintf(message, sizeof(message),
			"rpcbench: --threads: bad value '%s', expected whole numbers of 1 to 256, "
			"each once, like 1,2",
			bad[i]);
		catch_begin(&c);
		assert_int_equal(plan_parse_threads(bad[i], &threads), -1);
		assert_non_null(strstr(catch_end(&c), strchr(message, '-')));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_seed_decides_the_order),
		cmocka_unit_test(test_lists_of_threads),
		cmocka_unit_test(test_all_orders_are_equally_likely),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
