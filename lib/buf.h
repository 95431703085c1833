#ifndef LIB_BUF_H
#define LIB_BUF_H

#include <stddef.h>

/**
 * struct buf - A growing queue of bytes: appended at the end, consumed at the front.
 *
 * A zeroed struct is an empty buffer. Invariant: start <= end <= cap. Bytes [start, end) are
 * the content; pointers into it are valid until the next append, reserve or free.
 */
struct buf {
	char *data;
	size_t start;
	size_t end;
	size_t cap;
};

/** buf_len() - Number of bytes held. */
static inline size_t buf_len(const struct buf *b)
{
	return b->end - b->start;
}

/** buf_head() - The first byte held. */
static inline char *buf_head(const struct buf *b)
{
	return b->data + b->start;
}

/** buf_tail() - Where the next byte goes; buf_reserve() says how many fit. */
static inline char *buf_tail(const struct buf *b)
{
	return b->data + b->end;
}

/**
 * buf_reserve() - Make room for at least @extra bytes at the tail.
 *
 * Return: 0, or -1 with errno ENOMEM and the content untouched.
 */
int buf_reserve(struct buf *b, size_t extra);

/**
 * buf_append() - Copy @len bytes to the tail.
 *
 * Return: 0, or -1 with errno ENOMEM and the content untouched.
 */
int buf_append(struct buf *b, const void *data, size_t len);

/** buf_printf() - Append formatted text. Return: 0, or -1 with errno ENOMEM. */
int buf_printf(struct buf *b, const char *format, ...) __attribute__((format(printf, 2, 3)));

/** buf_consume() - Drop @len bytes from the front; @len is at most buf_len(). */
void buf_consume(struct buf *b, size_t len);

/** buf_clear() - Drop the content, keep the memory. */
void buf_clear(struct buf *b);

/** buf_free() - Let go of the memory; the buffer is empty and usable afterwards. */
void buf_free(struct buf *b);

#endif
