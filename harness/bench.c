#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/call.h"
#include "harness/bench.h"
#include "lib/fail.h"
#include "lib/units.h"

const char *const bench_metrics[] = {[BENCH_REQUESTS_PER_CPU_S] = "requests_per_cpu_s",
	[BENCH_CPU_US_PER_REQUEST] = "cpu_us_per_request",
	[BENCH_RPS] = "rps",
	[BENCH_MAX_RSS_BYTES] = "max_rss_bytes",
	[BENCH_RSS_GROWTH] = "rss_growth",
	NULL};

/* What the table below fills: the plan, and its comparisons as they stand in the file. */
struct fields {
	struct bench bench;
	json_t *comparisons;
};

static const struct config_field bench_fields[] = {
	{.key = "name",
		.type = CONFIG_TEXT,
		.required = true,
		.offset = offsetof(struct fields, bench.name),
		.check = config_name},
	{.key = "title",
		.type = CONFIG_TEXT,
		.required = true,
		.offset = offsetof(struct fields, bench.title)},
	{.key = "pairs",
		.type = CONFIG_INT,
		.required = true,
		.offset = offsetof(struct fields, bench.pairs),
		.min = 2,
		.max = 1000},
	{.key = "duration",
		.type = CONFIG_DURATION,
		.required = true,
		.offset = offsetof(struct fields, bench.duration_ns),
		.min = 1},
	{.key = "warmup",
		.type = CONFIG_DURATION,
		.required = true,
		.offset = offsetof(struct fields, bench.warmup_ns)},
	{.key = "comparisons",
		.type = CONFIG_ARRAY,
		.required = true,
		.offset = offsetof(struct fields, comparisons)},
	{0},
};

/* Splits "<= 0.9" and "<= 32MiB". */
static bool parse_bar(const char *text, struct bench_bar *bar)
{
	uint64_t bytes;
	char *end;

	if (strncmp(text, ">= ", 3) != 0 && strncmp(text, "<= ", 3) != 0)
		return false;
	bar->at_least = text[0] == '>';
	bar->value = strtod(text + 3, &end);
	if (*end != '\0') {
		if (!units_parse_size(text + 3, &bytes))
			return false;
		bar->value = (double)bytes;
	}
	return isfinite(bar->value) && bar->value > 0;
}

static const char *check_bar(const char *text)
{
	struct bench_bar bar;

	return parse_bar(text, &bar) ? NULL : "a condition like \">= 1.3\" or \"<= 32MiB\"";
}

static const struct config_field comparison_fields[] = {
	{.key = "name",
		.type = CONFIG_TEXT,
		.required = true,
		.offset = offsetof(struct bench_comparison, name),
		.check = config_name},
	{.key = "ours",
		.type = CONFIG_TEXT,
		.offset = offsetof(struct bench_comparison, ours),
		.check = config_name},
	{.key = "peer",
		.type = CONFIG_TEXT,
		.offset = offsetof(struct bench_comparison, peer),
		.check = config_name},
	{.key = "server",
		.type = CONFIG_TEXT,
		.offset = offsetof(struct bench_comparison, server),
		.check = config_name},
	{.key = "call",
		.type = CONFIG_TEXT,
		.required = true,
		.offset = offsetof(struct bench_comparison, call),
		.check = config_name},
	{.key = "connections",
		.type = CONFIG_INT,
		.required = true,
		.offset = offsetof(struct bench_comparison, connections),
		.min = 1,
		.max = 1000000},
	{.key = "pipeline",
		.type = CONFIG_INT,
		.required = true,
		.offset = offsetof(struct bench_comparison, pipeline),
		.min = 1,
		.max = 1000000},
	{.key = "metric",
		.type = CONFIG_CHOICE,
		.required = true,
		.offset = offsetof(struct bench_comparison, metric),
		.choices = bench_metrics},
	{.key = "bar",
		.type = CONFIG_TEXT,
		.required = true,
		.offset = offsetof(struct bench_comparison, bar_text),
		.check = check_bar},
	{.key = "our_options",
		.type = CONFIG_TEXTS,
		.offset = offsetof(struct bench_comparison, our_options)},
	{.key = "peer_options",
		.type = CONFIG_TEXTS,
		.offset = offsetof(struct bench_comparison, peer_options)},
	{.key = "note", .type = CONFIG_TEXT, .offset = offsetof(struct bench_comparison, note)},
	{0},
};

static int check_comparison(const struct bench *bench, const struct paths *paths,
	const struct config_at *at, const struct bench_comparison *c)
{
	bool servers = c->ours != NULL && c->peer != NULL && c->server == NULL;
	bool clients = c->ours == NULL && c->peer == NULL && c->server != NULL;
	const struct config_at call = {.parent = at, .key = "call"};
	const struct config_at metric = {.parent = at, .key = "metric"};

	if (!servers && !clients)
		return config_error(&bench->file, at, "expected either ours and peer, or server");
	if (servers && (c->our_options != NULL || c->peer_options != NULL))
		return config_error(&bench->file, at, "expected options only beside a server");
	if (servers && c->metric == BENCH_RSS_GROWTH)
		return config_error(&bench->file, &metric, "rss_growth is known of clients only");
	if (!call_is_known(paths, c->call, NULL))
		return config_error(&bench->file, &call, "unknown call '%s'", c->call);
	for (const struct bench_comparison *other = bench->comparisons; other < c; other++)
		if (strcmp(other->name, c->name) == 0)
			return config_error(&bench->file, at,
				"expected a name of its own, '%s' is there twice", c->name);
	return 0;
}

static int read_comparisons(struct bench *bench, const struct paths *paths, json_t *list)
{
	const struct config_at all = {.key = "comparisons"};

	bench->comparisons = calloc(json_array_size(list), sizeof(*bench->comparisons));
	if (bench->comparisons == NULL)
		return fail_msg("out of memory");
	for (size_t i = 0; i < json_array_size(list); i++) {
		const struct config_at at = {.parent = &all, .index = i};
		struct bench_comparison *c = &bench->comparisons[i];

		bench->count++;
		if (config_fields(&bench->file, &at, json_array_get(list, i), comparison_fields,
			    c) != 0 ||
			check_comparison(bench, paths, &at, c) != 0)
			return -1;
		parse_bar(c->bar_text, &c->bar);
		c->bar.absolute = c->metric == BENCH_MAX_RSS_BYTES || c->metric == BENCH_RSS_GROWTH;
	}
	return 0;
}

int bench_load(struct bench *bench, const struct paths *paths, const char *file)
{
	struct fields fields = {0};

	*bench = (struct bench){0};
	if (config_open(&fields.bench.file, file) != 0)
		return -1;
	if (config_fields(
		    &fields.bench.file, NULL, fields.bench.file.root, bench_fields, &fields) != 0 ||
		read_comparisons(&fields.bench, paths, fields.comparisons) != 0) {
		bench_free(&fields.bench);
		return -1;
	}
	*bench = fields.bench;
	return 0;
}

void bench_free(struct bench *bench)
{
	for (size_t i = 0; bench->comparisons != NULL && i < bench->count; i++) {
		free(bench->comparisons[i].our_options);
		free(bench->comparisons[i].peer_options);
	}
	free(bench->comparisons);
	config_close(&bench->file);
	*bench = (struct bench){0};
}

bool bench_meets(const struct bench_bar *bar, double ratio, double own)
{
	double value = bar->absolute ? own : ratio;

	return bar->at_least ? value >= bar->value : value <= bar->value;
}
