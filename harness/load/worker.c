#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "harness/codec/codec.h"
#include "harness/load/conn.h"
#include "harness/load/pace.h"
#include "harness/load/worker.h"
#include "lib/clock.h"
#include "lib/fail.h"

#define EVENTS_A_TURN 256
#define TICK_MAX_NS   (50 * NS_PER_MS) /* time-outs are noticed at most this late */
#define TICK_MIN_NS   (1 * NS_PER_MS)

/* Open loop: how much later than asked the kernel may end a sleep to save wake-ups; it adds 50 us
 * unless told otherwise (prctl(2), PR_SET_TIMERSLACK). */
#define TIMER_SLACK_NS 1
/* Open loop: one look for events takes less than this, or the thread was not running. */
#define SPIN_STEP_NS (10 * NS_PER_US)

/* CPU time of this thread. */
struct cpu {
	double user_s;
	double system_s;
};

int worker_open(struct worker *w)
{
	w->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (w->epoll_fd < 0)
		return fail_errno("cannot set up a load thread");
	w->record = record_new();
	w->rx = malloc(WORKER_RX_SIZE);
	w->conns = calloc(w->n_conns, sizeof(*w->conns));
	if (w->record == NULL || w->rx == NULL || w->conns == NULL)
		return fail_errno("cannot set up a load thread");
	for (size_t i = 0; i < w->n_conns; i++)
		if (conn_init(&w->conns[i], w) != 0)
			return fail_errno("cannot set up %zu connections", w->n_conns);
	return 0;
}

void worker_close(struct worker *w)
{
	for (size_t i = 0; w->conns != NULL && i < w->n_conns; i++)
		conn_free(&w->conns[i]);
	free(w->conns);
	pace_free(w->pace);
	free(w->rx);
	buf_free(&w->tx);
	record_free(w->record);
	if (w->epoll_fd >= 0)
		close(w->epoll_fd);
	if (w->shared != NULL)
		w->codec->release(w->shared);
}

static struct cpu cpu_now(void)
{
	struct rusage usage;

	getrusage(RUSAGE_THREAD, &usage);
	return (struct cpu){
		.user_s = (double)usage.ru_utime.tv_sec + (double)usage.ru_utime.tv_usec / 1e6,
		.system_s = (double)usage.ru_stime.tv_sec + (double)usage.ru_stime.tv_usec / 1e6,
	};
}

static void tick(struct worker *w)
{
	for (size_t i = 0; i < w->n_conns; i++)
		conn_tick(&w->conns[i]);
}

/* Waits for events until @until_ns at the latest, and handles them. */
static void turn(struct worker *w, int64_t until_ns)
{
	struct epoll_event events[EVENTS_A_TURN];
	int64_t left_ns = until_ns - w->now_ns;
	int wait_ms = left_ns > 0 ? (int)((left_ns + NS_PER_MS - 1) / NS_PER_MS) : 0;
	int n = epoll_wait(w->epoll_fd, events, EVENTS_A_TURN, wait_ms);

	for (int i = 0; i < n; i++)
		conn_event(events[i].data.ptr, events[i].events);
	if (n <= 0)
		w->now_ns = clock_ns();
}

/* ------------------------------------------------------------------ open loop */

/* Hands out what is due, one to each connection in turn, then sends. */
static void send_due(struct worker *w)
{
	size_t first = w->next_conn;
	size_t visited = 0;
	size_t refused = 0;

	while (pace_backlog(w->pace) > 0 && refused < w->n_conns) {
		refused = conn_take(&w->conns[w->next_conn]) ? 0 : refused + 1;
		w->next_conn = w->next_conn + 1 < w->n_conns ? w->next_conn + 1 : 0;
		visited++;
	}
	for (size_t i = 0; i < visited && i < w->n_conns; i++)
		conn_send_taken(&w->conns[(first + i) % w->n_conns]);
}

/* The schedule has ended: who has no reply yet? Asked once. */
static void note_unfinished(struct worker *w)
{
	if (!w->schedule_over)
		w->record->unfinished = w->inflight + pace_backlog(w->pace);
	w->schedule_over = true;
}

static bool has_room(const struct worker *w)
{
	return w->inflight < w->open_conns * (uint64_t)w->params->pipeline;
}

static void make_due(struct worker *w)
{
	uint64_t dropped = pace_due(w->pace, w->now_ns, w->window_end_ns);

	if (w->quota != UINT64_MAX)
		w->quota -= dropped;
}

/* What is due by now begins, where there is a slot for it; the rest waits. */
static void begin_due(struct worker *w)
{
	make_due(w);
	if (w->now_ns < w->window_end_ns && has_room(w))
		send_due(w);
	pace_hold(w->pace);
	if (pace_next(w->pace) >= w->window_end_ns)
		note_unfinished(w);
}

static int64_t least(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/* epoll_wait() to the nanosecond. */
static int wait_events(struct worker *w, struct epoll_event *events, int64_t wait_ns)
{
	struct timespec wait = {.tv_sec = wait_ns / NS_PER_S, .tv_nsec = wait_ns % NS_PER_S};

	return epoll_pwait2(w->epoll_fd, events, EVENTS_A_TURN, &wait, NULL);
}

/* As turn(), and sends what is due. Shortly before something is, it does not sleep. While no slot
 * is free it need not wake for that: what becomes due meanwhile has found none. */
static void paced_turn(struct worker *w, int64_t until_ns)
{
	struct epoll_event events[EVENTS_A_TURN];
	bool full = !has_room(w);
	int64_t due_ns = full ? INT64_MAX : pace_wake(w->pace);
	int64_t wake_ns = least(due_ns, until_ns);
	int64_t before_ns = clock_ns();
	bool sleeps = wake_ns > before_ns;
	int n = wait_events(w, events, sleeps ? wake_ns - before_ns : 0);

	w->now_ns = clock_ns();
	if (full) {
		make_due(w);
		pace_hold(w->pace);
	} else if (n <= 0 && sleeps) {
		pace_woke(w->pace, wake_ns, w->now_ns);
	} else if (n <= 0 && before_ns >= w->window_ns) {
		w->spun_ns += least(w->now_ns - before_ns, SPIN_STEP_NS);
	}
	for (int i = 0; i < n; i++)
		conn_event(events[i].data.ptr, events[i].events);
	if (n > 0)
		w->now_ns = clock_ns();
	begin_due(w);
}

/* ------------------------------------------------------------------ a thread */

static bool is_connecting(const struct worker *w)
{
	for (size_t i = 0; i < w->n_conns; i++)
		if (w->conns[i].state == CONN_CONNECTING)
			return true;
	return false;
}

static int64_t tick_interval(const struct worker *w)
{
	int64_t interval = w->params->timeout_ns / 20;

	if (interval > TICK_MAX_NS)
		return TICK_MAX_NS;
	return interval > TICK_MIN_NS ? interval : TICK_MIN_NS;
}

/* Tries each connection once, and tells the main thread. */
static void connect_all(struct worker *w)
{
	w->now_ns = clock_ns();
	w->window_end_ns = INT64_MAX;
	for (size_t i = 0; i < w->n_conns; i++)
		conn_open(&w->conns[i]);
	while (is_connecting(w)) {
		turn(w, w->now_ns + tick_interval(w));
		tick(w);
	}
	pthread_mutex_lock(&w->plan->lock);
	w->plan->connected++;
	pthread_cond_broadcast(&w->plan->changed);
	while (!w->plan->go)
		pthread_cond_wait(&w->plan->changed, &w->plan->lock);
	pthread_mutex_unlock(&w->plan->lock);
}

/* True when nothing more will come: the time is over, the requests are used up, or nothing has
 * answered and nothing could be connected for longer than any request may take. */
static bool is_over(const struct worker *w)
{
	if (w->now_ns >= w->window_end_ns)
		return true;
	if (w->quota == UINT64_MAX)
		return false;
	if (w->quota == 0 && w->inflight == 0)
		return true;
	return w->open_conns == 0 && w->now_ns - w->alive_ns > w->params->timeout_ns;
}

/* What the main thread has changed. A window that should have opened by now opens after what was
 * done in this turn, which was not counted. */
static void look_at_plan(struct worker *w)
{
	int64_t opens_ns;

	w->window_end_ns = atomic_load_explicit(&w->plan->window_end_ns, memory_order_relaxed);
	if (w->window_ns != INT64_MAX)
		return;
	opens_ns = atomic_load_explicit(&w->plan->window_ns, memory_order_relaxed);
	w->window_ns = opens_ns > w->now_ns ? opens_ns : w->now_ns + 1;
}

/* From the first request to the end. Return: CPU time when the window opened. */
static struct cpu load(struct worker *w)
{
	const struct plan *plan = w->plan;
	struct cpu opened = {0};
	bool window_open = false;
	int64_t tick_ns = plan->start_ns + tick_interval(w);

	clock_sleep_until(plan->start_ns);
	w->now_ns = clock_ns();
	w->alive_ns = w->now_ns;
	w->window_ns = plan->window_ns;
	w->window_end_ns = plan->window_end_ns;
	w->running = true;
	if (w->pace != NULL) {
		prctl(PR_SET_TIMERSLACK, TIMER_SLACK_NS);
		pace_start(w->pace, plan->start_ns, w->window_ns, w->quota);
	}
	for (size_t i = 0; i < w->n_conns; i++)
		conn_start(&w->conns[i]);

	while (!is_over(w)) {
		int64_t until_ns = tick_ns < w->window_end_ns ? tick_ns : w->window_end_ns;

		if (w->now_ns >= plan->last_ns)
			w->quota = 0;
		else if (plan->last_ns < until_ns)
			until_ns = plan->last_ns;
		if (!window_open && w->now_ns >= w->window_ns) {
			window_open = true;
			opened = cpu_now();
		} else if (!window_open && w->window_ns < until_ns) {
			until_ns = w->window_ns;
		}
		if (w->pace != NULL)
			paced_turn(w, until_ns);
		else
			turn(w, until_ns);
		if (w->now_ns >= tick_ns) {
			tick(w);
			tick_ns = w->now_ns + tick_interval(w);
		}
		look_at_plan(w);
		atomic_store_explicit(&w->ok_total, w->ok_count, memory_order_relaxed);
	}
	if (w->pace != NULL)
		note_unfinished(w);
	w->running = false;
	return window_open ? opened : cpu_now();
}

void *worker_run(void *arg)
{
	struct worker *w = arg;
	struct cpu opened;
	struct cpu closed;

	connect_all(w);
	opened = load(w);
	closed = cpu_now();
	w->cpu_user_s = closed.user_s - opened.user_s;
	w->cpu_system_s = closed.system_s - opened.system_s;
	for (size_t i = 0; i < w->n_conns; i++)
		conn_settle(&w->conns[i]);
	if (w->pace != NULL)
		w->record->pace = pace_counts(
			w->pace, w->now_ns < w->window_end_ns ? w->now_ns : w->window_end_ns);

	pthread_mutex_lock(&w->plan->lock);
	w->plan->finished++;
	pthread_cond_broadcast(&w->plan->changed);
	pthread_mutex_unlock(&w->plan->lock);
	return NULL;
}
