#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "lib/clock.h"
#include "lib/units.h"

struct unit {
	const char *suffix;
	double factor;
};

static const struct unit durations[] = {
	{"ns", 1},
	{"us", 1e3},
	{"ms", 1e6},
	{"", 1e9},
	{"s", 1e9},
	{"m", 60e9},
	{"h", 3600e9},
	{NULL, 0},
};

static const struct unit sizes[] = {
	{"", 1},
	{"B", 1},
	{"k", 1024},
	{"kB", 1024},
	{"KiB", 1024},
	{"M", 1048576},
	{"MB", 1048576},
	{"MiB", 1048576},
	{"G", 1 << 30},
	{"GB", 1 << 30},
	{"GiB", 1 << 30},
	{NULL, 0},
};

static const struct unit counts[] = {
	{"", 1},
	{"k", 1e3},
	{"M", 1e6},
	{"G", 1e9},
	{NULL, 0},
};

/* A non-negative decimal number and one of @units; false for anything else. */
static bool parse_with_unit(const char *text, const struct unit *units, double max, double *value)
{
	char *end;

	if (!isdigit((unsigned char)text[0]) || strchr(text, 'x') != NULL)
		return false;
	*value = strtod(text, &end);
	for (; units->suffix != NULL; units++) {
		if (strcasecmp(end, units->suffix) == 0) {
			*value *= units->factor;
			return isfinite(*value) && *value <= max;
		}
	}
	return false;
}

bool units_parse_duration(const char *text, int64_t *ns)
{
	double value;

	if (!parse_with_unit(text, durations, 9e18, &value))
		return false;
	*ns = (int64_t)llround(value);
	return true;
}

bool units_parse_size(const char *text, uint64_t *bytes)
{
	double value;

	if (!parse_with_unit(text, sizes, 9e15, &value))
		return false;
	*bytes = (uint64_t)llround(value);
	return true;
}

bool units_parse_count(const char *text, double *count)
{
	return parse_with_unit(text, counts, 9e15, count);
}

/* Scales by the last of @steps that is not above the value; three significant digits. */
static const char *with_unit(double value, const struct unit *steps, size_t n, char *out)
{
	size_t i = 0;
	double scaled;
	int decimals;

	while (i + 1 < n && value >= steps[i + 1].factor * 0.9995)
		i++;
	scaled = value / steps[i].factor;
	decimals = scaled >= 99.95 || (i == 0 && scaled == floor(scaled)) ? 0
		   : scaled >= 9.995                                      ? 1
									  : 2;
	snprintf(out, UNITS_TEXT, "%.*f%s", decimals, scaled, steps[i].suffix);
	return out;
}

const char *units_duration(double ns, char *out)
{
	static const struct unit steps[] = {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};

	return with_unit(ns, steps, 4, out);
}

const char *units_count(double count, char *out)
{
	static const struct unit steps[] = {{"", 1}, {"k", 1e3}, {"M", 1e6}, {"G", 1e9}};

	return with_unit(count, steps, 4, out);
}

const char *units_size(double bytes, char *out)
{
	static const struct unit steps[] = {
		{"B", 1}, {"KB", 1024}, {"MB", 1048576}, {"GB", 1 << 30}};

	return with_unit(bytes, steps, 4, out);
}
