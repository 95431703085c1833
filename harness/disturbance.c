#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "harness/disturbance.h"
#include "harness/reason.h"
#include "harness/report/build.h"
#include "lib/units.h"

/* Of one CPU. Ticks are dealt out by who runs when one comes. */
#define SAMPLING_SHARE 0.1

static int64_t read_clock(clockid_t id)
{
	struct timespec now;

	clock_gettime(id, &now);
	return now.tv_sec * NS_PER_S + now.tv_nsec;
}

static bool is_asked(const cpu_set_t *cpus, int cpu)
{
	return cpus == NULL || (cpu >= 0 && cpu < CPU_SETSIZE && CPU_ISSET(cpu, cpus));
}

/*
 * User, nice, system and steal of the CPUs asked about. Interrupts are left out: those that our
 * own load brings about are most of them. Source: proc(5), /proc/stat.
 */
static int read_cpus(struct look *look, const cpu_set_t *cpus)
{
	const double tick_s = 1.0 / (double)sysconf(_SC_CLK_TCK);
	FILE *in = fopen("/proc/stat", "re");
	char line[512];

	if (in == NULL)
		return -1;
	while (fgets(line, sizeof(line), in) != NULL) {
		unsigned long long user;
		unsigned long long nice;
		unsigned long long system;
		unsigned long long steal;
		int cpu;

		if (sscanf(line, "cpu%d %llu %llu %llu %*u %*u %*u %*u %llu", &cpu, &user, &nice,
			    &system, &steal) != 5 ||
			line[3] == ' ' || !is_asked(cpus, cpu))
			continue;
		look->busy_s += (double)(user + nice + system) * tick_s;
		look->steal_s += (double)steal * tick_s;
	}
	fclose(in);
	return 0;
}

static double total_s(const struct proc_stat *stat)
{
	return stat->user_s + stat->system_s + stat->children_user_s + stat->children_system_s;
}

static bool is_ours(const struct proc_list *list, const struct proc_entry *entry)
{
	return entry->pid == getpid() || proc_list_is_under(list, entry, getpid());
}

int look_take(struct look *look, const cpu_set_t *cpus)
{
	*look = (struct look){
		.monotonic_ns = read_clock(CLOCK_MONOTONIC),
		.boot_ns = read_clock(CLOCK_BOOTTIME),
		.real_ns = read_clock(CLOCK_REALTIME),
	};
	if (read_cpus(look, cpus) != 0 || proc_list_read(&look->processes) != 0)
		return -1;
	for (size_t i = 0; i < look->processes.n; i++) {
		const struct proc_entry *entry = &look->processes.entries[i];

		if (is_ours(&look->processes, entry))
			look->own_s += total_s(&entry->stat);
	}
	return 0;
}

void look_free(struct look *look)
{
	proc_list_free(&look->processes);
	*look = (struct look){0};
}

/* The same process in an earlier list; NULL: there was none. */
static const struct proc_entry *find_same(
	const struct proc_list *list, const struct proc_entry *entry)
{
	const struct proc_entry *found = proc_list_find(list, entry->pid);

	return found != NULL && found->stat.started == entry->stat.started ? found : NULL;
}

/*
 * CPU time of foreign processes, all together: that of one that ended is its parent's by then, so
 * that only sums can be compared.
 */
static double foreign_s(const struct proc_list *list)
{
	double sum = 0;

	for (size_t i = 0; i < list->n; i++) {
		const struct proc_entry *entry = &list->entries[i];

		if (!entry->stat.kernel && !is_ours(list, entry))
			sum += total_s(&entry->stat);
	}
	return sum;
}

static void find_busiest(
	const struct proc_list *before, const struct proc_list *after, struct disturbance *out)
{
	for (size_t i = 0; i < after->n; i++) {
		const struct proc_entry *entry = &after->entries[i];
		const struct proc_entry *earlier = find_same(before, entry);
		double used_s = entry->stat.user_s + entry->stat.system_s;

		if (earlier != NULL)
			used_s -= earlier->stat.user_s + earlier->stat.system_s;
		if (entry->stat.kernel || used_s <= out->busiest_s || is_ours(after, entry))
			continue;
		out->busiest = entry->pid;
		out->busiest_s = used_s;
		memcpy(out->busiest_command, entry->stat.command, sizeof(out->busiest_command));
	}
}

void disturbance_between(const struct look *before, const struct look *after, const cpu_set_t *cpus,
	struct disturbance *out)
{
	int64_t monotonic_ns = after->monotonic_ns - before->monotonic_ns;
	int64_t boot_ns = after->boot_ns - before->boot_ns;
	double busy_s = after->busy_s - before->busy_s;
	double seen_s; /* by others: in processes that we see */
	double all_s;  /* in all, on the CPUs asked about */

	*out = (struct disturbance){
		.window_s = (double)monotonic_ns / NS_PER_S,
		.steal_s = fmax(0, after->steal_s - before->steal_s),
		.asleep_ns = boot_ns > monotonic_ns ? boot_ns - monotonic_ns : 0,
		.step_ns = after->real_ns - before->real_ns - boot_ns,
		.cpus = cpus != NULL ? CPU_COUNT(cpus) : (int)sysconf(_SC_NPROCESSORS_ONLN),
	};
	seen_s = fmax(0, foreign_s(&after->processes) - foreign_s(&before->processes));
	all_s = fmax(0, busy_s - (after->own_s - before->own_s));
	out->foreign_cpu_s = seen_s;
	/* What others do on CPUs that nobody here uses is their own affair. */
	if (out->cpus < (int)sysconf(_SC_NPROCESSORS_ONLN))
		out->foreign_cpu_s = fmin(seen_s, all_s);
	/* A container hides processes of others; but the kernel samples, so a little means nothing.
	 */
	if (all_s - seen_s > SAMPLING_SHARE * out->window_s)
		out->foreign_cpu_s = all_s;
	find_busiest(&before->processes, &after->processes, out);
}

static bool is_above(double seconds, double window_s, double share, double least_s)
{
	return seconds >= least_s && seconds > share * window_s;
}

/* Appends to a reason. */
static void add(char *reason, const char *text)
{
	size_t len = strlen(reason);

	snprintf(reason + len, REASON_MAX - len, "%s%s", len > 0 ? "; " : "", text);
}

static void judge_clocks(const struct disturbance *d, char *reason)
{
	char time[UNITS_TEXT];
	char text[128];

	if (d->asleep_ns > DISTURBANCE_ASLEEP_NS) {
		snprintf(text, sizeof(text), "the machine slept for %s",
			units_duration((double)d->asleep_ns, time));
		add(reason, text);
	}
	if (llabs(d->step_ns) > DISTURBANCE_STEP_NS) {
		snprintf(text, sizeof(text), "the time of day was set %s by %s",
			d->step_ns > 0 ? "forward" : "back",
			units_duration((double)llabs(d->step_ns), time));
		add(reason, text);
	}
	if (d->stall_ns > DISTURBANCE_STALL_NS) {
		snprintf(text, sizeof(text), "rpcbench itself did not run for %s",
			units_duration((double)d->stall_ns, time));
		add(reason, text);
	}
}

bool disturbance_counts(const struct disturbance *d, char *reason)
{
	char text[192];

	reason[0] = '\0';
	judge_clocks(d, reason);
	if (is_above(d->foreign_cpu_s, d->window_s, DISTURBANCE_FOREIGN_MAX,
		    DISTURBANCE_FOREIGN_MIN_S)) {
		int len = snprintf(text, sizeof(text), "other processes used %.2f of %d CPU%s",
			d->foreign_cpu_s / d->window_s, d->cpus, d->cpus == 1 ? "" : "s");

		if (d->busiest != 0)
			snprintf(text + len, sizeof(text) - (size_t)len, ", most of it pid %d (%s)",
				d->busiest, d->busiest_command);
		add(reason, text);
	}
	if (is_above(d->steal_s, d->window_s * d->cpus, DISTURBANCE_STEAL_MAX,
		    DISTURBANCE_STEAL_MIN_S)) {
		snprintf(text, sizeof(text), "the host took %.0f %% of the CPUs away (steal)",
			100 * d->steal_s / d->window_s / d->cpus);
		add(reason, text);
	}
	return reason[0] != '\0';
}

/* In seconds; the clocks are not read at one instant. */
static double whole_ms(int64_t ns)
{
	int64_t ms = ns / NS_PER_MS;

	return (double)ms / 1e3;
}

json_t *disturbance_object(const struct disturbance *d)
{
	struct build b = build_begin();
	char reason[REASON_MAX];
	bool disturbed = disturbance_counts(d, reason);

	build_put(&b, "disturbed", json_boolean(disturbed));
	build_ratio(&b, "foreign_cpus", d->foreign_cpu_s, d->window_s, "the window has no length");
	build_ratio(
		&b, "steal_share", d->steal_s, d->window_s * d->cpus, "the window has no length");
	build_number(&b, "asleep_s", whole_ms(d->asleep_ns));
	build_number(&b, "clock_step_s", whole_ms(llabs(d->step_ns)));
	build_number(&b, "stall_s", whole_ms(d->stall_ns));
	if (disturbed)
		build_put(&b, "reason", json_string(reason) ?: json_string("its text is no UTF-8"));
	return build_end(&b);
}
