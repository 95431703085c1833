#ifndef LIB_BYTES_H
#define LIB_BYTES_H

#include <stdint.h>

/** bytes_get_u32() - The number in four bytes of network order. */
static inline uint32_t bytes_get_u32(const char *at)
{
	const unsigned char *b = (const unsigned char *)at;

	return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
}

/** bytes_put_u32() - Write a number as four bytes in network order. */
static inline void bytes_put_u32(char *at, uint32_t value)
{
	at[0] = (char)(value >> 24);
	at[1] = (char)(value >> 16);
	at[2] = (char)(value >> 8);
	at[3] = (char)value;
}

#endif
