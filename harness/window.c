#include "harness/report/build.h"
#include "harness/server.h"
#include "harness/window.h"
#include "lib/clock.h"

static void look_at(struct window_used *used, const struct server *server,
	const struct proc_list *processes, bool end)
{
	struct usage *usage = end ? &used->after : &used->before;

	*(end ? &used->has_after : &used->has_before) =
		usage_read(processes, server->process.keeper, usage) == 0;
}

void window_look(struct window *w, const struct server *server, bool end)
{
	struct look *look = end ? &w->end : &w->begin;

	if (end)
		window_tick(w);
	if (look_take(look, w->cpus) != 0)
		look_free(look);
	look_at(&w->used, server, &look->processes, end);
	for (size_t i = 0; i < server->companion_count; i++)
		look_at(&w->companions[i], &server->companions[i], &look->processes, end);
	if (!end)
		w->opened_ns = w->seen_ns = clock_ns();
}

void window_tick(struct window *w)
{
	int64_t now_ns = clock_ns();

	if (w->opened_ns == 0 || w->end.processes.n > 0)
		return;
	if (now_ns - w->seen_ns > w->stall_ns)
		w->stall_ns = now_ns - w->seen_ns;
	w->seen_ns = now_ns;
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
		} else {
			build_absent(&b, "cpu_user_s", ended);
			build_absent(&b, "cpu_system_s", ended);
			build_absent(&b, "cpu_us_per_request", ended);
			build_absent(&b, "max_rss_bytes", ended);
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
}
