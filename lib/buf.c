#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/buf.h"

#define BUF_MIN_CAP 256 /* bytes of a first allocation; most requests and replies fit */

int buf_reserve(struct buf *b, size_t extra)
{
	size_t len = buf_len(b);
	size_t cap = b->cap > 0 ? b->cap : BUF_MIN_CAP;
	char *data;

	if (b->cap - b->end >= extra)
		return 0;
	if (extra > SIZE_MAX / 2 - len) {
		errno = ENOMEM;
		return -1;
	}

	/* Sliding the content to the front is cheap when at least half the memory is free. */
	if (b->start > 0 && len + extra <= b->cap / 2) {
		memmove(b->data, b->data + b->start, len);
		b->start = 0;
		b->end = len;
		return 0;
	}

	while (cap < len + extra)
		cap *= 2;
	data = malloc(cap);
	if (data == NULL) {
		errno = ENOMEM;
		return -1;
	}
	if (len > 0)
		memcpy(data, b->data + b->start, len);
	free(b->data);
	*b = (struct buf){.data = data, .end = len, .cap = cap};
	return 0;
}

int buf_append(struct buf *b, const void *data, size_t len)
{
	if (len == 0)
		return 0;
	if (buf_reserve(b, len) != 0)
		return -1;
	memcpy(b->data + b->end, data, len);
	b->end += len;
	return 0;
}

int buf_printf(struct buf *b, const char *format, ...)
{
	va_list args;
	int len;

	va_start(args, format);
	len = vsnprintf(NULL, 0, format, args);
	va_end(args);
	if (len < 0 || buf_reserve(b, (size_t)len + 1) != 0)
		return -1;

	va_start(args, format);
	vsnprintf(b->data + b->end, (size_t)len + 1, format, args);
	va_end(args);
	b->end += (size_t)len;
	return 0;
}

void buf_consume(struct buf *b, size_t len)
{
	b->start += len;
	if (b->start == b->end)
		buf_clear(b);
}

void buf_clear(struct buf *b)
{
	b->start = 0;
	b->end = 0;
}

void buf_free(struct buf *b)
{
	free(b->data);
	*b = (struct buf){0};
}
