#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/local_ports.h"
#include "tests/unit/test.h"

#define HEAD "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid\n"
#define REST " 00000000:00000000 00:00000000 00000000     0        0 1 1 0 100 0 0 10 0\n"

static const char table[] = HEAD
	/* 1000 listens; 1001 and 1002 in TIME_WAIT; 1002 again, towards another server */
	"   0: 0100007F:03E8 00000000:0000 0A" REST "   1: 0100007F:03E9 0100007F:03E8 06" REST
	"   2: 0100007F:03EA 0100007F:03E8 06" REST " 103: 0100007F:03EA 0100007F:0050 01" REST
	/* of another address, and beyond the range */
	"2004: 0200000A:03EB 0100000A:03E8 06" REST "   5: 0100007F:07D0 0100007F:03E8 06" REST;
static const char table6[] = HEAD
	/* 1004 of any address, 1005 of 127.0.0.1, 1006 of ::1 alone */
	"   0: 00000000000000000000000000000000:03EC 00000000000000000000000000000000:0000 0A" REST
	"   1: 0000000000000000FFFF00000100007F:03ED 0000000000000000FFFF00000100007F:03E8 01" REST
	"   2: 00000000000000000000000001000000:03EE 00000000000000000000000001000000:03E8 06" REST;

static char folder[] = "/tmp/local-ports-XXXXXX";
static char reason[REASON_MAX];

static void write_file(const char *name, const char *text)
{
	char path[128];
	FILE *out;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	out = fopen(path, "w");
	assert_non_null(out);
	assert_int_equal(fputs(text, out) < 0, 0);
	fclose(out);
}

static void remove_file(const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	unlink(path);
}

static int make_proc(void **state)
{
	static const char *const names[] = {"", "/net", "/sys", "/sys/net", "/sys/net/ipv4"};

	(void)state;
	if (mkdtemp(folder) == NULL)
		return -1;
	for (size_t i = 1; i < sizeof(names) / sizeof(names[0]); i++) {
		char path[128];

		snprintf(path, sizeof(path), "%s%s", folder, names[i]);
		if (mkdir(path, 0777) != 0)
			return -1;
	}
	return 0;
}

static int remove_proc(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof(command), "rm -r %s", folder);
	return system(command);
}

static void fill(void)
{
	write_file("sys/net/ipv4/ip_local_port_range", "1000\t1019\n");
	write_file("sys/net/ipv4/ip_local_reserved_ports", "500,1010-1012,1019\n");
	write_file("net/tcp", table);
	write_file("net/tcp6", table6);
}

static void test_each_port_is_counted_once(void **state)
{
	struct local_ports ports;

	(void)state;
	fill();
	assert_int_equal(local_ports_look(folder, &ports, reason), 0);
	assert_int_equal(ports.total, 20);
	/* Taken are 1000, 1001, 1002, 1004, 1005; reserved 1010, 1011, 1012, 1019. */
	assert_int_equal(ports.free, 11);
	assert_int_equal(ports.waiting, 1);
	assert_int_equal(ports.time_wait, 5);
	write_file("sys/net/ipv4/ip_local_reserved_ports", "\n");
	remove_file("net/tcp6");
	assert_int_equal(local_ports_look(folder, &ports, reason), 0);
	assert_int_equal(ports.free, 17);
}

static void test_files_that_say_nothing(void **state)
{
	static const char *const ranges[] = {"", "1000\n", "1019 1000\n", "1 70000\n", "x y\n"};
	struct local_ports_wait wait = {.needed = 1};

	(void)state;
	fill();
	for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++) {
		write_file("sys/net/ipv4/ip_local_port_range", ranges[i]);
		assert_int_equal(local_ports_look(folder, &wait.seen, reason), -1);
		assert_string_equal(reason, "the kernel does not tell its ip_local_port_range");
	}
	fill();
	write_file("net/tcp",
		"\n:\n::\n 0: 0100007F\n 0: 0100007F:\n 0: 0100007F:FFFFFFFFFF 0:0 06\n");
	assert_int_equal(local_ports_look(folder, &wait.seen, reason), 0);
	remove_file("net/tcp");
	local_ports_wait(folder, NS_PER_S, &wait, NULL, NULL);
	assert_false(wait.known);
	assert_non_null(strstr(wait.reason, "/net/tcp cannot be read"));
	assert_int_equal(wait.waited_ns, 0);
}

static void count_call(void *ctx, const struct local_ports_wait *wait)
{
	int *calls = ctx;

	assert_int_equal(wait->seen.free, 11);
	++*calls;
}

/* Here the sockets are gone at the second look. */
static void free_ports(void *ctx, const struct local_ports_wait *wait)
{
	count_call(ctx, wait);
	write_file("net/tcp", HEAD);
}

static void test_waiting_ends(void **state)
{
	struct local_ports_wait wait = {.needed = 12};
	int calls = 0;

	(void)state;
	fill();
	/* Not before there is room, */
	local_ports_wait(folder, 60 * NS_PER_S, &wait, free_ports, &calls);
	assert_true(wait.known);
	assert_int_equal(calls, 1);
	assert_int_equal(wait.seen.free, 14);
	assert_true(wait.waited_ns > 0 && wait.waited_ns < 60 * NS_PER_S);
	/* but at the bound, */
	fill();
	local_ports_wait(folder, NS_PER_MS, &wait, count_call, &calls);
	assert_int_equal(calls, 2);
	assert_int_equal(wait.seen.free, 11);
	assert_true(wait.waited_ns >= NS_PER_MS);
	/* and at once where there is room, or where time frees too few. */
	wait.needed = 11;
	local_ports_wait(folder, 60 * NS_PER_S, &wait, count_call, &calls);
	wait.needed = 13;
	local_ports_wait(folder, 60 * NS_PER_S, &wait, count_call, &calls);
	assert_int_equal(calls, 2);
	assert_int_equal(wait.waited_ns, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_port_is_counted_once),
		cmocka_unit_test(test_files_that_say_nothing),
		cmocka_unit_test(test_waiting_ends),
	};

	return cmocka_run_group_tests(tests, make_proc, remove_proc);
}
