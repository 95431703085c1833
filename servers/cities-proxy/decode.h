#ifndef SERVERS_CITIES_PROXY_DECODE_H
#define SERVERS_CITIES_PROXY_DECODE_H

#include <jansson.h>

#include "lib/slice.h"
#include "servers/common/cities.h"

/**
 * DOC: What the upstream sends, as a list of cities. Both forms have the same rules: country and
 * name are UTF-8 and end at a NUL, latitude is within 90 and longitude within 180 degrees.
 */

/** struct decoded - A list, with what its texts live in. */
struct decoded {
	struct cities cities;
	struct city *list;
	json_t *root;
	char *arena;
};

/**
 * decode_json() - Read {"cities":[…]}.
 *
 * Return: 0, or -1 when it is no such list or memory is short. decoded_free() is due in any case.
 */
int decode_json(struct decoded *decoded, struct slice body);

/** decode_protobuf() - Read a cityinfo.CitiesReply. Return: as decode_json(). */
int decode_protobuf(struct decoded *decoded, struct slice message);

/** decoded_free() - Free what it holds. */
void decoded_free(struct decoded *decoded);

#endif
