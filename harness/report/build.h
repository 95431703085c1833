#ifndef HARNESS_REPORT_BUILD_H
#define HARNESS_REPORT_BUILD_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#define BUILD_DIGITS 9 /* significant digits of numbers that are no counts */

/** struct build - A JSON object in the making, which remembers when a part of it failed. */
struct build {
	json_t *object; /* owned until build_end() */
	bool failed;
};

/** build_begin() - Start with no fields. */
struct build build_begin(void);

/** build_put() - Add a field. @value: becomes the object's; NULL: the object has failed. */
void build_put(struct build *b, const char *name, json_t *value);

/** build_count() - Add a whole number; one beyond 2^63 fails. */
void build_count(struct build *b, const char *name, uint64_t count);

/** build_number() - Add a number of BUILD_DIGITS digits; NaN and infinity fail. */
void build_number(struct build *b, const char *name, double number);

/** build_text() - Add a text, copied; NULL becomes null. */
void build_text(struct build *b, const char *name, const char *text);

/** build_absent() - Add null, and beside it NAME_reason, which says why it is not known. */
void build_absent(struct build *b, const char *name, const char *reason);

/** build_ratio() - As build_number() of @top / @bottom, absent when @bottom is not above 0. */
void build_ratio(struct build *b, const char *name, double top, double bottom, const char *reason);

/** build_end() - Return: a new reference to the object, or NULL when a part of it failed. */
json_t *build_end(struct build *b);

/** build_real() - A number of BUILD_DIGITS digits. Return: new, or NULL for NaN and infinity. */
json_t *build_real(double number);

#endif
