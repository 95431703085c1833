#include <ctype.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "harness/condition.h"
#include "harness/report/build.h"
#include "harness/report/pick.h"
#include "harness/report/schema.h"
#include "harness/report/text.h"
#include "lib/fail.h"
#include "lib/units.h"

/** struct figure - A short name. */
struct figure {
	const char *name;
	const char *path;
	enum condition_unit unit;
	const char *in_summary; /* its path there; NULL: the same */
};

static const struct figure figures[] = {
	{"rps", "rps", UNIT_PLAIN, NULL},
	{"sent", "requests.sent", UNIT_PLAIN, NULL},
	{"completed", "requests.completed", UNIT_REQUESTS, NULL},
	{"ok", "requests.ok", UNIT_REQUESTS, NULL},
	{"failed", "requests.failed", UNIT_REQUESTS, NULL},
	{"errors", "errors", UNIT_REQUESTS, NULL},
	{"timeouts", "errors.timeout", UNIT_REQUESTS, NULL},
	{"inflight", "requests.inflight_at_end", UNIT_REQUESTS, NULL},
	{"reconnects", "connections.reconnects", UNIT_PLAIN, NULL},
	{"rx", "throughput_bytes_per_s.rx", UNIT_BYTES, NULL},
	{"tx", "throughput_bytes_per_s.tx", UNIT_BYTES, NULL},
	{"bytes_per_reply", "bytes_per_reply", UNIT_BYTES, NULL},
	{"client_cpu", "client.cpu_busiest", UNIT_SHARE, NULL},
	{"client_rps_per_cpu", "client.requests_per_cpu_s", UNIT_PLAIN, NULL},
	{"server_rps_per_cpu", "server.requests_per_cpu_s", UNIT_PLAIN, "rps_per_server_cpu_s"},
	{"server_rss", "server.max_rss_bytes", UNIT_BYTES, "max_rss_bytes"},
};

/** struct family - A distribution: its name goes before that of a statistic of it. */
struct family {
	const char *prefix;
	const char *path;
};

static const struct family families[] = {
	{"", "latency_ns"},
	{"service_", "service_time_ns"},
	{"send_lag_", "send_lag_ns"},
	{"failed_", "failed_latency_ns"},
};

static const char *const statistics[] = {"min", "mean", "stddev", "p2_5", "p50", "p75", "p90",
	"p95", "p97_5", "p99", "p99_9", "max"};

static const char *const operators[] = {[OP_LESS] = "<",
	[OP_AT_MOST] = "<=",
	[OP_MORE] = ">",
	[OP_AT_LEAST] = ">=",
	[OP_EQUAL] = "=="};

static const char *const unit_names[] = {
	[UNIT_PLAIN] = "",
	[UNIT_NS] = "ns",
	[UNIT_S] = "s",
	[UNIT_BYTES] = "bytes",
	[UNIT_SHARE] = "share",
	[UNIT_REQUESTS] = "requests",
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* ------------------------------------------------------------------ figures */

static bool starts_with(const char *text, const char *prefix)
{
	return strncmp(text, prefix, strlen(prefix)) == 0;
}

static bool ends_with(const char *text, size_t len, const char *suffix)
{
	return len >= strlen(suffix) &&
	       memcmp(text + len - strlen(suffix), suffix, strlen(suffix)) == 0;
}

/* The unit of a field, which the schema has in the names. */
static enum condition_unit unit_of_path(const char *path)
{
	size_t len = strlen(path);
	const char *dot = strchr(path, '.');
	size_t first = dot != NULL ? (size_t)(dot - path) : len;

	if (ends_with(path, first, "_ns") || ends_with(path, len, "_ns"))
		return UNIT_NS;
	if (strstr(path, "bytes") != NULL)
		return UNIT_BYTES;
	if (strstr(path, "_per_") != NULL)
		return UNIT_PLAIN;
	if (ends_with(path, len, "_s"))
		return UNIT_S;
	if (starts_with(path, "requests.") || starts_with(path, "errors.") ||
		starts_with(path, "status_codes."))
		return UNIT_REQUESTS;
	return UNIT_PLAIN;
}

/* A statistic of a distribution: "service_p99.9". */
static bool find_statistic(struct condition *c)
{
	for (size_t i = 0; i < COUNT(families); i++) {
		const char *rest = c->figure + strlen(families[i].prefix);

		if (!starts_with(c->figure, families[i].prefix))
			continue;
		for (size_t j = 0; j < COUNT(statistics); j++) {
			if (strcmp(rest, statistics[j]) != 0)
				continue;
			snprintf(c->path, sizeof(c->path), "%s.%s", families[i].path, rest);
			c->unit = UNIT_NS;
			return true;
		}
	}
	return false;
}

void condition_names(FILE *out)
{
	for (size_t i = 0; i < COUNT(figures); i++)
		fprintf(out, "%s ", figures[i].name);
	for (size_t i = 0; i < COUNT(statistics); i++)
		fprintf(out, "%s ", statistics[i]);
	fprintf(out, "(also after");
	for (size_t i = 1; i < COUNT(families); i++)
		fprintf(out, " %s", families[i].prefix);
	fprintf(out, ")");
}

static int unknown_figure(const struct condition *c, const char *option)
{
	char *names = NULL;
	size_t size;
	FILE *stream = open_memstream(&names, &size);

	if (stream != NULL) {
		condition_names(stream);
		fclose(stream);
	}
	fail_msg("%s: unknown figure '%s' in '%s', expected one of %s, or a path into the record "
		 "like client.clock_cost_ns",
		option, c->figure, c->text, names != NULL ? names : "those of METHOD.md");
	free(names);
	return -1;
}

/* Sets path and unit from the figure's name. */
static int find_figure(struct condition *c, const char *option)
{
	char *point = strstr(c->figure, "p99.9");

	for (size_t i = 0; i < COUNT(figures); i++) {
		if (strcmp(c->figure, figures[i].name) == 0) {
			snprintf(c->path, sizeof(c->path), "%s", figures[i].path);
			c->in_summary = figures[i].in_summary;
			c->unit = figures[i].unit;
			return 0;
		}
	}
	if (point == NULL)
		point = strstr(c->figure, "p97.5");
	if (point != NULL)
		point[3] = '_';
	if (find_statistic(c))
		return 0;
	if (!schema_trial_has(c->figure))
		return unknown_figure(c, option);
	memcpy(c->path, c->figure, sizeof(c->path));
	c->unit = unit_of_path(c->path);
	return 0;
}

/* ------------------------------------------------------------------ limits */

/* A number with one of the suffixes "", k, M, G. */
static bool parse_count(const char *text, double *value)
{
	static const char suffixes[] = "kMG";
	const char *suffix;
	char *end;

	*value = strtod(text, &end);
	if (*end == '\0')
		return true;
	suffix = strchr(suffixes, *end);
	if (suffix == NULL || end[1] != '\0')
		return false;
	for (; suffix >= suffixes; suffix--)
		*value *= 1e3;
	return true;
}

static bool parse_share(const char *text, double *value)
{
	char *end;

	*value = strtod(text, &end) / 100;
	return strcmp(end, "%") == 0;
}

static bool parse_time(const char *text, double *ns)
{
	int64_t whole_ns;

	if (isdigit((unsigned char)text[strlen(text) - 1]) ||
		!units_parse_duration(text, &whole_ns))
		return false;
	*ns = (double)whole_ns;
	return true;
}

static bool parse_bytes(const char *text, double *bytes)
{
	uint64_t whole;

	if (!units_parse_size(text, &whole))
		return false;
	*bytes = (double)whole;
	return true;
}

/* A number as it stands in the record, for a path. */
static bool parse_plain(const struct condition *c, const char *text, double *value)
{
	char *end;

	*value = strtod(text, &end);
	return *end == '\0' && (strcmp(c->figure, c->path) == 0 || *value == 0);
}

/* Return: what was expected, or NULL when the limit is set. */
static const char *parse_limit(struct condition *c, const char *text)
{
	if ((!isdigit((unsigned char)text[0]) && text[0] != '.') || strncasecmp(text, "0x", 2) == 0)
		return "a number";
	switch (c->unit) {
	case UNIT_NS:
		return parse_plain(c, text, &c->limit) || parse_time(text, &c->limit)
			       ? NULL
			       : "a time in ns, us, ms or s";
	case UNIT_S:
		if (parse_plain(c, text, &c->limit))
			return NULL;
		if (!parse_time(text, &c->limit))
			return "a time in ns, us, ms or s";
		c->limit /= 1e9;
		return NULL;
	case UNIT_BYTES:
		return parse_bytes(text, &c->limit) ? NULL : "bytes, or KB, MB, GB (of 1024)";
	case UNIT_SHARE:
		return parse_share(text, &c->limit) ? NULL : "a share in %";
	case UNIT_REQUESTS:
		c->of_sent = parse_share(text, &c->limit);
		return c->of_sent || parse_count(text, &c->limit)
			       ? NULL
			       : "a number, with k, M or G, or a share of the requests sent in %";
	case UNIT_PLAIN:
		break;
	}
	return parse_count(text, &c->limit) ? NULL : "a number, with k, M or G";
}

/* ------------------------------------------------------------------ parsing */

/* Return: what follows the operator, or NULL when there is none. */
static const char *parse_operator(const char *at, enum condition_op *op)
{
	const char *after = NULL;

	for (size_t i = 0; i < COUNT(operators); i++) {
		const char *end = at + strlen(operators[i]);

		if (starts_with(at, operators[i]) && (after == NULL || end > after)) {
			*op = (enum condition_op)i;
			after = end;
		}
	}
	return after;
}

static const char *skip_blanks(const char *at)
{
	return at + strspn(at, " \t");
}

int condition_parse(struct condition *condition, const char *option, const char *text)
{
	const char *start = skip_blanks(text);
	size_t len = strspn(start, "abcdefghijklmnopqrstuvwxyz0123456789_.");
	const char *limit;
	const char *expected;
	char *number;

	*condition = (struct condition){.text = text};
	limit = parse_operator(skip_blanks(start + len), &condition->op);
	if (len == 0 || len >= sizeof(condition->figure) || limit == NULL)
		return fail_msg("%s: bad condition '%s', expected FIGURE, one of < <= > >= ==, and "
				"a limit, like p99<5ms",
			option, text);
	memcpy(condition->figure, start, len);
	if (find_figure(condition, option) != 0)
		return -1;
	number = strdup(skip_blanks(limit));
	if (number == NULL)
		return fail_errno("%s", option);
	for (len = strlen(number); len > 0 && isspace((unsigned char)number[len - 1]); len--)
		number[len - 1] = '\0';
	expected = parse_limit(condition, number);
	if (expected != NULL || !isfinite(condition->limit))
		fail_msg("%s: bad limit '%s' for %s in '%s', expected %s", option, number,
			condition->figure, text, expected != NULL ? expected : "a finite number");
	free(number);
	return expected == NULL && isfinite(condition->limit) ? 0 : -1;
}

/* ------------------------------------------------------------------ checking */

static double sum_of(const json_t *counts)
{
	const char *name;
	json_t *count;
	double sum = 0;

	json_object_foreach ((json_t *)counts, name, count)
		sum += json_number_value(count);
	return sum;
}

/* A kind of errors, or a status, that did not occur is not listed: 0 of them. */
static bool is_unlisted(const struct condition *c, const json_t *figures_of)
{
	return pick(figures_of, c->path) == NULL &&
	       ((starts_with(c->path, "errors.") && json_is_object(pick(figures_of, "errors"))) ||
		       (starts_with(c->path, "status_codes.") &&
			       json_is_object(pick(figures_of, "status_codes"))));
}

/* The figure in the record's unit. Return: false when it is absent. */
static bool read_figure(const struct condition *c, const json_t *figures_of, double *value)
{
	const json_t *found = pick(figures_of, c->path);
	const json_t *in_summary = c->in_summary != NULL ? pick(figures_of, c->in_summary) : NULL;
	double sent;

	if (in_summary != NULL)
		found = in_summary;
	if (json_is_number(found))
		*value = json_number_value(found);
	else if (json_is_boolean(found))
		*value = json_is_true(found);
	else if (is_unlisted(c, figures_of))
		*value = 0;
	else if (strcmp(c->path, "errors") == 0 && json_is_object(found))
		*value = sum_of(found);
	else if (!pick_number(found, "median", value))
		return false;
	if (!c->of_sent)
		return true;
	if (!pick_number(figures_of, "requests.sent", &sent) || sent <= 0)
		return false;
	*value /= sent;
	return true;
}

static bool compare(enum condition_op op, double value, double limit)
{
	switch (op) {
	case OP_LESS:
		return value < limit;
	case OP_AT_MOST:
		return value <= limit;
	case OP_MORE:
		return value > limit;
	case OP_AT_LEAST:
		return value >= limit;
	case OP_EQUAL:
		break;
	}
	return value == limit;
}

/* The least that an absent figure can be. One bound of a whole distribution is that of each. */
static bool read_bound(const struct condition *c, const json_t *figures_of, double *value)
{
	size_t len = strcspn(c->path, ".");
	const char *name = c->path + len;
	char whole[sizeof(c->path)];

	if (pick_bound(figures_of, c->path, value))
		return true;
	snprintf(whole, sizeof(whole), "%.*s", (int)len, c->path);
	return c->unit == UNIT_NS && *name != '\0' && strcmp(name, ".stddev") != 0 &&
	       pick_bound(figures_of, whole, value);
}

bool condition_holds(const struct condition *condition, const json_t *figures_of)
{
	double value;

	if (read_figure(condition, figures_of, &value))
		return compare(condition->op, value, condition->limit);
	return (condition->op == OP_MORE || condition->op == OP_AT_LEAST) &&
	       read_bound(condition, figures_of, &value) &&
	       compare(condition->op, value, condition->limit);
}

/* ------------------------------------------------------------------ outcomes */

json_t *condition_outcome(const struct condition *condition, const json_t *figures_of)
{
	struct build b = build_begin();
	const char *unit = unit_names[condition->of_sent ? UNIT_SHARE : condition->unit];
	double value;

	build_text(&b, "condition", condition->text);
	build_put(&b, "held", json_boolean(condition_holds(condition, figures_of)));
	build_text(&b, "figure", condition->figure);
	build_text(&b, "path", condition->path);
	build_text(&b, "unit", unit);
	if (read_figure(condition, figures_of, &value)) {
		build_number(&b, "value", value);
	} else {
		build_absent(&b, "value",
			condition->of_sent ? "no request was sent"
					   : pick_reason(figures_of, condition->path));
		if (read_bound(condition, figures_of, &value))
			build_number(&b, "value_at_least", value);
	}
	build_number(&b, "limit", condition->limit);
	return build_end(&b);
}

static const char *value_text(double value, const char *unit, char *out)
{
	if (strcmp(unit, "ns") == 0)
		return units_duration(value, out);
	if (strcmp(unit, "s") == 0)
		return units_duration(value * 1e9, out);
	if (strcmp(unit, "bytes") == 0)
		return units_size(value, out);
	if (strcmp(unit, "share") == 0)
		snprintf(out, UNITS_TEXT, "%.4g%%", 100 * value);
	else
		snprintf(out, UNITS_TEXT, "%.10g", value);
	return out;
}

const char *condition_line(const json_t *outcome, char *out)
{
	const char *unit = pick_text(outcome, "unit");
	char text[UNITS_TEXT];
	const char *reason = pick_reason(outcome, "value"); /* "requests timed out: only …" */
	char is[CONDITION_LINE];
	double value;

	if (pick_number(outcome, "value", &value))
		text_format(is, sizeof(is), "= %s", value_text(value, unit, text));
	else if (pick_bound(outcome, "value", &value))
		text_format(is, sizeof(is), "is at least %s: %.*s", value_text(value, unit, text),
			(int)strcspn(reason, ":"), reason);
	else
		text_format(is, sizeof(is), "is not known: %s", reason);
	text_format(out, CONDITION_LINE, "%s %s: %s %s", pick_text(outcome, "condition"),
		pick_true(outcome, "held") ? "held" : "did not hold", pick_text(outcome, "figure"),
		is);
	return out;
}

/* ------------------------------------------------------------------ lists of them */

int condition_list_parse(
	struct condition_list *list, const char *option, const struct opt_list *texts)
{
	for (size_t i = 0; i < texts->count; i++)
		if (condition_parse(&list->items[i], option, texts->items[i]) != 0)
			return -1;
	list->count = texts->count;
	return 0;
}

int condition_list_check(const struct condition_list *list, const json_t *figures_of, json_t *into)
{
	json_t *outcomes = json_array();
	int unmet = 0;

	if (list->count == 0) {
		json_decref(outcomes);
		return 0;
	}
	for (size_t i = 0; i < list->count; i++) {
		json_t *outcome = condition_outcome(&list->items[i], figures_of);

		unmet += !pick_true(outcome, "held");
		if (json_array_append_new(outcomes, outcome) != 0)
			unmet = INT_MIN;
	}
	if (json_object_set_new(into, "conditions", outcomes) != 0 || unmet < 0)
		return fail_msg("no memory for the outcome of the conditions");
	return unmet;
}
