#include <stdio.h>
#include <unistd.h>

#include "harness/load/load.h"
#include "harness/progress.h"
#include "lib/clock.h"
#include "lib/units.h"

#define LINE_MAX_COLUMNS 79

void progress_begin(struct progress *p, size_t total, int64_t trial_ns)
{
	*p = (struct progress){
		.live = isatty(STDERR_FILENO) == 1,
		.total = total,
		.trial_ns = trial_ns,
		.started_ns = clock_ns(),
	};
}

/* Time left, from how long trials took so far, or as planned before the first has ended. */
static const char *time_left(const struct progress *p, char *out)
{
	int64_t now_ns = clock_ns();
	int64_t each_ns = p->done > 0 ? (p->trial_started_ns - p->started_ns) / (int64_t)p->done
				      : p->trial_ns;
	int64_t left_ns = (int64_t)(p->total - p->done) * each_ns - (now_ns - p->trial_started_ns);
	int seconds = left_ns > 0 ? (int)((left_ns + NS_PER_S - 1) / NS_PER_S) : 0;

	if (seconds < 100)
		snprintf(out, UNITS_TEXT, "%ds", seconds);
	else
		snprintf(out, UNITS_TEXT, "%dm%02ds", seconds / 60, seconds % 60);
	return out;
}

static void print_live(const struct progress *p, const char *state)
{
	char left[UNITS_TEXT];
	char line[256];

	if (!p->live)
		return;
	snprintf(line, sizeof(line), "[%zu/%zu] %s: %s, %s left", p->done + 1, p->total, p->label,
		state, time_left(p, left));
	fprintf(stderr, "\r%.*s\033[K", LINE_MAX_COLUMNS, line);
}

void progress_trial(struct progress *p, const char *label)
{
	p->trial_started_ns = clock_ns();
	p->in_window = false;
	p->ok_before = 0;
	snprintf(p->label, sizeof(p->label), "%s", label);
}

void progress_stage(struct progress *p, const char *stage)
{
	print_live(p, stage);
}

void progress_load(struct progress *p, const struct load_progress *load)
{
	double elapsed_s = load->elapsed_ns > 0 ? (double)load->elapsed_ns / NS_PER_S : 0;
	double ok;
	char rate[UNITS_TEXT];
	char state[128];

	if (!load->warming_up && !p->in_window) {
		p->in_window = true;
		p->ok_before = load->ok;
	}
	ok = (double)(load->ok - p->ok_before);
	snprintf(state, sizeof(state), "%s %.1f of %.1fs, %s/s",
		load->warming_up ? "warm-up" : "measured", elapsed_s,
		(double)load->total_ns / NS_PER_S,
		units_count(elapsed_s > 0 ? ok / elapsed_s : 0, rate));
	print_live(p, state);
}

void progress_done(struct progress *p, const char *outcome)
{
	progress_clear(p);
	if (!p->live)
		fprintf(stderr, "[%zu/%zu] %s: %s\n", p->done + 1, p->total, p->label, outcome);
	p->done++;
}

void progress_clear(const struct progress *p)
{
	if (p->live)
		fprintf(stderr, "\r\033[K");
}
