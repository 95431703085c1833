#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lib/utf8.h"
#include "servers/cities-proxy/json.h"

#define EXACT_POWER  22          /* 10^22 is a double, 10^23 is not */
#define EXACT_WHOLE  (1LL << 53) /* up to which all whole numbers are doubles */
#define EXACT_DIGITS 19          /* that any uint64_t has room for */
#define EXPONENT_MAX 100000      /* beyond which nothing changes */

static void skip_space(struct json *json)
{
	while (*json->at == ' ' || *json->at == '\n' || *json->at == '\r' || *json->at == '\t')
		json->at++;
}

bool json_take(struct json *json, char mark)
{
	skip_space(json);
	if (*json->at != mark)
		return false;
	json->at++;
	return true;
}

bool json_each(struct json *json, const char *brackets, bool (*item)(struct json *json, void *arg),
	void *arg)
{
	if (!json_take(json, brackets[0]) || ++json->depth > JSON_DEPTH_MAX)
		return false;
	if (!json_take(json, brackets[1])) {
		do
			if (!item(json, arg))
				return false;
		while (json_take(json, ','));
		if (!json_take(json, brackets[1]))
			return false;
	}
	json->depth--;
	return true;
}

/* The end of what stands for itself in a string. */
static char *skip_plain(char *at)
{
	for (;;) {
		unsigned char byte = (unsigned char)*at;

		if (byte == '"' || byte == '\\' || byte < 0x20)
			return at;
		if (byte < 0x80) {
			at++;
			continue;
		}
		if (utf8_len(at) == 0)
			return at;
		at += utf8_len(at);
	}
}

/* Four hexadecimal digits. Return: -1 when they are none. */
static int32_t read_hex(const char *at)
{
	int32_t value = 0;

	for (int i = 0; i < 4; i++) {
		char c = at[i];
		char lower = c | 0x20;

		if (c >= '0' && c <= '9')
			value = value << 4 | (c - '0');
		else if (lower >= 'a' && lower <= 'f')
			value = value << 4 | (lower - 'a' + 10);
		else
			return -1;
	}
	return value;
}

static char *put_utf8(char *to, int32_t code)
{
	if (code < 0x80) {
		*to++ = (char)code;
		return to;
	}
	if (code < 0x800) {
		*to++ = (char)(0xc0 | code >> 6);
	} else if (code < 0x10000) {
		*to++ = (char)(0xe0 | code >> 12);
		*to++ = (char)(0x80 | (code >> 6 & 0x3f));
	} else {
		*to++ = (char)(0xf0 | code >> 18);
		*to++ = (char)(0x80 | (code >> 12 & 0x3f));
		*to++ = (char)(0x80 | (code >> 6 & 0x3f));
	}
	*to++ = (char)(0x80 | (code & 0x3f));
	return to;
}

/* @at: behind the 'u'. A character takes no more bytes than its escape. */
static char *read_unicode(char *at, char **to)
{
	int32_t code = read_hex(at);
	int32_t low;

	if (code <= 0)
		return NULL;
	at += 4;
	if (code >= 0xd800 && code < 0xe000) {
		low = code < 0xdc00 && at[0] == '\\' && at[1] == 'u' ? read_hex(at + 2) : -1;
		if (low < 0xdc00 || low >= 0xe000)
			return NULL;
		code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
		at += 6;
	}
	*to = put_utf8(*to, code);
	return at;
}

/* @at: behind the backslash. Return: behind the escape, or NULL when it is none. */
static char *read_escape(char *at, char **to)
{
	static const char names[] = "\"\\/bfnrt";
	static const char values[] = "\"\\/\b\f\n\r\t";
	const char *name;

	if (*at == 'u')
		return read_unicode(at + 1, to);
	name = *at != '\0' ? strchr(names, *at) : NULL;
	if (name == NULL)
		return NULL;
	*(*to)++ = values[name - names];
	return at + 1;
}

bool json_text(struct json *json, struct slice *text)
{
	char *start;
	char *to;
	char *at;

	if (!json_take(json, '"'))
		return false;
	start = json->at;
	at = to = skip_plain(start);
	while (*at == '\\') {
		char *end;

		at = read_escape(at + 1, &to);
		if (at == NULL)
			return false;
		end = skip_plain(at);
		memmove(to, at, (size_t)(end - at));
		to += end - at;
		at = end;
	}
	if (*at != '"')
		return false;
	*to = '\0';
	json->at = at + 1;
	*text = (struct slice){start, (size_t)(to - start)};
	return true;
}

bool json_key(struct json *json, struct slice *key)
{
	return json_text(json, key) && json_take(json, ':');
}

/* Appends digits to @number, which wraps. Return: behind them, or NULL when there are none. */
static char *read_digits(char *at, uint64_t *number)
{
	char *start = at;

	for (; *at >= '0' && *at <= '9'; at++)
		*number = *number * 10 + (uint64_t)(*at - '0');
	return at > start ? at : NULL;
}

/* @at: behind the 'e'. */
static char *read_exponent(char *at, int64_t *exponent)
{
	bool negative = *at == '-';
	int64_t value = 0;
	char *start;

	if (*at == '-' || *at == '+')
		at++;
	for (start = at; *at >= '0' && *at <= '9'; at++)
		if (value < EXPONENT_MAX)
			value = value * 10 + (*at - '0');
	*exponent += negative ? -value : value;
	return at > start ? at : NULL;
}

/* @whole * 10^@exponent. One operation on two exact numbers rounds as the decimal does; what that
 * cannot do is left to strtod(). */
static double scale(uint64_t whole, int64_t exponent, const char *text)
{
	static const double powers[EXACT_POWER + 1] = {1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8,
		1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

	if (whole > EXACT_WHOLE || exponent < -EXACT_POWER || exponent > EXACT_POWER)
		return strtod(text, NULL);
	return exponent < 0 ? (double)whole / powers[-exponent] : (double)whole * powers[exponent];
}

bool json_number(struct json *json, double *value)
{
	const char *start;
	uint64_t whole = 0;
	int64_t exponent = 0;
	bool negative = json_take(json, '-');
	char *at = json->at;
	char *end;
	size_t digits;

	if (*at == '0' && at[1] >= '0' && at[1] <= '9')
		return false;
	start = at;
	end = read_digits(at, &whole);
	if (end != NULL && *end == '.') {
		at = end + 1;
		end = read_digits(at, &whole);
		exponent = at - end;
	}
	if (end == NULL)
		return false;
	digits = (size_t)(end - start);
	if (*end == 'e' || *end == 'E')
		end = read_exponent(end + 1, &exponent);
	if (end == NULL)
		return false;
	json->at = end;
	*value = digits <= EXACT_DIGITS ? scale(whole, exponent, start) : strtod(start, NULL);
	if (negative)
		*value = -*value;
	return true;
}

static bool skip_element(struct json *json, void *arg)
{
	(void)arg;
	return json_skip(json);
}

static bool skip_member(struct json *json, void *arg)
{
	struct slice key;

	(void)arg;
	return json_key(json, &key) && json_skip(json);
}

static bool skip_word(struct json *json, const char *word)
{
	size_t len = strlen(word);

	if (strncmp(json->at, word, len) != 0)
		return false;
	json->at += len;
	return true;
}

bool json_skip(struct json *json)
{
	struct slice text;
	double number;

	skip_space(json);
	switch (*json->at) {
	case '{':
		return json_each(json, "{}", skip_member, NULL);
	case '[':
		return json_each(json, "[]", skip_element, NULL);
	case '"':
		return json_text(json, &text);
	case 't':
		return skip_word(json, "true");
	case 'f':
		return skip_word(json, "false");
	case 'n':
		return skip_word(json, "null");
	default:
		return json_number(json, &number);
	}
}
