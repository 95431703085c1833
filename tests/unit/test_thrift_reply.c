#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>
#include <thrift/c_glib/protocol/thrift_binary_protocol.h>
#include <thrift/c_glib/protocol/thrift_compact_protocol.h>
#include <thrift/c_glib/transport/thrift_framed_transport.h>
#include <thrift/c_glib/transport/thrift_memory_buffer.h>

#include "lib/buf.h"
#include "servers/common/app.h"
#include "servers/common/thrift_conn.h"
#include "servers/common/thrift_types.h"
#include "tests/unit/thrift_golden.h"
#include "unpkg_unpkg_service.h"

static const struct variant {
	const char *golden; /* its encoding's name there */
	struct thrift_variant variant;
} variants[] = {
	{"binary", {THRIFT_BINARY, false}},
	{"binary", {THRIFT_BINARY, true}},
	{"old", {THRIFT_BINARY, false}},
	{"old", {THRIFT_BINARY, true}},
	{"compact", {THRIFT_COMPACT, true}},
};

/* Calls @check with each variant. */
static void for_each_variant(void (*check)(const struct variant *v))
{
	for (size_t i = 0; i < G_N_ELEMENTS(variants); i++)
		check(&variants[i]);
}

/* A connection without a socket. */
struct conn {
	struct srv_options options;
	struct stream_protocol protocol;
	struct srv_spec spec;
	struct srv_worker worker;
	void *state;
	struct buf out;
};

static void conn_open(struct conn *conn, const struct thrift_variant *variant)
{
	memset(conn, 0, sizeof(*conn));
	conn->options.body_limit = 16 << 20;
	conn->protocol = (struct stream_protocol){.ops = &thrift_conn_ops, .arg = variant};
	conn->spec.arg = &conn->protocol;
	conn->worker = (struct srv_worker){.options = &conn->options, .spec = &conn->spec};
	conn->state = calloc(1, thrift_conn_ops.state_size);
	assert_non_null(conn->state);
	assert_int_equal(thrift_conn_ops.open(conn->state, NULL, &conn->worker), 0);
}

static ssize_t conn_input(struct conn *conn, const struct buf *data)
{
	return thrift_conn_ops.input(conn->state, buf_head(data), buf_len(data), &conn->out);
}

static void conn_close(struct conn *conn)
{
	thrift_conn_ops.close(conn->state);
	free(conn->state);
	buf_free(&conn->out);
}

/* Appends a message in the variant's frame, if it has one. */
static void add(struct buf *to, const struct thrift_variant *variant, const void *data, size_t len)
{
	uint32_t size = htonl((uint32_t)len);

	if (variant->framed)
		assert_int_equal(buf_append(to, &size, 4), 0);
	assert_int_equal(buf_append(to, data, len), 0);
}

/* Replies are those of Python's library, byte for byte, one call after the other and at once. */
static void check_golden_replies(const struct variant *v)
{
	static const char *const calls[] = {"find_one", "publish"};
	struct buf requests = {0};
	struct buf replies = {0};
	struct conn conn;

	for (int i = 0; i < 20; i++) {
		struct golden golden;
		char name[32];

		golden_get(v->golden, calls[i % 2], &golden);
		add(&requests, &v->variant, golden.data, golden.len);
		snprintf(name, sizeof(name), "%s_reply", calls[i % 2]);
		golden_get(v->golden, name, &golden);
		add(&replies, &v->variant, golden.data, golden.len);
	}
	conn_open(&conn, &v->variant);
	assert_int_equal(conn_input(&conn, &requests), buf_len(&requests));
	assert_int_equal(buf_len(&conn.out), buf_len(&replies));
	assert_memory_equal(buf_head(&conn.out), buf_head(&replies), buf_len(&replies));
	conn_close(&conn);
	buf_free(&requests);
	buf_free(&replies);
}

static void test_golden_replies(void **state)
{
	(void)state;
	for_each_variant(check_golden_replies);
}

/* A client of the generated code, over the library's own transports and protocols. */
struct client {
	ThriftMemoryBuffer *memory;
	ThriftTransport *transport;
	ThriftProtocol *protocol;
	UnpkgUnpkgServiceClient *client;
};

static void client_open(struct client *client, const struct thrift_variant *variant)
{
	client->memory = g_object_new(THRIFT_TYPE_MEMORY_BUFFER, "buf_size", 1 << 20, NULL);
	client->transport = THRIFT_TRANSPORT(client->memory);
	if (variant->framed)
		client->transport = g_object_new(
			THRIFT_TYPE_FRAMED_TRANSPORT, "transport", client->memory, NULL);
	client->protocol =
		g_object_new(variant->encoding == THRIFT_COMPACT ? THRIFT_TYPE_COMPACT_PROTOCOL
								 : THRIFT_TYPE_BINARY_PROTOCOL,
			"transport", client->transport, NULL);
	client->client = g_object_new(UNPKG_TYPE_UNPKG_SERVICE_CLIENT, "input_protocol",
		client->protocol, "output_protocol", client->protocol, NULL);
}

static void client_close(struct client *client)
{
	g_object_unref(client->client);
	g_object_unref(client->protocol);
	if (client->transport != THRIFT_TRANSPORT(client->memory))
		g_object_unref(client->transport);
	g_object_unref(client->memory);
}

/* Hands what the client has written to the server, and its reply to the client. */
static void exchange(struct client *client, struct conn *conn)
{
	GByteArray *bytes = client->memory->buf;
	struct buf request = {0};

	assert_int_equal(buf_append(&request, bytes->data, bytes->len), 0);
	g_byte_array_set_size(bytes, 0);
	assert_int_equal(conn_input(conn, &request), buf_len(&request));
	g_byte_array_append(bytes, (guint8 *)buf_head(&conn->out), (guint)buf_len(&conn->out));
	buf_clear(&conn->out);
	buf_free(&request);
}

static void assert_package_equal(const UnpkgFindOneResponse *reply, const struct app_package *want)
{
	assert_string_equal(reply->name, want->name);
	assert_string_equal(reply->version, want->version);
	assert_string_equal(reply->description, want->description);
	assert_string_equal(reply->main, want->main);
	assert_string_equal(reply->repository->type, want->repository.type);
	assert_string_equal(reply->repository->url, want->repository.url);
	assert_string_equal(reply->author, want->author);
	assert_string_equal(reply->license, want->license);
}

static void check_find_one_is_the_handlers(const struct variant *v)
{
	UnpkgFindOneRequest *request = g_object_new(UNPKG_TYPE_FIND_ONE_REQUEST, NULL);
	UnpkgFindOneResponse *reply = g_object_new(UNPKG_TYPE_FIND_ONE_RESPONSE, NULL);
	struct app_package want;
	struct client client;
	struct conn conn;

	conn_open(&conn, &v->variant);
	client_open(&client, &v->variant);
	assert_true(unpkg_unpkg_service_client_send_find_one(
		UNPKG_UNPKG_SERVICE_IF(client.client), request, NULL));
	exchange(&client, &conn);
	assert_true(unpkg_unpkg_service_client_recv_find_one(
		UNPKG_UNPKG_SERVICE_IF(client.client), &reply, NULL));
	app_find_one("koa-suit", &want);
	assert_package_equal(reply, &want);
	assert_int_equal(client.memory->buf->len, 0);
	client_close(&client);
	conn_close(&conn);
	g_object_unref(request);
	g_object_unref(reply);
}

static void test_find_one_is_the_handlers(void **state)
{
	(void)state;
	for_each_variant(check_find_one_is_the_handlers);
}

static void check_publish_is_the_handlers(const struct variant *v)
{
	UnpkgPublishRequest *request =
		g_object_new(UNPKG_TYPE_PUBLISH_REQUEST, "name", "a", "version", INT32_MIN, NULL);
	UnpkgPublishResponse *reply = g_object_new(UNPKG_TYPE_PUBLISH_RESPONSE, NULL);
	struct client client;
	struct conn conn;

	conn_open(&conn, &v->variant);
	client_open(&client, &v->variant);
	assert_true(unpkg_unpkg_service_client_send_publish(
		UNPKG_UNPKG_SERVICE_IF(client.client), request, NULL));
	exchange(&client, &conn);
	assert_true(unpkg_unpkg_service_client_recv_publish(
		UNPKG_UNPKG_SERVICE_IF(client.client), &reply, NULL));
	assert_int_equal(reply->code, 0);
	assert_string_equal(reply->message, "a@-2147483648");
	client_close(&client);
	conn_close(&conn);
	g_object_unref(request);
	g_object_unref(reply);
}

static void test_publish_is_the_handlers(void **state)
{
	(void)state;
	for_each_variant(check_publish_is_the_handlers);
}

/* Once the replies fill the buffer, the rest waits, whole. */
static void check_stops_when_replies_pile_up(const struct variant *v)
{
	struct buf requests = {0};
	struct golden golden;
	struct conn conn;
	size_t reply_len;
	size_t count = 5000;
	size_t replies = 0;

	golden_get(v->golden, "find_one_reply", &golden);
	reply_len = golden.len + (v->variant.framed ? 4 : 0);
	golden_get(v->golden, "find_one", &golden);
	for (size_t i = 0; i < count; i++)
		add(&requests, &v->variant, golden.data, golden.len);
	conn_open(&conn, &v->variant);
	while (buf_len(&requests) > 0) {
		ssize_t taken = conn_input(&conn, &requests);

		assert_true(taken > 0);
		assert_int_equal((size_t)taken % (buf_len(&requests) / (count - replies)), 0);
		assert_true(buf_len(&conn.out) < STREAM_OUT_HIGH + reply_len);
		assert_int_equal(buf_len(&conn.out) % reply_len, 0);
		replies += buf_len(&conn.out) / reply_len;
		buf_consume(&requests, (size_t)taken);
		buf_clear(&conn.out);
	}
	assert_int_equal(replies, count);
	assert_false(thrift_conn_ops.busy(conn.state));
	conn_close(&conn);
	buf_free(&requests);
}

static void test_stops_when_replies_pile_up(void **state)
{
	(void)state;
	for_each_variant(check_stops_when_replies_pile_up);
}

/* A oneway call with fields of all types, of a method that is not there, is skipped whole. */
static void check_all_types_are_skipped(const struct variant *v)
{
	struct buf data = {0};
	struct golden golden;
	struct conn conn;

	golden_get(v->golden, "all_types", &golden);
	add(&data, &v->variant, golden.data, golden.len);
	golden_get(v->golden, "find_one", &golden);
	add(&data, &v->variant, golden.data, golden.len);
	conn_open(&conn, &v->variant);
	assert_int_equal(conn_input(&conn, &data), buf_len(&data));
	golden_get(v->golden, "find_one_reply", &golden);
	buf_clear(&data);
	add(&data, &v->variant, golden.data, golden.len);
	assert_int_equal(buf_len(&conn.out), buf_len(&data));
	assert_memory_equal(buf_head(&conn.out), buf_head(&data), buf_len(&data));
	conn_close(&conn);
	buf_free(&data);
}

static void test_all_types_are_skipped(void **state)
{
	(void)state;
	for_each_variant(check_all_types_are_skipped);
}

/* What came before bad bytes is answered; a message is busy until it is whole. */
static void check_bad_and_half_messages(const struct variant *v)
{
	struct buf data = {0};
	struct golden golden;
	struct conn conn;
	ssize_t one;

	golden_get(v->golden, "find_one", &golden);
	add(&data, &v->variant, golden.data, golden.len);
	one = (ssize_t)buf_len(&data);
	add(&data, &v->variant, golden.data, golden.len);
	data.end--;
	conn_open(&conn, &v->variant);
	assert_int_equal(conn_input(&conn, &data), one);
	assert_true(thrift_conn_ops.busy(conn.state));
	assert_true(buf_len(&conn.out) > 0);
	conn_close(&conn);

	data.end = data.start + (size_t)one;
	add(&data, &v->variant, "\xff\xff\xff\xff", 4);
	conn_open(&conn, &v->variant);
	assert_int_equal(conn_input(&conn, &data), -1);
	assert_true(buf_len(&conn.out) > 0);
	conn_close(&conn);
	buf_free(&data);
}

static void test_bad_and_half_messages(void **state)
{
	(void)state;
	for_each_variant(check_bad_and_half_messages);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_golden_replies),
		cmocka_unit_test(test_find_one_is_the_handlers),
		cmocka_unit_test(test_publish_is_the_handlers),
		cmocka_unit_test(test_stops_when_replies_pile_up),
		cmocka_unit_test(test_all_types_are_skipped),
		cmocka_unit_test(test_bad_and_half_messages),
	};

	thrift_types_register();
	thrift_types_mend(THRIFT_TYPE_MEMORY_BUFFER);
	thrift_types_mend(THRIFT_TYPE_FRAMED_TRANSPORT);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
