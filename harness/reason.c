#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "harness/reason.h"

#define QUOTED_MAX 48

int reason_set(char *reason, const char *format, ...)
{
	va_list args;
	int len;

	va_start(args, format);
	len = vsnprintf(reason, REASON_MAX, format, args);
	va_end(args);
	if (len >= REASON_MAX) {
		/* UTF-8: a character that was cut ends in bytes of 0x80 and above. */
		size_t end = strlen(reason);

		while (end > 0 && (unsigned char)reason[end - 1] >= 0x80)
			end--;
		reason[end] = '\0';
	}
	return -1;
}

const char *reason_quote(const char *data, size_t len, char *out)
{
	size_t shown = len < QUOTED_MAX ? len : QUOTED_MAX;
	char *end = out;

	*end++ = '"';
	for (size_t i = 0; i < shown; i++)
		*end++ = data[i] >= ' ' && data[i] <= '~' ? data[i] : '?';
	*end++ = '"';
	memcpy(end, "...", 4);
	if (shown == len)
		*end = '\0';
	return out;
}
