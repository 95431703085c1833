#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "harness/proc.h"
#include "harness/usage.h"
#include "tests/unit/test.h"

#define TOUCHED (32u << 20)

static double cpu_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Uses the CPU for @seconds of its own time, whatever else the machine does. */
static void burn(double seconds)
{
	double end = cpu_s() + seconds;

	/* Few system calls, so that it is user time. */
	while (cpu_s() < end)
		for (volatile unsigned i = 0; i < 100000; i++)
			continue;
}

/* Says on @ready that it has burned, and stays. One child lives on, one has ended by then. */
static void child(int ready)
{
	char *bytes = malloc(TOUCHED);
	pid_t ended = fork();

	if (ended == 0) {
		burn(0.3);
		_exit(0);
	}
	waitpid(ended, NULL, 0);
	if (fork() == 0) {
		burn(0.1);
		if (write(ready, "x", 1) != 1)
			_exit(1);
		pause();
	}
	memset(bytes, 1, TOUCHED);
	burn(0.1);
	if (write(ready, bytes, 1) != 1)
		_exit(1);
	pause();
	_exit(0);
}

static int read_all(struct usage *usage)
{
	struct proc_list all;
	int status;

	assert_int_equal(proc_list_read(&all), 0);
	status = usage_read(&all, getpid(), usage);
	proc_list_free(&all);
	return status;
}

/* A process that does nothing, and ends with this one. */
static pid_t start_idle(void)
{
	pid_t pid = fork();

	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		pause();
		_exit(0);
	}
	return pid;
}

/* What was read before and is none of ours is not read again; ours and new ones are. */
static void test_a_list_read_again(void **state)
{
	struct proc_list first;
	struct proc_list again;
	struct usage usage;
	pid_t old = start_idle();
	pid_t new;

	(void)state;
	assert_int_equal(proc_list_read(&first), 0);
	for (size_t i = 0; i < first.n; i++)
		first.entries[i].stat.threads = 1000;
	new = start_idle();
	assert_int_equal(proc_list_again(&again, &first, getpid()), 0);
	assert_int_equal(proc_list_find(&again, 1)->stat.threads, 1000);
	assert_int_equal(usage_sum(&again, getpid(), &usage), 0);
	assert_int_equal(usage.processes, 2);
	assert_int_equal(usage.threads, 2);
	assert_true(usage.rss_bytes > 0);
	proc_list_free(&first);
	proc_list_free(&again);
	kill(old, SIGKILL);
	kill(new, SIGKILL);
	waitpid(old, NULL, 0);
	waitpid(new, NULL, 0);
}

static void test_all_descendants_are_counted(void **state)
{
	struct usage usage;
	char bytes[2];
	int ready[2];
	pid_t pid;

	(void)state;
	assert_int_equal(pipe(ready), 0);
	pid = fork();
	if (pid == 0) {
		setpgid(0, 0);
		child(ready[1]);
	}
	assert_int_equal(read(ready[0], bytes, 1), 1);
	assert_int_equal(read(ready[0], bytes, 1), 1);
	assert_int_equal(read_all(&usage), 0);
	assert_int_equal(usage.processes, 2);
	assert_int_equal(usage.threads, 2);
	/* 0.1 s its own, 0.1 s of one child and 0.3 s of the other, cut to ticks of 10 ms. */
	assert_true(usage.cpu_user_s > 0.40);
	assert_true(usage.cpu_user_s + usage.cpu_system_s < 0.70);
	assert_true(usage.max_rss_bytes > TOUCHED);
	assert_true(usage.rss_bytes > TOUCHED);
	assert_true(usage.ctx_voluntary > 0);

	kill(-pid, SIGKILL);
	waitpid(pid, NULL, 0);
	assert_int_equal(read_all(&usage), -1);
	close(ready[0]);
	close(ready[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_descendants_are_counted),
		cmocka_unit_test(test_a_list_read_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
