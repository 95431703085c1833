#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/port.h"
#include "harness/proc.h"
#include "harness/process.h"
#include "tests/unit/test.h"

#define PYTHON "/usr/bin/python3"
#define PEER   "tests/peers/http_peer.py"

static char log_file[] = "/tmp/rpcbench-process-XXXXXX";
static char reason[REASON_MAX];

static int start(struct process *p, char *const *argv, uint16_t port)
{
	const struct process_params params = {
		.argv = argv,
		.log = log_file,
		.prints_ready = port == 0,
		.port = port,
		.ready_ns = 5 * NS_PER_S,
		.stop_ns = 300 * NS_PER_MS,
	};

	reason[0] = '\0';
	return process_start(p, &params, reason);
}

static int start_shell(struct process *p, const char *script)
{
	char *argv[] = {"sh", "-c", (char *)script, NULL};

	return start(p, argv, 0);
}

static void test_ends_before_it_is_ready(void **state)
{
	char *missing[] = {"/no/such/program", NULL};
	struct process p;
	char words[128];

	(void)state;
	assert_int_equal(start_shell(&p, "echo first; echo last words >&2; exit 3"), -1);
	assert_string_equal(reason, "exited with status 3 before it was ready");
	assert_string_equal(process_last_words(log_file, words), "last words");
	assert_int_equal(start_shell(&p, "kill -SEGV $$"), -1);
	assert_string_equal(
		reason, "was killed by signal 11 (Segmentation fault) before it was ready");
	assert_int_equal(start(&p, missing, 0), -1);
	assert_string_equal(reason, "cannot run /no/such/program: No such file or directory");
	assert_true(process_stop(&p));
}

static void test_never_ready(void **state)
{
	char *argv[] = {"sleep", "100", NULL};
	struct process_params params = {
		.argv = argv,
		.log = log_file,
		.prints_ready = true,
		.ready_ns = 50 * NS_PER_MS,
		.stop_ns = NS_PER_S,
	};
	struct process p;

	(void)state;
	assert_int_equal(process_start(&p, &params, reason), -1);
	assert_string_equal(reason, "not ready within 50.0ms: printed no READY port=N");
	params.prints_ready = false;
	params.port = port_pick();
	assert_int_equal(process_start(&p, &params, reason), -1);
	assert_memory_equal(reason, "not ready within 50.0ms: does not listen on port ", 49);
}

static void test_says_a_port_that_is_not_its_own(void **state)
{
	struct sockaddr_in address = {
		.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t len = sizeof(address);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	char *argv[] = {"true", NULL};
	char script[64];
	char expected[160];
	struct process p;

	(void)state;
	assert_int_equal(start_shell(&p, "echo READY port=none"), -1);
	assert_string_equal(reason, "printed 'READY port=none', expected READY port=N");
	assert_int_equal(start_shell(&p, "echo READY port=65536"), -1);
	assert_int_equal(start_shell(&p, "echo READY port=1; sleep 100"), -1);
	assert_string_equal(reason, "printed READY port=1, but nothing listens on 127.0.0.1:1");

	assert_int_equal(bind(fd, (struct sockaddr *)&address, len), 0);
	assert_int_equal(listen(fd, 1), 0);
	getsockname(fd, (struct sockaddr *)&address, &len);
	snprintf(script, sizeof(script), "echo READY port=%u; sleep 100", ntohs(address.sin_port));
	assert_int_equal(start_shell(&p, script), -1);
	snprintf(expected, sizeof(expected),
		"port %u is taken by pid %d (test_process), not by its own processes",
		ntohs(address.sin_port), getpid());
	assert_string_equal(reason, expected);

	/* As a fixed port it is found before anything is started. */
	assert_int_equal(start(&p, argv, ntohs(address.sin_port)), -1);
	*strchr(expected, ',') = '\0';
	assert_string_equal(reason, expected);
	close(fd);
}

/* With SO_REUSEPORT the kernel would deal connections out to both. */
static void test_shares_its_port_with_a_stranger(void **state)
{
	struct sockaddr_in address = {
		.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t len = sizeof(address);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int one = 1;
	char port[8];
	char *argv[] = {PYTHON, PEER, "--reuse-port", "--port", port, NULL};
	char expected[160];
	struct process p;

	(void)state;
	setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &one, sizeof(one));
	assert_int_equal(bind(fd, (struct sockaddr *)&address, len), 0);
	assert_int_equal(listen(fd, 1), 0);
	getsockname(fd, (struct sockaddr *)&address, &len);
	snprintf(port, sizeof(port), "%u", ntohs(address.sin_port));
	assert_int_equal(start(&p, argv, 0), -1);
	snprintf(expected, sizeof(expected),
		"port %s is taken by pid %d (test_process), not by its own processes", port,
		getpid());
	assert_string_equal(reason, expected);
	close(fd);
}

static void test_life_of_a_server(void **state)
{
	char *argv[] = {PYTHON, PEER, "--fork", "2", NULL};
	struct process p;
	struct port_owner owner;
	uint16_t port;
	pid_t group;

	(void)state;
	assert_int_equal(start(&p, argv, 0), 0);
	port = p.port;
	group = p.pid;
	assert_int_equal(port_look(port, p.keeper, &owner), PORT_OURS);
	assert_int_equal(port_look(port, -1, &owner), PORT_TAKEN);
	assert_int_equal(owner.pid, group);
	assert_int_equal(proc_group_alive(group), 3);
	assert_false(process_ended(&p, reason));
	assert_true(process_stop(&p));
	assert_int_equal(proc_group_alive(group), 0);
	assert_int_equal(port_look(port, -1, &owner), PORT_FREE);
	assert_int_equal(kill(-group, 0), -1);
	assert_int_equal(errno, ESRCH);
}

static void test_crash_is_noticed(void **state)
{
	char *argv[] = {PYTHON, PEER, NULL};
	struct process p;

	(void)state;
	assert_int_equal(start(&p, argv, 0), 0);
	kill(p.pid, SIGABRT);
	while (!process_ended(&p, reason))
		clock_sleep_until(clock_ns() + NS_PER_MS);
	assert_string_equal(reason, "was killed by signal 6 (Aborted)");
	assert_true(process_stop(&p));
}

static void test_what_does_not_end_is_killed(void **state)
{
	char *stubborn[] = {PYTHON, PEER, "--ignore-term", NULL};
	char *daemon[] = {PYTHON, PEER, "--daemon", NULL};
	struct process p;
	struct proc_stat stat;
	DIR *folder;
	pid_t group;
	pid_t pid;

	(void)state;
	assert_int_equal(start(&p, stubborn, 0), 0);
	group = p.pid;
	assert_false(process_stop(&p));
	assert_int_equal(proc_group_alive(group), 0);
	assert_int_equal(start(&p, daemon, 0), 0);
	assert_false(process_stop(&p));
	folder = opendir("/proc");
	while ((pid = proc_next(folder)) != 0)
		if (proc_stat(pid, &stat) == 0)
			assert_int_not_equal(stat.parent, getpid());
	closedir(folder);
}

static void test_fixed_port_and_environment(void **state)
{
	char *argv[] = {
		"sh", "-c", "exec " PYTHON " " PEER " --never-ready --port \"$PORT\"", NULL};
	char variable[32];
	char *env[] = {variable, NULL};
	cpu_set_t cpus;
	struct process_params params = {
		.argv = argv,
		.env = env,
		.log = log_file,
		.ready_ns = 5 * NS_PER_S,
		.stop_ns = NS_PER_S,
		.port = port_pick(),
		.cpus = &cpus,
	};
	cpu_set_t got;
	struct process p;

	(void)state;
	assert_int_equal(sched_getaffinity(0, sizeof(cpus), &cpus), 0);
	for (int cpu = 0, kept = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &cpus) && kept++ > 0)
			CPU_CLR(cpu, &cpus);
	snprintf(variable, sizeof(variable), "PORT=%u", params.port);
	assert_int_equal(process_start(&p, &params, reason), 0);
	assert_int_equal(p.port, params.port);
	assert_int_equal(sched_getaffinity(p.pid, sizeof(got), &got), 0);
	assert_true(CPU_EQUAL(&got, &cpus));
	assert_true(process_stop(&p));
}

static void test_log_is_bounded(void **state)
{
	char *argv[] = {PYTHON, PEER, "--flood", "18", NULL};
	struct process p;
	struct stat info;

	(void)state;
	assert_int_equal(start(&p, argv, 0), 0);
	assert_false(process_ended(&p, reason));
	assert_int_equal(stat(log_file, &info), 0);
	assert_true(info.st_size < PROCESS_LOG_MAX);
	assert_true(process_stop(&p));
}

static int set_up(void **state)
{
	int fd = mkstemp(log_file);

	(void)state;
	if (fd < 0)
		return -1;
	close(fd);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	return unlink(log_file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ends_before_it_is_ready),
		cmocka_unit_test(test_never_ready),
		cmocka_unit_test(test_says_a_port_that_is_not_its_own),
		cmocka_unit_test(test_shares_its_port_with_a_stranger),
		cmocka_unit_test(test_life_of_a_server),
		cmocka_unit_test(test_crash_is_noticed),
		cmocka_unit_test(test_what_does_not_end_is_killed),
		cmocka_unit_test(test_fixed_port_and_environment),
		cmocka_unit_test(test_log_is_bounded),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
