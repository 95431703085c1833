#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "harness/report/text.h"

/* True for the second and later bytes of a character. */
static bool continues(char c)
{
	return ((unsigned char)c & 0xc0) == 0x80;
}

void text_vformat(char *out, size_t size, const char *format, va_list args)
{
	size_t end = size - sizeof("…");
	int len = vsnprintf(out, size, format, args);

	if (len < 0 || (size_t)len < size)
		return;
	while (end > 0 && continues(out[end]))
		end--;
	memcpy(out + end, "…", sizeof("…"));
}

void text_format(char *out, size_t size, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	text_vformat(out, size, format, args);
	va_end(args);
}

const char *text_count(double count, char *out)
{
	char digits[TEXT_COUNT];
	int len = snprintf(digits, sizeof(digits), "%.0f", fmin(fabs(count), 1e18));
	size_t n = 0;

	for (int i = 0; i < len; i++) {
		if (i > 0 && (len - i) % 3 == 0)
			out[n++] = ',';
		out[n++] = digits[i];
	}
	out[n] = '\0';
	return out;
}

/* The most frequent kind that is less frequent than (@count, @kind), in that order. */
static const char *next_kind(const json_t *errors, double count, const char *kind, double *found)
{
	const char *best = NULL;
	const char *name;
	json_t *value;

	json_object_foreach ((json_t *)errors, name, value) {
		double number = json_number_value(value);

		if (number > count ||
			(number == count && (kind == NULL || strcmp(name, kind) <= 0)))
			continue;
		if (best != NULL &&
			(number < *found || (number == *found && strcmp(name, best) > 0)))
			continue;
		best = name;
		*found = number;
	}
	return best;
}

const char *text_errors(const json_t *errors, char *out, size_t size)
{
	double count = INFINITY;
	const char *kind = NULL;
	size_t len = 0;

	out[0] = '\0';
	while ((kind = next_kind(errors, count, kind, &count)) != NULL) {
		char number[TEXT_COUNT];
		char item[128];
		int item_len = snprintf(item, sizeof(item), "%s%s %s", len > 0 ? ", " : "", kind,
			text_count(count, number));

		if (item_len >= (int)sizeof(item) || len + (size_t)item_len + sizeof("…") > size) {
			snprintf(out + len, size - len, "…");
			break;
		}
		memcpy(out + len, item, (size_t)item_len + 1);
		len += (size_t)item_len;
	}
	return out;
}

size_t text_width(const char *text)
{
	size_t width = 0;

	for (; *text != '\0'; text++)
		width += !continues(*text);
	return width;
}

const char *text_cut(const char *text, size_t characters, char *out, size_t size)
{
	size_t room = size - sizeof("…");
	size_t len = 0;

	while (text[len] != '\0') {
		size_t next = len + 1;

		while (continues(text[next]))
			next++;
		if (characters-- == 0 || next > room)
			break;
		len = next;
	}
	snprintf(out, size, "%.*s%s", (int)len, text, text[len] != '\0' ? "…" : "");
	return out;
}

/* The character at @text; @len: its bytes. The text is valid UTF-8. */
static uint32_t character(const char *text, size_t *len)
{
	unsigned char first = (unsigned char)text[0];
	uint32_t code = first < 0x80 ? first : first < 0xe0 ? first & 0x1f : first & 0x0f;

	if (first >= 0xf0)
		code = first & 0x07;
	for (*len = 1; continues(text[*len]); ++*len)
		code = code << 6 | ((unsigned char)text[*len] & 0x3f);
	return code;
}

/* Controls of C0 and C1, and Unicode's marks that are invisible, end lines or reverse text. */
static bool is_control(uint32_t code)
{
	return code < 0x20 || (code >= 0x7f && code < 0xa0) || (code >= 0x200b && code <= 0x200f) ||
	       (code >= 0x2028 && code <= 0x202e) || (code >= 0x2060 && code <= 0x2069) ||
	       code == 0xfeff;
}

void text_plain(const char *text, FILE *out)
{
	size_t len;

	for (; *text != '\0'; text += len) {
		if (is_control(character(text, &len)))
			fputc('?', out);
		else
			fwrite(text, 1, len, out);
	}
}

/* The character in front of @text, which has @len bytes, as HTML reads it. */
static void print_html(const char *text, size_t len, FILE *out)
{
	switch (*text) {
	case '<':
		fputs("&lt;", out);
		break;
	case '>':
		fputs("&gt;", out);
		break;
	case '&':
		fputs("&amp;", out);
		break;
	default:
		fwrite(text, 1, len, out);
	}
}

void text_html(const char *text, FILE *out)
{
	size_t len;

	for (; *text != '\0'; text += len) {
		if (is_control(character(text, &len)))
			fputc('?', out);
		else if (*text == '"')
			fputs("&quot;", out);
		else
			print_html(text, len, out);
	}
}

void text_markdown(const char *text, FILE *out)
{
	static const char special[] = "\\`*_[]#|~";
	size_t len;

	for (; *text != '\0'; text += len) {
		if (is_control(character(text, &len)))
			fputc('?', out);
		else if (strchr(special, *text) != NULL)
			fprintf(out, "\\%c", *text);
		else
			print_html(text, len, out);
	}
}

void text_link(const char *name, FILE *out)
{
	for (; *name != '\0'; name++) {
		if (isalnum((unsigned char)*name) || strchr("-._", *name) != NULL)
			fputc(*name, out);
		else
			fprintf(out, "%%%02X", (unsigned char)*name);
	}
}
