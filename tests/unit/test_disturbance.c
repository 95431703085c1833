#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "harness/disturbance.h"
#include "harness/reason.h"
#include "tests/unit/test.h"

static char reason[REASON_MAX];

static void test_a_quiet_machine(void **state)
{
	const struct disturbance quiet = {
		.window_s = 5,
		.foreign_cpu_s = 0.24,
		.steal_s = 0.19,
		.asleep_ns = 49 * NS_PER_MS,
		.step_ns = -999 * NS_PER_MS,
		.stall_ns = 400 * NS_PER_MS,
		.cpus = 2,
	};
	/* A tick or two more or less is nothing, however short the window. */
	const struct disturbance brief = {
		.window_s = 0.2, .foreign_cpu_s = 0.04, .steal_s = 0.04, .cpus = 1};

	(void)state;
	assert_false(disturbance_counts(&quiet, reason));
	assert_string_equal(reason, "");
	assert_false(disturbance_counts(&brief, reason));
}

static void test_each_disturbance_is_named(void **state)
{
	struct disturbance d = {.window_s = 5, .foreign_cpu_s = 0.26, .cpus = 2};

	(void)state;
	assert_true(disturbance_counts(&d, reason));
	assert_string_equal(reason, "other processes used 0.05 of 2 CPUs");
	d = (struct disturbance){.window_s = 5,
		.foreign_cpu_s = 4,
		.cpus = 1,
		.busiest = 17,
		.busiest_command = "cc1"};
	assert_true(disturbance_counts(&d, reason));
	assert_string_equal(reason, "other processes used 0.80 of 1 CPU, most of it pid 17 (cc1)");
	d = (struct disturbance){.window_s = 5, .steal_s = 0.5, .cpus = 2};
	assert_true(disturbance_counts(&d, reason));
	assert_string_equal(reason, "the host took 5 % of the CPUs away (steal)");
	d = (struct disturbance){.window_s = 5, .asleep_ns = 3600 * NS_PER_S, .cpus = 2};
	assert_true(disturbance_counts(&d, reason));
	assert_memory_equal(reason, "the machine slept for ", 22);
	d = (struct disturbance){.window_s = 5, .step_ns = 2 * NS_PER_S, .cpus = 2};
	assert_true(disturbance_counts(&d, reason));
	assert_string_equal(reason, "the time of day was set forward by 2.00s");
	d = (struct disturbance){
		.window_s = 5, .step_ns = -2 * NS_PER_S, .stall_ns = 3 * NS_PER_S, .cpus = 2};
	assert_true(disturbance_counts(&d, reason));
	assert_string_equal(reason, "the time of day was set back by 2.00s; "
				    "rpcbench itself did not run for 3.00s");
}

/* The clocks as they are after a sleep, and after somebody set the time. */
static void test_clocks_between_two_looks(void **state)
{
	const struct look before = {.monotonic_ns = 10, .boot_ns = 20, .real_ns = 1000};
	struct look after = {.monotonic_ns = 10 + 5 * NS_PER_S,
		.boot_ns = 20 + 65 * NS_PER_S,
		.real_ns = 1000 + 65 * NS_PER_S};
	struct disturbance d;

	(void)state;
	disturbance_between(&before, &after, NULL, &d);
	assert_true(d.window_s == 5);
	assert_int_equal(d.asleep_ns, 60 * NS_PER_S);
	assert_int_equal(d.step_ns, 0);
	after.real_ns -= 7 * NS_PER_S;
	disturbance_between(&before, &after, NULL, &d);
	assert_int_equal(d.step_ns, -7 * NS_PER_S);
	assert_true(disturbance_counts(&d, reason));
}

static void burn(clockid_t clock, int64_t for_ns)
{
	struct timespec now;
	int64_t end_ns;

	clock_gettime(clock, &now);
	end_ns = now.tv_sec * NS_PER_S + now.tv_nsec + for_ns;
	do
		clock_gettime(clock, &now);
	while (now.tv_sec * NS_PER_S + now.tv_nsec < end_ns);
}

/* A stranger is a process that is not under us: a child's child whose parent ended. */
static pid_t start_stranger(void)
{
	int pipe_fds[2];
	pid_t stranger = -1;
	pid_t child;

	assert_int_equal(pipe(pipe_fds), 0);
	child = fork();
	if (child == 0) {
		stranger = fork();
		if (stranger == 0) {
			burn(CLOCK_MONOTONIC, 20 * NS_PER_S);
			_exit(0);
		}
		_exit(write(pipe_fds[1], &stranger, sizeof(stranger)) < 0);
	}
	assert_int_equal(read(pipe_fds[0], &stranger, sizeof(stranger)), sizeof(stranger));
	waitpid(child, NULL, 0);
	close(pipe_fds[0]);
	close(pipe_fds[1]);
	return stranger;
}

static double used_s(const struct look *look, pid_t pid)
{
	const struct proc_entry *entry = proc_list_find(&look->processes, pid);

	return entry != NULL ? entry->stat.user_s + entry->stat.system_s : 0;
}

static void test_strangers_count_and_we_do_not(void **state)
{
	pid_t stranger = start_stranger();
	struct look before;
	struct look after;
	struct disturbance d;
	double stranger_s;
	pid_t child;

	(void)state;
	assert_int_equal(look_take(&before, NULL), 0);
	child = fork();
	if (child == 0) {
		setsid();
		burn(CLOCK_PROCESS_CPUTIME_ID, 200 * NS_PER_MS);
		_exit(0);
	}
	burn(CLOCK_PROCESS_CPUTIME_ID, 200 * NS_PER_MS);
	waitpid(child, NULL, 0);
	assert_int_equal(look_take(&after, NULL), 0);
	kill(stranger, SIGKILL);
	disturbance_between(&before, &after, NULL, &d);
	stranger_s = used_s(&after, stranger) - used_s(&before, stranger);
	assert_true(d.foreign_cpu_s >= stranger_s - 0.02);
	assert_true(d.busiest != 0 && d.busiest != getpid() && d.busiest != child);
	assert_true(after.own_s - before.own_s >= 0.38);
	look_free(&before);
	look_free(&after);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_quiet_machine),
		cmocka_unit_test(test_each_disturbance_is_named),
		cmocka_unit_test(test_clocks_between_two_looks),
		cmocka_unit_test(test_strangers_count_and_we_do_not),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
