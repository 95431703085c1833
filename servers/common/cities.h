#ifndef SERVERS_COMMON_CITIES_H
#define SERVERS_COMMON_CITIES_H

#include <stddef.h>

/** struct city - A city of the world; see cities-1500.ATTRIBUTION.md for the source. */
struct city {
	const char *country; /* ISO 3166-1 alpha-2 */
	const char *name;    /* UTF-8 */
	float lat;           /* degrees, WGS 84 */
	float lng;
};

/** struct cities - A list of them; constant once loaded, so that threads may share it. */
struct cities {
	const struct city *list;
	size_t n;
};

/**
 * cities_load() - Read {"cities":[{"country","name","lat","lng"},…]} from a file.
 * @path: NULL for the 1500 cities that come with the servers, found beside the program.
 *
 * Return: owned by the caller; NULL after a message that names the file, and the line or the
 *   city and key that is wrong.
 */
struct cities *cities_load(const char *path);

/** cities_free() - Also of NULL. */
void cities_free(struct cities *cities);

#endif
