#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "harness/codec/codec.h"
#include "harness/codec/reference.h"
#include "harness/load/load.h"
#include "harness/load/pace.h"
#include "harness/load/target.h"
#include "harness/load/warmup.h"
#include "harness/load/worker.h"
#include "lib/clock.h"
#include "lib/fail.h"

#define NOFILE_SPARE   64 /* descriptors that are not connections */
#define PROGRESS_NS    (100 * NS_PER_MS)
#define START_DELAY_NS (1 * NS_PER_MS) /* so that all threads are awake when requests begin */
#define CLOCK_SAMPLES  1000
#define CLOCK_SOURCE   "/sys/devices/system/clocksource/clocksource0/current_clocksource"

/* One call of load_run(). */
struct run {
	const struct load_params *params;
	const struct load_watch *watch;
	struct plan plan;
	struct warmup warmup;
	struct reference *reference;
	struct worker *workers;
	pthread_t *threads;
	unsigned n_threads;
	unsigned started;
	bool stopped;
};

/* ------------------------------------------------------------------ before */

static int check_params(const struct load_params *p)
{
	if (p->connections < 1)
		return fail_msg("--connections: expected at least 1");
	if (p->threads < 1 || p->threads > LOAD_THREADS_MAX)
		return fail_msg("--threads: expected 1 to %d", LOAD_THREADS_MAX);
	if (p->threads > p->connections)
		return fail_msg("--threads %d: expected no more than there are connections (%d)",
			(int)p->threads, (int)p->connections);
	if (p->requests > 0 && p->requests < (uint64_t)p->threads)
		return fail_msg("--requests %llu: expected at least one a thread (%d)",
			(unsigned long long)p->requests, (int)p->threads);
	if (p->rate < 0 || p->rate > PACE_RATE_MAX)
		return fail_msg(
			"--rate %g: expected no more than %g a second", p->rate, PACE_RATE_MAX);
	if (!p->keep_alive && p->pipeline > 1)
		return fail_msg("--no-keepalive: expected --pipeline 1, a closed connection cannot "
				"carry a second request");
	if (p->drain && p->rate > 0)
		return fail_msg("--drain: expected no --rate, whose rates are of the planned time");
	if (p->source.count > 0 && p->target->address.ss_family != AF_INET)
		return fail_msg("--source: expected a URL with an IPv4 host");
	return 0;
}

static int raise_nofile(int64_t connections)
{
	struct rlimit limit;
	rlim_t wanted = (rlim_t)connections + NOFILE_SPARE;

	if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
		return fail_errno("cannot read the limit of open files");
	if (limit.rlim_cur >= wanted)
		return 0;
	if (limit.rlim_max < wanted)
		return fail_msg(
			"%lld connections need %llu open files, the limit is %llu: raise it "
			"with ulimit -n, or use fewer connections",
			(long long)connections, (unsigned long long)wanted,
			(unsigned long long)limit.rlim_max);
	limit.rlim_cur = limit.rlim_max;
	if (setrlimit(RLIMIT_NOFILE, &limit) != 0)
		return fail_errno("cannot raise the limit of open files to %llu",
			(unsigned long long)limit.rlim_max);
	return 0;
}

static int64_t clock_cost(void)
{
	int64_t start = clock_ns();

	for (int i = 1; i < CLOCK_SAMPLES; i++)
		clock_ns();
	return (clock_ns() - start) / CLOCK_SAMPLES;
}

static void read_clock_source(char *name, size_t size)
{
	FILE *in = fopen(CLOCK_SOURCE, "re");

	if (in == NULL)
		return;
	if (fgets(name, (int)size, in) == NULL)
		name[0] = '\0';
	name[strcspn(name, "\n")] = '\0';
	fclose(in);
}

/* The share of worker @i when @total is dealt out as evenly as can be. */
static uint64_t share(uint64_t total, unsigned i, unsigned n)
{
	return total / n + (i < total % n ? 1 : 0);
}

static int open_pace(struct worker *w, unsigned thread)
{
	const struct pace_params params = {
		.rate = w->params->rate,
		.arrival = (enum pace_arrival)w->params->arrival,
		.seed = w->params->seed,
		.thread = thread,
		.threads = (unsigned)w->params->threads,
	};

	w->pace = pace_new(&params);
	return w->pace != NULL ? 0 : fail_errno("cannot set up the schedule");
}

static int open_workers(struct run *run)
{
	const struct load_params *p = run->params;

	for (unsigned i = 0; i < run->n_threads; i++) {
		struct worker *w = &run->workers[i];

		w->params = p;
		w->codec = p->target->codec;
		w->plan = &run->plan;
		w->quota = p->requests > 0 ? share(p->requests, i, run->n_threads) : UINT64_MAX;
		w->n_conns = share((uint64_t)p->connections, i, run->n_threads);
		if (p->rate > 0 && open_pace(w, i) != 0)
			return -1;
		w->shared = w->codec->prepare(p, run->reference);
		if (w->shared == NULL || worker_open(w) != 0)
			return -1;
	}
	return 0;
}

/* The CPU of thread @i: the (i mod n)-th of the n allowed ones. */
static int pin_thread(pthread_t thread, const cpu_set_t *cpus, unsigned i)
{
	int n = CPU_COUNT(cpus);
	int wanted = n > 0 ? (int)i % n : 0;
	cpu_set_t one;

	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (!CPU_ISSET(cpu, cpus) || wanted-- > 0)
			continue;
		CPU_ZERO(&one);
		CPU_SET(cpu, &one);
		errno = pthread_setaffinity_np(thread, sizeof(one), &one);
		return errno == 0 ? 0 : fail_errno("cannot run a load thread on CPU %d", cpu);
	}
	return fail_msg("no CPU is given to run load threads on");
}

/* Starts all threads; they connect, and then wait to be let go. */
static int start_threads(struct run *run)
{
	for (; run->started < run->n_threads; run->started++) {
		pthread_t *thread = &run->threads[run->started];

		errno = pthread_create(thread, NULL, worker_run, &run->workers[run->started]);
		if (errno != 0)
			return fail_errno("cannot start load thread %u", run->started);
		if (run->params->pin &&
			pin_thread(*thread, &run->params->cpus, run->started) != 0) {
			run->started++;
			return -1;
		}
	}
	return 0;
}

/* ------------------------------------------------------------------ meanwhile */

static void wait_until(struct run *run, int64_t until_ns)
{
	struct timespec deadline = {
		.tv_sec = until_ns / NS_PER_S,
		.tv_nsec = until_ns % NS_PER_S,
	};

	while (run->plan.finished < run->n_threads && clock_ns() < until_ns)
		pthread_cond_timedwait(&run->plan.changed, &run->plan.lock, &deadline);
}

static void tell_window(struct run *run, bool end)
{
	if (run->watch != NULL && run->watch->window != NULL)
		run->watch->window(run->watch->ctx, end);
}

/* Verified replies so far. */
static uint64_t count_ok(const struct run *run)
{
	uint64_t ok = 0;

	for (unsigned i = 0; i < run->n_threads; i++)
		ok += atomic_load_explicit(&run->workers[i].ok_total, memory_order_relaxed);
	return ok;
}

static void tell_progress(struct run *run, int64_t now_ns)
{
	const struct plan *plan = &run->plan;
	int64_t window_ns = plan->window_ns;
	bool warming_up = now_ns < window_ns;
	struct load_progress progress = {
		.warming_up = warming_up,
		.elapsed_ns = now_ns - (warming_up ? plan->start_ns : window_ns),
		.total_ns = warming_up ? run->params->warmup_ns : run->params->duration_ns,
		.ok = count_ok(run),
	};

	if (run->watch == NULL || run->watch->progress == NULL || run->stopped)
		return;
	if (!warming_up && run->params->requests > 0)
		progress.total_ns = 0;
	else if (warming_up && progress.elapsed_ns > progress.total_ns)
		progress.total_ns *= WARMUP_LIMIT;
	if (run->watch->progress(run->watch->ctx, &progress) != 0) {
		run->stopped = true;
		atomic_store(&run->plan.window_end_ns, now_ns);
	}
}

/* Where nothing listens there is nothing to wait for. */
static bool any_established(const struct run *run)
{
	for (unsigned i = 0; i < run->n_threads; i++)
		if (run->workers[i].record->established > 0)
			return true;
	return false;
}

static struct warmup begin_warmup(const struct run *run)
{
	const struct load_params *p = run->params;

	if (p->rate > 0)
		return warmup_fixed("open loop: replies follow the schedule");
	if (p->requests > 0)
		return warmup_fixed("of a fixed length before a planned number of requests");
	if (!p->until_steady || p->drain)
		return warmup_fixed("of a fixed length");
	return warmup_begin(
		run->plan.start_ns, p->warmup_ns, (uint64_t)p->connections * (uint64_t)p->pipeline);
}

static void open_window(struct run *run, int64_t at_ns)
{
	const struct load_params *p = run->params;

	if (p->requests == 0 && !p->drain)
		atomic_store(&run->plan.window_end_ns, at_ns + p->duration_ns);
	atomic_store(&run->plan.window_ns, at_ns);
}

static void set_times(struct run *run)
{
	struct plan *plan = &run->plan;
	const struct load_params *p = run->params;

	plan->start_ns = clock_ns() + START_DELAY_NS;
	plan->window_ns = INT64_MAX;
	plan->window_end_ns = INT64_MAX;
	plan->last_ns = INT64_MAX;
	if (p->requests == 0 && p->drain)
		plan->last_ns = plan->start_ns + p->warmup_ns + p->duration_ns;
	run->warmup = begin_warmup(run);
	if (!any_established(run)) {
		run->warmup = warmup_fixed("no connection was set up");
		plan->window_end_ns = plan->window_ns = plan->start_ns;
	} else if (run->warmup.next_ns == INT64_MAX) {
		open_window(run, plan->start_ns + p->warmup_ns);
	}
}

static void look_at_warmup(struct run *run, int64_t now_ns)
{
	if (run->stopped)
		run->warmup.next_ns = INT64_MAX;
	else if (now_ns >= run->warmup.next_ns && warmup_look(&run->warmup, now_ns, count_ok(run)))
		open_window(run, now_ns + WARMUP_LEAD_NS);
}

/* When the main thread has to do something next, but for telling of progress. */
static int64_t next_event(const struct run *run, bool window_open, bool window_over)
{
	const struct plan *plan = &run->plan;

	if (window_over)
		return INT64_MAX;
	if (window_open)
		return plan->window_end_ns;
	return plan->window_ns < run->warmup.next_ns ? plan->window_ns : run->warmup.next_ns;
}

/* Sets the times, lets the threads go, and calls the hooks until all have finished. Called and
 * left with the plan's lock held. */
static void conduct(struct run *run)
{
	struct plan *plan = &run->plan;
	bool window_open = false;
	bool window_over = false;

	while (plan->connected < run->n_threads)
		pthread_cond_wait(&plan->changed, &plan->lock);
	set_times(run);
	plan->go = true;
	pthread_cond_broadcast(&plan->changed);

	while (plan->finished < run->n_threads) {
		int64_t now_ns = clock_ns();
		int64_t until_ns = now_ns + PROGRESS_NS;
		int64_t next_ns;

		look_at_warmup(run, now_ns);
		if (!window_open && now_ns >= plan->window_ns) {
			window_open = true;
			tell_window(run, false);
		}
		if (window_open && !window_over && now_ns >= plan->window_end_ns) {
			window_over = true;
			tell_window(run, true);
		}
		tell_progress(run, now_ns);
		next_ns = next_event(run, window_open, window_over);
		wait_until(run, next_ns < until_ns ? next_ns : until_ns);
	}
	if (!window_open)
		tell_window(run, false);
	if (!window_over)
		tell_window(run, true);
}

/* ------------------------------------------------------------------ after */

static void collect(struct run *run, struct load_result *result)
{
	int64_t last_ns = run->plan.window_ns;

	for (unsigned i = 0; i < run->n_threads; i++) {
		const struct worker *w = &run->workers[i];
		double spun_s = (double)w->spun_ns / NS_PER_S;
		double cpu_s = w->cpu_user_s + w->cpu_system_s - spun_s;

		result->spun_s += spun_s;
		record_merge(result->record, w->record);
		result->begun_total += w->begun_total;
		result->replied_total += w->replied_total;
		result->cpu_user_s += w->cpu_user_s;
		result->cpu_system_s += w->cpu_system_s;
		if (cpu_s > result->cpu_busiest)
			result->cpu_busiest = cpu_s;
		if (w->last_done_ns > last_ns)
			last_ns = w->last_done_ns;
	}
	if (run->plan.window_end_ns != INT64_MAX)
		last_ns = run->plan.window_end_ns;
	result->window_ns = last_ns > run->plan.window_ns ? last_ns - run->plan.window_ns : 0;
	result->warmup_ns =
		(result->window_ns > 0 ? run->plan.window_ns : last_ns) - run->plan.start_ns;
	result->warmup = run->warmup;
	if (result->window_ns > 0)
		result->cpu_busiest /= (double)result->window_ns / NS_PER_S;
	else
		result->cpu_busiest = 0;
	result->stopped = run->stopped;
	result->learned = reference_learned(run->reference);
}

static int run_open(struct run *run)
{
	pthread_condattr_t monotonic;

	run->n_threads = (unsigned)run->params->threads;
	pthread_mutex_init(&run->plan.lock, NULL);
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&run->plan.changed, &monotonic);
	pthread_condattr_destroy(&monotonic);

	run->reference = reference_new(run->params->expect_body);
	run->workers = calloc(run->n_threads, sizeof(*run->workers));
	run->threads = calloc(run->n_threads, sizeof(*run->threads));
	if (run->reference == NULL || run->workers == NULL || run->threads == NULL)
		return fail_errno("cannot set up the load");
	for (unsigned i = 0; i < run->n_threads; i++)
		run->workers[i].epoll_fd = -1;
	return open_workers(run);
}

static void run_close(struct run *run)
{
	for (unsigned i = 0; run->workers != NULL && i < run->n_threads; i++)
		worker_close(&run->workers[i]);
	free(run->workers);
	free(run->threads);
	reference_free(run->reference);
	pthread_cond_destroy(&run->plan.changed);
	pthread_mutex_destroy(&run->plan.lock);
}

int load_run(const struct load_params *params, const struct load_watch *watch,
	struct load_result *result)
{
	struct run run = {.params = params, .watch = watch};
	int ret = -1;

	*result = (struct load_result){0};
	if (check_params(params) != 0 || raise_nofile(params->connections) != 0)
		return -1;
	if (run_open(&run) != 0)
		goto out;
	result->record = record_new();
	if (result->record == NULL) {
		fail_errno("cannot set up the load");
		goto out;
	}
	result->clock_cost_ns = clock_cost();
	read_clock_source(result->clock_source, sizeof(result->clock_source));

	ret = start_threads(&run);
	pthread_mutex_lock(&run.plan.lock);
	if (ret == 0)
		conduct(&run);
	run.plan.go = true;
	pthread_cond_broadcast(&run.plan.changed);
	pthread_mutex_unlock(&run.plan.lock);
	for (unsigned i = 0; i < run.started; i++)
		pthread_join(run.threads[i], NULL);
	if (ret == 0)
		collect(&run, result);
out:
	if (ret != 0)
		load_result_free(result);
	run_close(&run);
	return ret;
}

void load_result_free(struct load_result *result)
{
	record_free(result->record);
	*result = (struct load_result){0};
}
