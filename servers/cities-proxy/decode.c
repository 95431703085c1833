#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "city.pb-c.h"
#include "servers/cities-proxy/decode.h"
#include "servers/common/rpc.h"

/* A message of many small cities takes more memory than it has bytes; a list of real ones takes a
 * sixth of this. */
#define ARENA_FACTOR 24
#define ARENA_EXTRA  (16 << 10)
#define ALIGNMENT    sizeof(void *) /* no field of a message needs more */

/* Memory that is freed as a whole. */
struct arena {
	ProtobufCAllocator allocator;
	char *bytes;
	size_t used;
	size_t size;
};

static void *arena_alloc(void *data, size_t size)
{
	struct arena *arena = data;
	size_t rounded = (size + ALIGNMENT - 1) & ~(ALIGNMENT - 1);
	void *at = arena->bytes + arena->used;

	if (rounded < size || rounded > arena->size - arena->used)
		return NULL;
	arena->used += rounded;
	return at;
}

static void arena_free(void *data, void *pointer)
{
	(void)data;
	(void)pointer;
}

static int take_list(struct decoded *decoded, size_t n)
{
	decoded->list = malloc((n > 0 ? n : 1) * sizeof(*decoded->list));
	decoded->cities = (struct cities){.list = decoded->list, .n = n};
	return decoded->list != NULL ? 0 : -1;
}

/* False for not-a-number, too. */
static bool is_within(double degrees, double limit)
{
	return degrees >= -limit && degrees <= limit;
}

static int decode_city(const json_t *from, struct city *city)
{
	const json_t *lat = json_object_get(from, "lat");
	const json_t *lng = json_object_get(from, "lng");

	city->country = json_string_value(json_object_get(from, "country"));
	city->name = json_string_value(json_object_get(from, "name"));
	city->lat = (float)json_number_value(lat);
	city->lng = (float)json_number_value(lng);
	if (city->country == NULL || city->name == NULL || !json_is_number(lat) ||
		!json_is_number(lng))
		return -1;
	return is_within(city->lat, 90) && is_within(city->lng, 180) ? 0 : -1;
}

int decode_json(struct decoded *decoded, struct slice body)
{
	const json_t *list;

	*decoded = (struct decoded){0};
	decoded->root = json_loadb(body.data, body.len, 0, NULL);
	list = json_object_get(decoded->root, "cities");
	if (!json_is_array(list) || take_list(decoded, json_array_size(list)) != 0)
		return -1;
	for (size_t i = 0; i < decoded->cities.n; i++)
		if (decode_city(json_array_get(list, i), &decoded->list[i]) != 0)
			return -1;
	return 0;
}

int decode_protobuf(struct decoded *decoded, struct slice message)
{
	struct arena arena = {.allocator = {arena_alloc, arena_free, &arena}};
	const Cityinfo__CitiesReply *reply;

	*decoded = (struct decoded){0};
	arena.size = message.len * ARENA_FACTOR + ARENA_EXTRA;
	arena.bytes = decoded->arena = malloc(arena.size);
	if (arena.bytes == NULL)
		return -1;
	reply = cityinfo__cities_reply__unpack(
		&arena.allocator, message.len, (const uint8_t *)message.data);
	if (reply == NULL || take_list(decoded, reply->n_cities) != 0)
		return -1;
	for (size_t i = 0; i < decoded->cities.n; i++) {
		const Cityinfo__City *city = reply->cities[i];

		if (!rpc_is_utf8(city->country) || !rpc_is_utf8(city->name) ||
			!is_within(city->lat, 90) || !is_within(city->lng, 180))
			return -1;
		decoded->list[i] = (struct city){city->country, city->name, city->lat, city->lng};
	}
	return 0;
}

void decoded_free(struct decoded *decoded)
{
	free(decoded->list);
	free(decoded->arena);
	json_decref(decoded->root);
}
