#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/buf.h"
#include "servers/common/cities_json.h"

#define PLAIN_MIN    1e-3f /* smaller ones are left to printf */
#define ESCAPE_MAX   6     /* bytes of an escaped one */
#define FRAME_MAX    128   /* bytes of a city beside its texts */
#define DECIMALS_MAX 12    /* 9 digits of any number from PLAIN_MIN up */

static const double power_of_ten[] = {
	1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12};

/* For tiny numbers, which no city has. */
static size_t print_small(char *to, float value)
{
	char text[CITIES_JSON_NUMBER_MAX];
	int digits = 0;
	int len;

	do {
		len = snprintf(text, sizeof(text), "%.*g", ++digits, (double)value);
	} while (digits < 9 && (float)strtod(text, NULL) != value);
	memcpy(to, text, (size_t)len);
	return (size_t)len;
}

/* Writes @n / 10^@decimals. */
static char *put_decimal(char *to, uint64_t n, int decimals)
{
	char digits[CITIES_JSON_NUMBER_MAX];
	char *end = digits + sizeof(digits);
	char *at = end;

	for (; decimals > 0; decimals--, n /= 10)
		*--at = (char)('0' + n % 10);
	if (at < end)
		*--at = '.';
	do
		*--at = (char)('0' + n % 10);
	while ((n /= 10) > 0);
	memcpy(to, at, (size_t)(end - at));
	return to + (end - at);
}

/* The nearest whole number, of two the even one, for 0 <= @x < 2^51: beyond 2^52, doubles have no
 * fraction left. */
static double round_even(double x)
{
	return x + 0x1.8p52 - 0x1.8p52;
}

/* Decimals to begin with: the most for which a step is no less than the distance of two floats as
 * large as @size. With these, any shorter decimal that is read back as the float is the same number
 * with zeros at its end. */
static int first_decimals(float size)
{
	return size >= 128 ? 4 : size >= 16 ? 5 : size >= 1 ? 6 : 7;
}

size_t cities_json_number(char *to, float value)
{
	float size = fabsf(value);
	int decimals = first_decimals(size);
	char *at = to;
	double scaled;
	uint64_t n;

	if (size == 0)
		return (size_t)(put_decimal(to, 0, 0) - to);
	if (size < PLAIN_MIN)
		return print_small(to, value);
	/* Both the product, of 24 bits and 12 factors of 5, and the power are exact; the quotient
	 * is what strtod() reads. */
	for (;; decimals++) {
		scaled = round_even((double)size * power_of_ten[decimals]);
		if (decimals == DECIMALS_MAX || (float)(scaled / power_of_ten[decimals]) == size)
			break;
	}
	for (n = (uint64_t)scaled; decimals > 0 && n % 10 == 0; decimals--)
		n /= 10;
	if (value < 0)
		*at++ = '-';
	return (size_t)(put_decimal(at, n, decimals) - to);
}

/* True for bytes that RFC 8259 section 7 has escaped. */
static bool is_special(char byte)
{
	return (unsigned char)byte < 0x20 || byte == '"' || byte == '\\';
}

/* Each byte becomes ESCAPE_MAX at most. */
static char *put_text(char *to, const char *text)
{
	for (; *text != '\0'; text++) {
		if (!is_special(*text))
			*to++ = *text;
		else
			to += sprintf(to, *text < 0x20 ? "\\u%04x" : "\\%c", *text);
	}
	return to;
}

static char *put(char *to, const char *bytes, size_t len)
{
	memcpy(to, bytes, len);
	return to + len;
}

#define PUT(to, literal) put(to, literal, sizeof(literal) - 1)

int cities_json_begin(struct buf *out)
{
	return buf_append(out, "{\"cities\":[", 11);
}

int cities_json_end(struct buf *out)
{
	return buf_append(out, "]}", 2);
}

int cities_json_add(struct buf *out, const struct city *city, bool first)
{
	size_t texts = strlen(city->country) + strlen(city->name);
	char *to;

	if (buf_reserve(out, FRAME_MAX + texts * ESCAPE_MAX + 1) != 0)
		return -1;
	to = buf_tail(out);
	if (!first)
		*to++ = ',';
	to = put_text(PUT(to, "{\"country\":\""), city->country);
	to = put_text(PUT(to, "\",\"name\":\""), city->name);
	to = PUT(to, "\",\"lat\":");
	to += cities_json_number(to, city->lat);
	to = PUT(to, ",\"lng\":");
	to += cities_json_number(to, city->lng);
	*to++ = '}';
	out->end = (size_t)(to - out->data);
	return 0;
}

int cities_json(struct buf *out, const struct cities *cities)
{
	if (cities_json_begin(out) != 0)
		return -1;
	for (size_t i = 0; i < cities->n; i++)
		if (cities_json_add(out, &cities->list[i], i == 0) != 0)
			return -1;
	return cities_json_end(out);
}
