#ifndef LIB_UTF8_H
#define LIB_UTF8_H

#include <stddef.h>

/**
 * utf8_len() - How many bytes the character at @at has, of UTF-8 that ends at a NUL: the Unicode
 *   Standard, table 3-7.
 *
 * Return: 1 to 4, for the NUL, too; 0 when it is none.
 */
static inline size_t utf8_len(const char *at)
{
	const unsigned char *p = (const unsigned char *)at;
	unsigned char lead = *p;
	size_t len = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
	unsigned char low = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
	unsigned char high = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;

	if (lead < 0x80)
		return 1;
	if (lead < 0xc2 || lead > 0xf4 || p[1] < low || p[1] > high)
		return 0;
	for (size_t i = 2; i < len; i++)
		if ((p[i] & 0xc0) != 0x80)
			return 0;
	return len;
}

#endif
