/* Rules: parsed from words, matched against moments. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/buf.h"
#include "lib/fail.h"
#include "lib/units.h"
#include "tests/badserver/script.h"

#define RULES_MAX 32
#define WORD_MAX  (64 << 10)

enum arg { ARG_NONE, ARG_NUMBER, ARG_TIME, ARG_TEXT };

#define P_ANY    31
#define P_HTTP1  PROTO_HTTP1
#define P_HTTP   (PROTO_HTTP1 | PROTO_H2C | PROTO_GRPC)
#define P_H2     (PROTO_H2C | PROTO_GRPC)
#define P_GRPC   PROTO_GRPC
#define P_THRIFT (PROTO_THRIFT_FRAMED | PROTO_THRIFT_BINARY)

/* One act as the script writes it. An argument may be left out when @optional: then it is
 * @otherwise. */
struct row {
	const char *name;
	enum arg arg;
	bool optional;
	bool connection; /* may be in a rule of connections */
	unsigned protocols;
	int64_t otherwise;
};

static const struct row rows[ACTS] = {
	[ACT_DELAY] = {"delay", ARG_TIME, false, true, P_ANY, 0},
	[ACT_PACE] = {"pace", ARG_TIME, false, false, P_ANY, 0},
	[ACT_STALL] = {"stall", ARG_TIME, false, true, P_ANY, 0},
	[ACT_SPLIT] = {"split", ARG_NUMBER, false, false, P_ANY, 0},
	[ACT_WALK] = {"walk", ARG_NONE, false, false, P_ANY, 0},
	[ACT_PIECES] = {"pieces", ARG_NUMBER, false, false, P_ANY, 0},
	[ACT_GAP] = {"gap", ARG_TIME, false, false, P_ANY, 0},
	[ACT_CLOSE] = {"close", ARG_NUMBER, true, true, P_ANY, INT64_MAX},
	[ACT_RESET] = {"reset", ARG_NUMBER, true, true, P_ANY, INT64_MAX},
	[ACT_FIN] = {"fin", ARG_NUMBER, true, false, P_ANY, INT64_MAX},
	[ACT_DROP] = {"drop", ARG_NONE, false, false, P_ANY, 0},
	[ACT_EXTRA] = {"extra", ARG_NUMBER, true, false, P_ANY, 1},
	[ACT_SWAP] = {"swap", ARG_NONE, false, false, P_ANY, 0},
	[ACT_BEFORE] = {"before", ARG_TEXT, false, false, P_ANY, 0},
	[ACT_RAW] = {"raw", ARG_TEXT, false, true, P_ANY, 0},
	[ACT_THEN] = {"then", ARG_TEXT, false, false, P_ANY, 0},
	[ACT_IGNORE] = {"ignore", ARG_NONE, false, true, P_ANY, 0},
	[ACT_HOLD] = {"hold", ARG_TIME, false, true, P_ANY, 0},
	[ACT_REFUSE] = {"refuse", ARG_TIME, false, true, P_ANY, 0},
	[ACT_DIE] = {"die", ARG_TIME, false, true, P_ANY, 0},
	[ACT_EXIT] = {"exit", ARG_NONE, false, true, P_ANY, 0},
	[ACT_BODY] = {"body", ARG_NUMBER, false, false, P_ANY, 0},
	[ACT_WRONG] = {"wrong", ARG_NONE, false, false, P_ANY, 0},
	[ACT_STATUS] = {"status", ARG_NUMBER, false, false, P_HTTP, 0},
	[ACT_HEADER] = {"header", ARG_TEXT, false, false, P_HTTP, 0},
	[ACT_LENGTH] = {"length", ARG_NUMBER, false, false, P_ANY, 0},
	[ACT_NO_LENGTH] = {"no-length", ARG_NONE, false, false, P_HTTP1, 0},
	[ACT_VERSION] = {"version", ARG_TEXT, false, false, P_HTTP1, 0},
	[ACT_CHUNKED] = {"chunked", ARG_NUMBER, true, false, P_HTTP1, 16 << 10},
	[ACT_CHUNK_EXT] = {"chunk-ext", ARG_TEXT, false, false, P_HTTP1, 0},
	[ACT_TRAILER] = {"trailer", ARG_TEXT, false, false, P_HTTP, 0},
	[ACT_LF] = {"lf", ARG_NONE, false, false, P_HTTP1, 0},
	[ACT_INTERIM] = {"interim", ARG_NUMBER, true, false, P_HTTP, 1},
	[ACT_ENDLESS] = {"endless", ARG_NONE, false, false, P_HTTP, 0},
	[ACT_LONG_HEADER] = {"long-header", ARG_NUMBER, false, false, P_HTTP, 0},
	[ACT_NUMBERED] = {"numbered", ARG_NONE, false, false, P_HTTP, 0},
	[ACT_NO_BODY] = {"no-body", ARG_NONE, false, false, P_HTTP, 0},
	[ACT_EARLY] = {"early", ARG_NONE, false, true, P_H2, 0},
	[ACT_PAD] = {"pad", ARG_NUMBER, false, false, P_H2, 0},
	[ACT_CONTINUATION] = {"continuation", ARG_NUMBER, false, false, P_H2, 0},
	[ACT_FRAME] = {"frame", ARG_NUMBER, false, false, P_H2, 0},
	[ACT_RST] = {"rst", ARG_NUMBER, false, false, P_H2, 0},
	[ACT_GOAWAY] = {"goaway", ARG_NUMBER, true, false, P_H2, 0},
	[ACT_LAST] = {"last", ARG_NUMBER, false, false, P_H2, 0},
	[ACT_SETTINGS] = {"settings", ARG_TEXT, false, true, P_H2, 0},
	[ACT_NO_SETTINGS] = {"no-settings", ARG_NONE, false, true, P_H2, 0},
	[ACT_PING] = {"ping", ARG_NUMBER, true, false, P_H2, 1},
	[ACT_GRPC_STATUS] = {"grpc-status", ARG_TEXT, false, false, P_GRPC, 0},
	[ACT_NO_TRAILERS] = {"no-trailers", ARG_NONE, false, false, P_GRPC, 0},
	[ACT_TRAILERS_ONLY] = {"trailers-only", ARG_NONE, false, false, P_GRPC, 0},
	[ACT_MESSAGES] = {"messages", ARG_NUMBER, false, false, P_GRPC, 0},
	[ACT_COMPRESSED] = {"compressed", ARG_NONE, false, false, P_GRPC, 0},
	[ACT_SEQID] = {"seqid", ARG_NUMBER, false, false, P_THRIFT, 0},
	[ACT_NAME] = {"name", ARG_TEXT, false, false, P_THRIFT, 0},
	[ACT_TYPE] = {"type", ARG_NUMBER, false, false, P_THRIFT, 0},
	[ACT_EXCEPTION] = {"exception", ARG_NUMBER, true, false, P_THRIFT, 6},
	[ACT_FIELD] = {"field", ARG_NUMBER, false, false, P_THRIFT, 0},
};

enum scope { SCOPE_REQUEST, SCOPE_EACH, SCOPE_CONN };

/* All conditions hold together. */
struct rule {
	enum scope scope;
	uint64_t every;
	uint64_t from;
	uint64_t first;
	double chance;
	uint64_t seed;
	int64_t after_ns;
	int64_t until_ns;
	bool once;
	bool spent;
	struct acts acts;
	struct buf texts[ACTS];
};

static struct rule rules[RULES_MAX];
static size_t n_rules;

/* ------------------------------------------------------------------ words */

/* The rule being read. */
struct reader {
	const char *rule;
	const char *at;
	enum proto proto;
	char word[WORD_MAX];
	size_t len;
	bool quoted;
};

static int bad(const struct reader *r, const char *what)
{
	return fail_msg("rule '%s': %s, got '%s'", r->rule, what, r->len > 0 ? r->word : "nothing");
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c = (char)(c | 0x20);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* One byte of a quoted text, escapes resolved. Return: the byte, or -1. */
static int quoted_byte(struct reader *r)
{
	char c = *r->at++;
	int high;

	if (c != '\\')
		return (unsigned char)c;
	c = *r->at != '\0' ? *r->at++ : '\0';
	switch (c) {
	case 'r':
		return '\r';
	case 'n':
		return '\n';
	case '0':
		return '\0';
	case 'x':
		high = hex_digit(r->at[0]);
		if (high < 0 || hex_digit(r->at[1]) < 0)
			return -1;
		r->at += 2;
		return high * 16 + hex_digit(r->at[-1]);
	case '\\':
	case '"':
		return c;
	default:
		return -1;
	}
}

static int next_quoted(struct reader *r)
{
	r->at++;
	r->quoted = true;
	while (*r->at != '"') {
		int byte = *r->at != '\0' && r->len < WORD_MAX - 1 ? quoted_byte(r) : -1;

		if (byte < 0)
			return bad(r, "expected a text that ends with \" and has no escapes but "
				      "\\r \\n \\0 \\xHH \\\\ \\\"");
		r->word[r->len++] = (char)byte;
	}
	r->at++;
	r->word[r->len] = '\0';
	return 0;
}

/* The next word; "," and ":" are words of their own. An empty one at the end. */
static int next_word(struct reader *r)
{
	r->len = 0;
	r->quoted = false;
	r->word[0] = '\0';
	r->at += strspn(r->at, " \t\n");
	if (*r->at == '"')
		return next_quoted(r);
	if (*r->at == ',' || *r->at == ':')
		r->len = 1;
	else
		r->len = strcspn(r->at, " \t\n,:");
	if (r->len >= WORD_MAX)
		r->len = WORD_MAX - 1;
	memcpy(r->word, r->at, r->len);
	r->word[r->len] = '\0';
	r->at += r->len;
	return 0;
}

static bool is(const struct reader *r, const char *word)
{
	return !r->quoted && strcmp(r->word, word) == 0;
}

/* A whole number, perhaps below zero, perhaps with k, M or G. */
static bool to_number(const char *word, int64_t *number)
{
	bool negative = word[0] == '-';
	uint64_t size;

	if (!units_parse_size(word + negative, &size) || size > INT64_MAX)
		return false;
	*number = negative ? -(int64_t)size : (int64_t)size;
	return true;
}

static int need_time(struct reader *r, int64_t *ns)
{
	if (next_word(r) != 0)
		return -1;
	return units_parse_duration(r->word, ns) ? 0 : bad(r, "expected a time like 20ms");
}

static int need_count(struct reader *r, uint64_t *count)
{
	int64_t number;

	if (next_word(r) != 0)
		return -1;
	if (!to_number(r->word, &number) || number < 1)
		return bad(r, "expected a number of at least 1");
	*count = (uint64_t)number;
	return 0;
}

static int read_file(const struct reader *r, const char *path, struct buf *into)
{
	FILE *file = fopen(path, "rb");
	size_t n;

	if (file == NULL)
		return fail_errno("rule '%s': cannot open '%s'", r->rule, path);
	do {
		if (buf_reserve(into, WORD_MAX) != 0)
			break;
		n = fread(buf_tail(into), 1, WORD_MAX, file);
		into->end += n;
	} while (n > 0);
	fclose(file);
	return 0;
}

/* ------------------------------------------------------------------ rules */

static int read_chance(struct reader *r, struct rule *rule)
{
	char *end;

	if (next_word(r) != 0)
		return -1;
	rule->chance = strtod(r->word, &end) / 100;
	if (end == r->word || strcmp(end, "%") != 0 || rule->chance < 0 || rule->chance > 1)
		return bad(r, "chance: expected a share like 5%");
	return 0;
}

/* One word of the conditions. Return: 1 at the colon. */
static int read_condition(struct reader *r, struct rule *rule)
{
	if (is(r, ":"))
		return 1;
	if (is(r, "all"))
		return 0;
	if (is(r, "each") || is(r, "conn")) {
		rule->scope = is(r, "each") ? SCOPE_EACH : SCOPE_CONN;
		return 0;
	}
	if (is(r, "every"))
		return need_count(r, &rule->every);
	if (is(r, "from"))
		return need_count(r, &rule->from);
	if (is(r, "first"))
		return need_count(r, &rule->first);
	if (is(r, "seed"))
		return need_count(r, &rule->seed);
	if (is(r, "chance"))
		return read_chance(r, rule);
	if (is(r, "after"))
		return need_time(r, &rule->after_ns);
	if (is(r, "until"))
		return need_time(r, &rule->until_ns);
	rule->once |= is(r, "once");
	return is(r, "once") ? 0
			     : bad(r, "expected all, each, conn, every, from, first, chance, seed, "
				      "after, until, once or ':'");
}

static int read_text(struct reader *r, struct buf *into)
{
	if (next_word(r) != 0)
		return -1;
	if (r->len == 0 && !r->quoted)
		return bad(r, "expected a text");
	if (!r->quoted && r->word[0] == '@')
		return read_file(r, r->word + 1, into);
	return buf_append(into, r->word, r->len);
}

/* The number that may follow; @r stays before anything else. */
static int read_optional(struct reader *r, int64_t otherwise, int64_t *number)
{
	const char *before = r->at;

	if (next_word(r) != 0)
		return -1;
	if (to_number(r->word, number))
		return 0;
	r->at = before;
	*number = otherwise;
	return 0;
}

static int read_argument(struct reader *r, struct rule *rule, enum act act)
{
	int64_t *number = &rule->acts.number[act];
	struct buf *text = &rule->texts[act];

	switch (rows[act].arg) {
	case ARG_NONE:
		return 0;
	case ARG_TIME:
		return need_time(r, number);
	case ARG_TEXT:
		if (read_text(r, text) != 0)
			return -1;
		rule->acts.text[act] = (struct slice){.data = buf_head(text), .len = buf_len(text)};
		return 0;
	default:
		break;
	}
	if (rows[act].optional)
		return read_optional(r, rows[act].otherwise, number);
	if (next_word(r) != 0)
		return -1;
	return to_number(r->word, number) ? 0 : bad(r, "expected a number");
}

static int read_act(struct reader *r, struct rule *rule)
{
	for (int act = 0; act < ACTS; act++) {
		if (!is(r, rows[act].name))
			continue;
		if ((rows[act].protocols & r->proto) == 0)
			return bad(r, "expected something of this protocol");
		if (rule->scope == SCOPE_CONN && !rows[act].connection)
			return bad(r, "expected something that can happen to a connection");
		rule->acts.set |= UINT64_C(1) << act;
		return read_argument(r, rule, (enum act)act);
	}
	return bad(r, "expected something that can happen");
}

static int read_rule(struct reader *r, struct rule *rule)
{
	int ret = 0;

	while (ret == 0) {
		if (next_word(r) != 0)
			return -1;
		ret = read_condition(r, rule);
	}
	while (ret == 1) {
		if (next_word(r) != 0 || read_act(r, rule) != 0 || next_word(r) != 0)
			return -1;
		if (r->len == 0 && !r->quoted)
			return 0;
		ret = is(r, ",") ? 1 : bad(r, "expected ',' or the end");
	}
	return ret;
}

int script_parse(char **texts, int n, enum proto proto)
{
	static struct reader reader;

	if (n > RULES_MAX)
		return fail_msg("expected at most %d rules, got %d", RULES_MAX, n);
	for (int i = 0; i < n; i++) {
		struct rule *rule = &rules[n_rules++];

		rule->first = UINT64_MAX;
		rule->every = 1;
		rule->from = 1;
		rule->chance = 1;
		rule->until_ns = INT64_MAX;
		reader = (struct reader){.rule = texts[i], .at = texts[i], .proto = proto};
		if (read_rule(&reader, rule) != 0)
			return -1;
	}
	return 0;
}

void script_free(void)
{
	for (size_t i = 0; i < n_rules; i++)
		for (int act = 0; act < ACTS; act++)
			buf_free(&rules[i].texts[act]);
	n_rules = 0;
}

/* ------------------------------------------------------------------ moments */

/* A number of [0, 1) that depends on both: splitmix64 (Steele, Lea, Flood, 2014). */
static double lot(uint64_t seed, uint64_t number)
{
	uint64_t z = (seed + number) * UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return (double)((z ^ z >> 31) >> 11) / (double)(UINT64_C(1) << 53);
}

static bool matches(const struct rule *rule, const struct moment *m)
{
	uint64_t number = rule->scope == SCOPE_EACH ? m->of_conn : m->number;

	if ((rule->scope == SCOPE_CONN) != m->connection || (rule->once && rule->spent))
		return false;
	if (number % rule->every != 0 || number < rule->from || number > rule->first)
		return false;
	if (m->elapsed_ns < rule->after_ns || m->elapsed_ns >= rule->until_ns)
		return false;
	return rule->chance >= 1 || lot(rule->seed, m->number) < rule->chance;
}

void script_at(const struct moment *moment, struct acts *acts)
{
	acts->set = 0;
	for (size_t i = 0; i < n_rules; i++) {
		struct rule *rule = &rules[i];

		if (!matches(rule, moment))
			continue;
		rule->spent = true;
		acts->set |= rule->acts.set;
		for (int act = 0; act < ACTS; act++) {
			if (!has(&rule->acts, (enum act)act))
				continue;
			acts->number[act] = rule->acts.number[act];
			acts->text[act] = rule->acts.text[act];
		}
	}
}
