#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "harness/proc.h"
#include "harness/usage.h"

/* The number behind "@name:" in a status file of /proc, 0 when it has none. */
static uint64_t field(const char *line, const char *name)
{
	size_t len = strlen(name);
	unsigned long long value = 0;

	if (strncmp(line, name, len) == 0 && line[len] == ':')
		sscanf(line + len + 1, "%llu", &value);
	return value;
}

static void add_status(const char *path, struct usage *usage)
{
	FILE *in = fopen(path, "re");
	char line[256];

	if (in == NULL)
		return;
	while (fgets(line, sizeof(line), in) != NULL) {
		usage->max_rss_bytes += field(line, "VmHWM") * 1024;
		usage->ctx_voluntary += field(line, "voluntary_ctxt_switches");
		usage->ctx_involuntary += field(line, "nonvoluntary_ctxt_switches");
	}
	fclose(in);
}

/* Context switches of each thread; the peak of memory is the same in every thread's file. */
static void add_threads(pid_t pid, struct usage *usage)
{
	struct usage sum = {0};
	char path[96];
	DIR *tasks;
	pid_t tid;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	tasks = opendir(path);
	if (tasks == NULL)
		return;
	while ((tid = proc_next(tasks)) != 0) {
		sum.max_rss_bytes = 0;
		snprintf(path, sizeof(path), "/proc/%d/task/%d/status", pid, tid);
		add_status(path, &sum);
	}
	closedir(tasks);
	usage->max_rss_bytes += sum.max_rss_bytes;
	usage->ctx_voluntary += sum.ctx_voluntary;
	usage->ctx_involuntary += sum.ctx_involuntary;
}

static bool is_counted(const struct proc_list *list, const struct proc_entry *entry, pid_t root)
{
	return entry->pid == root || proc_list_is_under(list, entry, root);
}

static bool is_alive(const struct proc_entry *entry, pid_t root)
{
	return entry->pid != root && !proc_has_ended(&entry->stat);
}

int usage_sum(const struct proc_list *list, pid_t root, struct usage *usage)
{
	*usage = (struct usage){0};
	for (size_t i = 0; i < list->n; i++) {
		const struct proc_entry *entry = &list->entries[i];
		const struct proc_stat *stat = &entry->stat;

		if (!is_counted(list, entry, root))
			continue;
		usage->cpu_user_s += stat->children_user_s;
		usage->cpu_system_s += stat->children_system_s;
		if (entry->pid == root)
			continue;
		usage->cpu_user_s += stat->user_s;
		usage->cpu_system_s += stat->system_s;
		if (!is_alive(entry, root))
			continue;
		usage->processes++;
		usage->threads += stat->threads;
		usage->rss_bytes += stat->rss_bytes;
	}
	return usage->processes > 0 ? 0 : -1;
}

int usage_read(const struct proc_list *list, pid_t root, struct usage *usage)
{
	if (usage_sum(list, root, usage) != 0)
		return -1;
	for (size_t i = 0; i < list->n; i++) {
		const struct proc_entry *entry = &list->entries[i];

		if (is_counted(list, entry, root) && is_alive(entry, root))
			add_threads(entry->pid, usage);
	}
	return 0;
}
