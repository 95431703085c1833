#ifndef SERVERS_CITIES_PROXY_DECODE_H
#define SERVERS_CITIES_PROXY_DECODE_H

#include "servers/common/cities.h"

struct buf;

/**
 * DOC: What the upstream sends, as a list of cities. Both forms have the same rules: country and
 * name are UTF-8 and end at a NUL, latitude is within 90 and longitude within 180 degrees.
 */

/** struct decoded - A list, with what its texts live in. */
struct decoded {
	struct cities cities;
	struct city *list;
	char *arena;
};

/**
 * decode_json() - Read {"cities":[…]}, with any further members beside those of a list and of a
 *   city, but no second one of theirs.
 * @body: is written over; the texts live in it and last as long.
 *
 * Return: 0, or -1 when it is no such list or memory is short. decoded_free() is due in any case.
 */
int decode_json(struct decoded *decoded, struct buf *body);

/** decode_protobuf() - Read a cityinfo.CitiesReply. @body: stays. Return: as decode_json(). */
int decode_protobuf(struct decoded *decoded, struct buf *body);

/** decoded_free() - Free what it holds. */
void decoded_free(struct decoded *decoded);

#endif
