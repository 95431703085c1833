#include <protobuf-c/protobuf-c.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "city.pb-c.h"
#include "echo.pb-c.h"
#include "harness/proto.h"
#include "lib/buf.h"
#include "unpkg.pb-c.h"

#define NAME_MAX_LEN 64 /* bytes of a field's name with "_bytes" */

static const struct proto_call calls[] = {
	{"find_one", "/unpkg.Unpkg/FindOne", &unpkg__find_one_request__descriptor,
		&unpkg__find_one_response__descriptor},
	{"publish", "/unpkg.Unpkg/Publish", &unpkg__publish_request__descriptor,
		&unpkg__publish_response__descriptor},
	{"get_cities", "/cityinfo.GeoCity/GetCities", &google__protobuf__empty__descriptor,
		&cityinfo__cities_reply__descriptor},
	{"echo", "/echo.Streams/Call", &echo__call_request__descriptor,
		&echo__call_response__descriptor},
};

const struct proto_call *proto_call_find(const char *name)
{
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
		if (strcmp(calls[i].name, name) == 0)
			return &calls[i];
	return NULL;
}

/* Texts are lent to the message. */
static int set_field(
	ProtobufCMessage *message, const ProtobufCFieldDescriptor *field, const json_t *value)
{
	void *member = (char *)message + field->offset;

	if (field->type == PROTOBUF_C_TYPE_STRING && json_is_string(value)) {
		*(const char **)member = json_string_value(value);
		return 0;
	}
	if (field->type == PROTOBUF_C_TYPE_INT32 && json_is_integer(value)) {
		*(int32_t *)member = (int32_t)json_integer_value(value);
		return 0;
	}
	return -1;
}

int proto_encode(const ProtobufCMessageDescriptor *type, json_t *json, struct buf *out)
{
	ProtobufCMessage *message = calloc(1, type->sizeof_message);
	const char *key;
	json_t *value;
	int status = -1;

	if (message == NULL)
		return -1;
	type->message_init(message);
	json_object_foreach (json, key, value) {
		const ProtobufCFieldDescriptor *field =
			protobuf_c_message_descriptor_get_field_by_name(type, key);

		if (field == NULL || set_field(message, field, value) != 0)
			goto out;
	}
	if (buf_reserve(out, protobuf_c_message_get_packed_size(message)) != 0)
		goto out;
	out->end += protobuf_c_message_pack(message, (uint8_t *)buf_tail(out));
	status = 0;
out:
	free(message);
	return status;
}

/* The shortest number that reads back as the same float: nine digits always do. */
static json_t *float_to_json(float value)
{
	char text[32];

	for (int digits = 1; digits <= 9; digits++) {
		snprintf(text, sizeof(text), "%.*g", digits, (double)value);
		if (strtof(text, NULL) == value)
			break;
	}
	return json_real(strtod(text, NULL));
}

static json_t *message_to_json(const ProtobufCMessage *message);

static json_t *value_to_json(const ProtobufCFieldDescriptor *field, const void *member)
{
	switch (field->type) {
	case PROTOBUF_C_TYPE_STRING:
		return json_string(*(const char *const *)member);
	case PROTOBUF_C_TYPE_INT32:
		return json_integer(*(const int32_t *)member);
	case PROTOBUF_C_TYPE_FLOAT:
		return float_to_json(*(const float *)member);
	case PROTOBUF_C_TYPE_BYTES:
		return json_integer((json_int_t)((const ProtobufCBinaryData *)member)->len);
	case PROTOBUF_C_TYPE_MESSAGE:
		return message_to_json(*(const ProtobufCMessage *const *)member);
	default:
		return NULL;
	}
}

/* All lists of the suite are of messages. */
static json_t *list_to_json(const ProtobufCMessage *message, const ProtobufCFieldDescriptor *field)
{
	size_t n = *(const size_t *)((const char *)message + field->quantifier_offset);
	const void *const *items =
		*(const void *const *const *)((const char *)message + field->offset);
	json_t *list = json_array();

	for (size_t i = 0; i < n; i++)
		json_array_append_new(list, value_to_json(field, &items[i]));
	return list;
}

static json_t *message_to_json(const ProtobufCMessage *message)
{
	json_t *object;

	if (message == NULL)
		return json_null();
	object = json_object();
	for (unsigned i = 0; i < message->descriptor->n_fields; i++) {
		const ProtobufCFieldDescriptor *field = &message->descriptor->fields[i];
		bool bytes = field->type == PROTOBUF_C_TYPE_BYTES;
		char name[NAME_MAX_LEN];

		snprintf(name, sizeof(name), "%s%s", field->name, bytes ? "_bytes" : "");
		json_object_set_new(object, name,
			field->label == PROTOBUF_C_LABEL_REPEATED
				? list_to_json(message, field)
				: value_to_json(field, (const char *)message + field->offset));
	}
	return object;
}

json_t *proto_decode(const ProtobufCMessageDescriptor *type, struct slice bytes)
{
	ProtobufCMessage *message =
		protobuf_c_message_unpack(type, NULL, bytes.len, (const uint8_t *)bytes.data);
	json_t *json = message != NULL ? message_to_json(message) : NULL;

	if (message != NULL)
		protobuf_c_message_free_unpacked(message, NULL);
	return json;
}
