#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "city.pb-c.h"
#include "echo.pb-c.h"
#include "google/protobuf/empty.pb-c.h"
#include "lib/buf.h"
#include "lib/utf8.h"
#include "servers/common/app.h"
#include "servers/common/cities.h"
#include "servers/common/rpc.h"
#include "unpkg.pb-c.h"

#define ARENA_BYTES 1024           /* holds a request of usual size */
#define HEAP_SPARE  (64 << 10)     /* what a request may take beside its own bytes */
#define ALIGNMENT   sizeof(void *) /* no field of a message needs more */

/*
 * Where a request is decoded to: on the stack as long as it fits, then on the heap up to a limit.
 * Without the limit, each unknown field of two bytes would take forty.
 */
struct arena {
	ProtobufCAllocator allocator;
	size_t used;
	size_t heap_left;
	_Alignas(ALIGNMENT) char bytes[ARENA_BYTES];
};

static void *arena_alloc(void *data, size_t size)
{
	struct arena *arena = data;
	size_t rounded = (size + ALIGNMENT - 1) & ~(ALIGNMENT - 1);
	void *at = arena->bytes + arena->used;

	if (rounded <= ARENA_BYTES - arena->used) {
		arena->used += rounded;
		return at;
	}
	if (size > arena->heap_left)
		return NULL;
	arena->heap_left -= size;
	return malloc(size);
}

static void arena_free(void *data, void *pointer)
{
	struct arena *arena = data;
	uintptr_t at = (uintptr_t)pointer;
	uintptr_t begin = (uintptr_t)arena->bytes;

	if (at < begin || at >= begin + ARENA_BYTES)
		free(pointer);
}

bool rpc_is_utf8(const char *text)
{
	size_t len;

	for (; *text != '\0'; text += len) {
		len = utf8_len(text);
		if (len == 0)
			return false;
	}
	return true;
}

/* Return: the message, to be freed with the arena's allocator; NULL when it does not decode. */
static void *decode(
	struct arena *arena, const ProtobufCMessageDescriptor *type, struct slice request)
{
	arena->allocator = (ProtobufCAllocator){arena_alloc, arena_free, arena};
	arena->used = 0;
	arena->heap_left = request.len + HEAP_SPARE;
	return protobuf_c_message_unpack(
		type, &arena->allocator, request.len, (const uint8_t *)request.data);
}

static enum rpc_code undecoded(const ProtobufCMessageDescriptor *type, char *message)
{
	snprintf(message, RPC_MESSAGE_MAX, "the request is no %s", type->name);
	return RPC_INVALID_ARGUMENT;
}

static enum rpc_code encode(const ProtobufCMessage *reply, struct buf *out, char *message)
{
	if (buf_reserve(out, protobuf_c_message_get_packed_size(reply)) != 0) {
		snprintf(message, RPC_MESSAGE_MAX, "out of memory");
		return RPC_INTERNAL;
	}
	out->end += protobuf_c_message_pack(reply, (uint8_t *)buf_tail(out));
	return RPC_OK;
}

static enum rpc_code find_one(
	const struct rpc_data *data, struct slice request, struct buf *out, char *message)
{
	struct arena arena;
	Unpkg__FindOneRequest *asked =
		decode(&arena, &unpkg__find_one_request__descriptor, request);
	Unpkg__FindOneResponse reply = UNPKG__FIND_ONE_RESPONSE__INIT;
	Unpkg__Repository repository = UNPKG__REPOSITORY__INIT;
	struct app_package package;
	bool valid = asked != NULL && rpc_is_utf8(asked->name);

	(void)data;
	if (valid)
		app_find_one(asked->name, &package);
	unpkg__find_one_request__free_unpacked(asked, &arena.allocator);
	if (!valid)
		return undecoded(&unpkg__find_one_request__descriptor, message);

	repository.type = (char *)package.repository.type;
	repository.url = (char *)package.repository.url;
	reply.name = (char *)package.name;
	reply.version = (char *)package.version;
	reply.description = (char *)package.description;
	reply.main = (char *)package.main;
	reply.repository = &repository;
	reply.author = (char *)package.author;
	reply.license = (char *)package.license;
	return encode(&reply.base, out, message);
}

static enum rpc_code publish(
	const struct rpc_data *data, struct slice request, struct buf *out, char *message)
{
	struct arena arena;
	Unpkg__PublishRequest *asked = decode(&arena, &unpkg__publish_request__descriptor, request);
	Unpkg__PublishResponse reply = UNPKG__PUBLISH_RESPONSE__INIT;
	struct app_publish_reply answer;
	bool valid = asked != NULL && rpc_is_utf8(asked->name);

	(void)data;
	if (valid)
		app_publish(asked->name, asked->version, &answer);
	unpkg__publish_request__free_unpacked(asked, &arena.allocator);
	if (!valid)
		return undecoded(&unpkg__publish_request__descriptor, message);

	reply.code = answer.code;
	reply.message = answer.message;
	return encode(&reply.base, out, message);
}

static enum rpc_code echo(
	const struct rpc_data *data, struct slice request, struct buf *out, char *message)
{
	struct arena arena;
	Echo__CallRequest *asked = decode(&arena, &echo__call_request__descriptor, request);
	Echo__CallResponse reply = ECHO__CALL_RESPONSE__INIT;
	struct app_echo_reply answer;
	bool valid = asked != NULL && rpc_is_utf8(asked->name);

	(void)data;
	if (valid)
		app_echo(asked->name, &answer);
	echo__call_request__free_unpacked(asked, &arena.allocator);
	if (!valid)
		return undecoded(&echo__call_request__descriptor, message);
	if (answer.failed) {
		snprintf(message, RPC_MESSAGE_MAX, "%.*s", RPC_MESSAGE_MAX - 1, answer.message);
		return RPC_INTERNAL;
	}

	reply.msg = answer.message;
	reply.payload.data = answer.payload;
	reply.payload.len = answer.payload_len;
	return encode(&reply.base, out, message);
}

/* What the message of a list of cities is made of, in one piece of memory. */
struct cities_message {
	Cityinfo__CitiesReply reply;
	Cityinfo__City **pointers;
	Cityinfo__City cities[];
};

static struct cities_message *cities_message_new(const struct cities *cities)
{
	size_t n = cities->n;
	struct cities_message *m = malloc(sizeof(*m) + n * (sizeof(*m->cities) + sizeof(void *)));

	if (m == NULL)
		return NULL;
	m->pointers = (Cityinfo__City **)&m->cities[n];
	cityinfo__cities_reply__init(&m->reply);
	m->reply.n_cities = n;
	m->reply.cities = m->pointers;
	for (size_t i = 0; i < n; i++) {
		const struct city *city = &cities->list[i];

		cityinfo__city__init(&m->cities[i]);
		m->cities[i].country = (char *)city->country;
		m->cities[i].name = (char *)city->name;
		m->cities[i].lat = city->lat;
		m->cities[i].lng = city->lng;
		m->pointers[i] = &m->cities[i];
	}
	return m;
}

static enum rpc_code get_cities(
	const struct rpc_data *data, struct slice request, struct buf *out, char *message)
{
	struct arena arena;
	Google__Protobuf__Empty *asked =
		decode(&arena, &google__protobuf__empty__descriptor, request);
	struct cities_message *answer;
	enum rpc_code code;

	if (asked == NULL)
		return undecoded(&google__protobuf__empty__descriptor, message);
	google__protobuf__empty__free_unpacked(asked, &arena.allocator);
	if (data->cities == NULL) {
		snprintf(message, RPC_MESSAGE_MAX, "no cities are served here");
		return RPC_UNIMPLEMENTED;
	}
	answer = cities_message_new(data->cities);
	if (answer == NULL) {
		snprintf(message, RPC_MESSAGE_MAX, "out of memory");
		return RPC_INTERNAL;
	}
	code = encode(&answer->reply.base, out, message);
	free(answer);
	return code;
}

const struct rpc_method *rpc_find(struct slice path)
{
	for (const struct rpc_method *method = rpc_methods; method->path != NULL; method++)
		if (slice_eq(path, slice_of(method->path)))
			return method;
	return NULL;
}

const struct rpc_method rpc_methods[] = {
	{"/unpkg.Unpkg/FindOne", find_one},
	{"/unpkg.Unpkg/Publish", publish},
	{"/cityinfo.GeoCity/GetCities", get_cities},
	{"/echo.Streams/Call", echo},
	{0},
};
