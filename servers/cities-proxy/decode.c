#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "city.pb-c.h"
#include "lib/buf.h"
#include "servers/cities-proxy/decode.h"
#include "servers/cities-proxy/json.h"
#include "servers/common/rpc.h"

/* A message of many small cities takes more memory than it has bytes; a list of real ones takes a
 * sixth of this. */
#define ARENA_FACTOR  24
#define ARENA_EXTRA   (16 << 10)
#define CITY_JSON_MIN 40             /* bytes of the shortest city */
#define ALIGNMENT     sizeof(void *) /* no field of a message needs more */

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

/* The fields of a city, to be or-ed. */
enum { COUNTRY = 1 << 0, NAME = 1 << 1, LAT = 1 << 2, LNG = 1 << 3, ALL = (1 << 4) - 1 };

/* A city on its way in. */
struct draft {
	struct city city;
	unsigned seen;
};

static unsigned find_field(struct slice key)
{
	if (slice_eq(key, slice_of("country")))
		return COUNTRY;
	if (slice_eq(key, slice_of("name")))
		return NAME;
	if (slice_eq(key, slice_of("lat")))
		return LAT;
	return slice_eq(key, slice_of("lng")) ? LNG : 0;
}

static bool read_text(struct json *json, const char **text)
{
	struct slice slice;

	if (!json_text(json, &slice))
		return false;
	*text = slice.data;
	return true;
}

static bool read_degrees(struct json *json, double limit, float *degrees)
{
	double number;

	if (!json_number(json, &number))
		return false;
	*degrees = (float)number;
	return is_within(*degrees, limit);
}

static bool read_field(struct json *json, void *arg)
{
	struct draft *draft = arg;
	struct slice key;
	unsigned field;

	if (!json_key(json, &key))
		return false;
	field = find_field(key);
	if (draft->seen & field)
		return false;
	draft->seen |= field;
	switch (field) {
	case COUNTRY:
		return read_text(json, &draft->city.country);
	case NAME:
		return read_text(json, &draft->city.name);
	case LAT:
		return read_degrees(json, 90, &draft->city.lat);
	case LNG:
		return read_degrees(json, 180, &draft->city.lng);
	default:
		return json_skip(json);
	}
}

static bool read_city(struct json *json, void *arg)
{
	struct decoded *decoded = arg;
	struct draft draft = {0};

	if (!json_each(json, "{}", read_field, &draft) || draft.seen != ALL)
		return false;
	decoded->list[decoded->cities.n++] = draft.city;
	return true;
}

/* A list on its way in. */
struct draft_list {
	struct decoded *decoded;
	bool seen;
};

static bool read_member(struct json *json, void *arg)
{
	struct draft_list *draft = arg;
	struct slice key;

	if (!json_key(json, &key))
		return false;
	if (!slice_eq(key, slice_of("cities")))
		return json_skip(json);
	if (draft->seen)
		return false;
	draft->seen = true;
	return json_each(json, "[]", read_city, draft->decoded);
}

int decode_json(struct decoded *decoded, struct buf *body)
{
	struct draft_list draft = {.decoded = decoded};
	struct json json = {0};

	*decoded = (struct decoded){0};
	if (buf_append(body, "", 1) != 0 || take_list(decoded, buf_len(body) / CITY_JSON_MIN) != 0)
		return -1;
	decoded->cities.n = 0;
	json.at = buf_head(body);
	if (!json_each(&json, "{}", read_member, &draft) || !draft.seen)
		return -1;
	return json_take(&json, '\0') && json.at == buf_tail(body) ? 0 : -1;
}

int decode_protobuf(struct decoded *decoded, struct buf *body)
{
	struct arena arena = {.allocator = {arena_alloc, arena_free, &arena}};
	const Cityinfo__CitiesReply *reply;

	*decoded = (struct decoded){0};
	arena.size = buf_len(body) * ARENA_FACTOR + ARENA_EXTRA;
	arena.bytes = decoded->arena = malloc(arena.size);
	if (arena.bytes == NULL)
		return -1;
	reply = cityinfo__cities_reply__unpack(
		&arena.allocator, buf_len(body), (const uint8_t *)buf_head(body));
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
}
