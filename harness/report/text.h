#ifndef HARNESS_REPORT_TEXT_H
#define HARNESS_REPORT_TEXT_H

#include <jansson.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

/**
 * DOC: Text for people. Records may hold text of strangers (manifests, messages of servers), so
 * it goes out through text_plain() to a console and through text_markdown() or text_html() to a
 * page. All text is UTF-8, as jansson checks.
 */

#define TEXT_COUNT 32 /* bytes that every count fits in */

/** text_count() - A whole number with its thousands marked: "1,234,567". Return: @out. */
const char *text_count(double count, char *out);

/**
 * text_errors() - Counts by kind, the most frequent first: "status 12, eof 3".
 * @out: @size bytes; a list that is too long ends in "…". Return: @out.
 */
const char *text_errors(const json_t *errors, char *out, size_t size);

/** text_format() - As snprintf(), but a text that is too long ends, whole, in "…". */
void text_format(char *out, size_t size, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/** text_vformat() - As text_format(), as vsnprintf(). */
void text_vformat(char *out, size_t size, const char *format, va_list args)
	__attribute__((format(printf, 3, 0)));

/**
 * text_cut() - The first @characters of @text, with "…" for the rest.
 * @out: @size bytes. Return: @out.
 */
const char *text_cut(const char *text, size_t characters, char *out, size_t size);

/** text_width() - How many columns of a console @text takes: its characters. */
size_t text_width(const char *text);

/** text_plain() - Print @text with control characters, and those that turn text around, as '?'. */
void text_plain(const char *text, FILE *out);

/** text_html() - As text_plain(), with everything that HTML reads escaped, also in attributes. */
void text_html(const char *text, FILE *out);

/** text_markdown() - As text_plain(), with everything that Markdown or HTML reads escaped. */
void text_markdown(const char *text, FILE *out);

/** text_link() - Print the name of a file beside a page as it stands in a link. */
void text_link(const char *name, FILE *out);

#endif
