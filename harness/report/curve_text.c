#include <math.h>
#include <string.h>

#include "harness/report/pick.h"
#include "harness/report/result.h"
#include "harness/report/text.h"
#include "lib/units.h"

static const char *const columns[] = {"latency_ns.p50", "latency_ns.p90", "latency_ns.p99",
	"latency_ns.p99_9", "latency_ns.max", "service_time_ns.p99", NULL};

static void print_conditions(const json_t *record, FILE *out)
{
	const json_t *conditions = pick(record, "conditions");
	const json_t *text;
	size_t i;

	json_array_foreach (conditions, i, text) {
		fputs(i > 0 ? " and " : "", out);
		text_plain(json_string_value(text), out);
	}
}

static void print_rate(double rate, FILE *out)
{
	fprintf(out, " %11.*f", rate < 100 && rate != floor(rate) ? 2 : 0, rate);
}

/* A duration, or n/a. */
static void print_duration(const json_t *trial, const char *path, FILE *out)
{
	char duration[UNITS_TEXT];
	double ns;

	if (pick_number(trial, path, &ns))
		fprintf(out, " %9s", units_duration(ns, duration));
	else
		fprintf(out, " %9s", "n/a");
}

static void print_load(const char *name, const json_t *trial, FILE *out)
{
	fprintf(out, "  %5s", name);
	print_rate(pick_or(trial, "rate.target", 0), out);
	print_rate(pick_or(trial, "rate.achieved", 0), out);
	for (const char *const *column = columns; *column != NULL; column++)
		print_duration(trial, *column, out);
	fputs(pick_true(trial, "saturated") ? "  saturated\n" : "\n", out);
}

static void print_curve(const json_t *record, FILE *out)
{
	const json_t *point;
	size_t i;

	fputs("   Load    Target/s  Achieved/s       p50       p90       p99     p99.9       Max "
	      " Srv. p99\n",
		out);
	json_array_foreach (pick(record, "curve"), i, point) {
		char share[UNITS_TEXT];

		snprintf(share, sizeof(share), "%.0f %%", 100 * pick_or(point, "share", 0));
		if (json_is_object(pick(point, "trial")))
			print_load(share, pick(point, "trial"), out);
		else
			fprintf(out, "  %5s  %s\n", share, pick_reason(point, "trial"));
	}
	print_load("100 %", pick(record, "trial"), out);
}

void report_find_max(const json_t *record, FILE *out)
{
	double threads = pick_or(record, "threads", 0);
	double connections = pick_or(record, "connections", 0);
	double rate;

	fputs("Highest rate that keeps ", out);
	print_conditions(record, out);
	fputs(" @ ", out);
	text_plain(pick_text(record, "target") != NULL ? pick_text(record, "target") : "?", out);
	fprintf(out, "\n  %.0f thread%s and %.0f connection%s × pipeline %.0f, %s arrivals\n",
		threads, threads == 1 ? "" : "s", connections, connections == 1 ? "" : "s",
		pick_or(record, "pipeline", 0), pick_text(record, "arrival"));
	if (!pick_number(record, "max_rate", &rate)) {
		fputs("Requests/sec: n/a (", out);
		text_plain(pick_reason(record, "max_rate"), out);
		fputs(")\n", out);
		return;
	}
	print_curve(record, out);
	fprintf(out, "Requests/sec: %10.*f\n", rate < 1000 ? 2 : 0, rate);
	if (pick_text(record, "next_limit") != NULL) {
		fputs("Above it: ", out);
		text_plain(pick_text(record, "next_limit"), out);
		fputc('\n', out);
	}
}
