#ifndef SERVERS_COMMON_CITIES_JSON_H
#define SERVERS_COMMON_CITIES_JSON_H

#include <stdbool.h>
#include <stddef.h>

#include "servers/common/cities.h"

struct buf;

/**
 * DOC: A list of cities as JSON, in one canonical form, so that whoever prints the same list
 * prints the same bytes:
 *	{"cities":[{"country":"AD","name":"Sant Julià de Lòria","lat":42.46372,"lng":1.49129},…]}
 * Keys in this order, no white space, texts in UTF-8 with nothing escaped but '"', '\' and
 * control characters. A number is the shortest one that is read back as the same 32-bit float:
 * of 1 to 9 significant digits the fewest for which the correctly rounded decimal, read as a
 * double and narrowed, is that float. It is written without an exponent, zero always as 0, and
 * below 1e-4 as printf's %g does.
 */

#define CITIES_JSON_CITY_LEN   80 /* bytes that a city has, about */
#define CITIES_JSON_NUMBER_MAX 24 /* bytes of a number */

/**
 * cities_json_number() - Write a number in the canonical form.
 * @to: CITIES_JSON_NUMBER_MAX bytes; no NUL is added.
 * @value: degrees, between -1000 and 1000.
 *
 * Return: the bytes written.
 */
size_t cities_json_number(char *to, float value);

/** cities_json_begin() - Append what precedes the first city. Return: 0 or -1. */
int cities_json_begin(struct buf *out);

/** cities_json_add() - Append a city; @first: there is none before it. Return: 0 or -1. */
int cities_json_add(struct buf *out, const struct city *city, bool first);

/** cities_json_end() - Append what follows the last city. Return: 0 or -1. */
int cities_json_end(struct buf *out);

/** cities_json() - Append a whole list. Return: 0 or -1. */
int cities_json(struct buf *out, const struct cities *cities);

#endif
