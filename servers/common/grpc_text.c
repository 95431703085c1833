#include <string.h>

#include "lib/clock.h"
#include "servers/common/grpc_text.h"

#define TIMEOUT_DIGITS 8

static int64_t unit_ns(char unit)
{
	switch (unit) {
	case 'H':
		return 3600 * NS_PER_S;
	case 'M':
		return 60 * NS_PER_S;
	case 'S':
		return NS_PER_S;
	case 'm':
		return NS_PER_MS;
	case 'u':
		return NS_PER_US;
	case 'n':
		return 1;
	default:
		return 0;
	}
}

bool grpc_timeout_parse(struct slice text, int64_t *ns)
{
	int64_t value = 0;
	int64_t unit;

	if (text.len < 2 || text.len > TIMEOUT_DIGITS + 1)
		return false;
	for (size_t i = 0; i + 1 < text.len; i++) {
		if (text.data[i] < '0' || text.data[i] > '9')
			return false;
		value = value * 10 + (text.data[i] - '0');
	}
	unit = unit_ns(text.data[text.len - 1]);
	if (unit == 0)
		return false;
	*ns = value <= INT64_MAX / unit ? value * unit : INT64_MAX;
	return true;
}

static bool starts_with(struct slice text, const char *prefix)
{
	size_t len = strlen(prefix);

	return text.len >= len && memcmp(text.data, prefix, len) == 0;
}

bool grpc_is_type(struct slice text)
{
	size_t len = strlen("application/grpc");

	if (!starts_with(text, "application/grpc"))
		return false;
	if (starts_with(text, "application/grpc+proto"))
		len = strlen("application/grpc+proto");
	return text.len == len || text.data[len] == ';' || text.data[len] == ' ';
}

size_t grpc_message_encode(struct slice text, char *out)
{
	static const char digits[] = "0123456789ABCDEF";
	size_t n = 0;

	for (size_t i = 0; i < text.len; i++) {
		unsigned char byte = (unsigned char)text.data[i];

		if (byte >= ' ' && byte <= '~' && byte != '%') {
			out[n++] = (char)byte;
			continue;
		}
		out[n++] = '%';
		out[n++] = digits[byte >> 4];
		out[n++] = digits[byte & 15];
	}
	return n;
}
