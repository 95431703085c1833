#include <math.h>
#include <unistd.h>

#include "harness/proc.h"
#include "harness/report/build.h"
#include "harness/server.h"
#include "harness/window.h"
#include "lib/clock.h"

/* A last part of a second that is shorter is mostly the grain of the kernel's CPU times. */
#define SECOND_LEAST_NS (500 * NS_PER_MS)

static void look_at(struct window_used *used, const struct server *server,
	const struct proc_list *processes, bool end)
{
	struct usage *usage = end ? &used->after : &used->before;

	*(end ? &used->has_after : &used->has_before) =
		usage_read(processes, server->process.keeper, usage) == 0;
}

static double total_s(const struct usage *usage)
{
	return usage->cpu_user_s + usage->cpu_system_s;
}

/* A process that ended and that nobody waited for takes its CPU time along. */
static void add_second(struct window_used *used, const struct window *w, double length_s,
	const struct usage *usage)
{
	double share = (total_s(usage) - used->sampled_s) / length_s;
	struct build b = build_begin();

	build_number(&b, "t_s", round((double)(w->sampled_ns - w->opened_ns) / NS_PER_MS) / 1e3);
	if (share >= 0)
		build_number(&b, "cpu_percent", 100 * share);
	else
		build_absent(&b, "cpu_percent", "a process of the server ended");
	build_count(&b, "rss_bytes", usage->rss_bytes);
	used->sampled_s = total_s(usage);
	json_array_append_new(used->per_second, build_end(&b));
}

static void begin_seconds(struct window_used *used)
{
	used->per_second = json_array();
	used->sampled_s = total_s(&used->before);
}

/* One entry for the contestant and each companion, if they are still there. */
static void take_sample(struct window *w, const struct server *server,
	const struct proc_list *processes, int64_t now_ns)
{
	double length_s = (double)(now_ns - w->sampled_ns) / NS_PER_S;
	struct usage usage;

	if (w->used.has_before && usage_sum(processes, server->process.keeper, &usage) == 0)
		add_second(&w->used, w, length_s, &usage);
	for (size_t i = 0; i < server->companion_count; i++)
		if (w->companions[i].has_before &&
			usage_sum(processes, server->companions[i].process.keeper, &usage) == 0)
			add_second(&w->companions[i], w, length_s, &usage);
	w->sampled_ns = now_ns;
}

static void note_stall(struct window *w, int64_t now_ns)
{
	if (now_ns - w->seen_ns > w->stall_ns)
		w->stall_ns = now_ns - w->seen_ns;
	w->seen_ns = now_ns;
}

static void open_window(struct window *w, const struct server *server)
{
	begin_seconds(&w->used);
	for (size_t i = 0; i < server->companion_count; i++)
		begin_seconds(&w->companions[i]);
	w->opened_ns = w->seen_ns = w->sampled_ns = clock_ns();
}

void window_look(struct window *w, const struct server *server, bool end)
{
	struct look *look = end ? &w->end : &w->begin;
	int64_t now_ns = clock_ns();

	if (end && w->opened_ns != 0)
		note_stall(w, now_ns);
	if (look_take(look, w->cpus) != 0)
		look_free(look);
	look_at(&w->used, server, &look->processes, end);
	for (size_t i = 0; i < server->companion_count; i++)
		look_at(&w->companions[i], &server->companions[i], &look->processes, end);
	if (!end)
		open_window(w, server);
	else if (now_ns - w->sampled_ns >= SECOND_LEAST_NS)
		take_sample(w, server, &look->processes, now_ns);
}

void window_tick(struct window *w, const struct server *server)
{
	int64_t now_ns = clock_ns();
	struct proc_list processes;

	if (w->opened_ns == 0 || w->end.processes.n > 0)
		return;
	note_stall(w, now_ns);
	if (now_ns - w->opened_ns < NS_PER_S * (w->seconds + 1))
		return;
	w->seconds = (now_ns - w->opened_ns) / NS_PER_S;
	if (proc_list_again(&processes, &w->begin.processes, getpid()) != 0)
		return;
	take_sample(w, server, &processes, now_ns);
	proc_list_free(&processes);
}

json_t *window_per_second(const struct window_used *used)
{
	return json_incref(used->per_second);
}

json_t *window_companions(const struct window *w, const struct server *server, uint64_t ok)
{
	json_t *list = json_array();

	for (size_t i = 0; i < server->companion_count; i++) {
		const struct window_used *s = &w->companions[i];
		struct build b = build_begin();
		double user_s = s->after.cpu_user_s - s->before.cpu_user_s;
		double system_s = s->after.cpu_system_s - s->before.cpu_system_s;
		static const char ended[] = "it had ended";

		build_text(&b, "name", server->companions[i].contestant->name);
		if (s->has_before && s->has_after) {
			build_number(&b, "cpu_user_s", user_s);
			build_number(&b, "cpu_system_s", system_s);
			build_ratio(&b, "cpu_us_per_request", (user_s + system_s) * 1e6, (double)ok,
				"no verified reply");
			build_count(&b, "max_rss_bytes", s->after.max_rss_bytes);
			build_put(&b, "per_second", window_per_second(s));
		} else {
			build_absent(&b, "cpu_user_s", ended);
			build_absent(&b, "cpu_system_s", ended);
			build_absent(&b, "cpu_us_per_request", ended);
			build_absent(&b, "max_rss_bytes", ended);
			build_absent(&b, "per_second", ended);
		}
		json_array_append_new(list, build_end(&b));
	}
	return list;
}

bool window_disturbance(const struct window *w, struct disturbance *d)
{
	if (w->begin.processes.n == 0 || w->end.processes.n == 0)
		return false;
	disturbance_between(&w->begin, &w->end, w->cpus, d);
	d->stall_ns = w->stall_ns;
	return true;
}

void window_free(struct window *w)
{
	look_free(&w->begin);
	look_free(&w->end);
	json_decref(w->used.per_second);
	for (size_t i = 0; i < MANIFEST_COMPANIONS; i++)
		json_decref(w->companions[i].per_second);
}
