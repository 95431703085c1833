/* Thrift's binary protocol, framed or not. Every method returns a string. */
#include <stdlib.h>
#include <string.h>

#include "lib/bytes.h"
#include "tests/badserver/conn.h"

#define VERSION   UINT32_C(0x80010000)
#define FRAME_MAX (16 << 20)
#define DEPTH_MAX 16

enum { T_STOP, T_STRING = 11, T_I32 = 8, T_STRUCT = 12, T_MAP = 13, T_SET = 14, T_LIST = 15 };
enum { M_REPLY = 2, M_EXCEPTION = 3 };

/* A call on its way in. */
struct reader {
	const char *at;
	size_t left;
	bool partial;
	bool bad;
};

static void *thrift_open(struct conn *conn, const struct acts *acts)
{
	static char state; /* nothing to remember */

	(void)conn;
	(void)acts;
	return &state;
}

/* ------------------------------------------------------------------ calls */

static const char *take(struct reader *r, size_t n)
{
	const char *at = r->at;

	if (r->bad || r->partial || n > FRAME_MAX) {
		r->bad |= n > FRAME_MAX;
		return NULL;
	}
	if (n > r->left) {
		r->partial = true;
		return NULL;
	}
	r->at += n;
	r->left -= n;
	return at;
}

static uint32_t take_u32(struct reader *r)
{
	const char *at = take(r, 4);

	return at != NULL ? bytes_get_u32(at) : 0;
}

static int take_u8(struct reader *r)
{
	const char *at = take(r, 1);

	return at != NULL ? (unsigned char)*at : 0;
}

static void skip(struct reader *r, int type, int depth);

static void skip_list(struct reader *r, bool map, int depth)
{
	int key = map ? take_u8(r) : T_STOP;
	int value = take_u8(r);

	for (uint32_t n = take_u32(r); n > 0 && !r->bad && !r->partial; n--) {
		if (map)
			skip(r, key, depth);
		skip(r, value, depth);
	}
}

static void skip_struct(struct reader *r, int depth)
{
	for (int type = take_u8(r); type != T_STOP && !r->bad && !r->partial; type = take_u8(r)) {
		take(r, 2);
		skip(r, type, depth);
	}
}

static void skip(struct reader *r, int type, int depth)
{
	static const unsigned char sizes[T_STRING] = {
		[2] = 1, [3] = 1, [4] = 8, [6] = 2, [T_I32] = 4, [10] = 8};

	r->bad |= depth > DEPTH_MAX;
	if (r->bad || type == T_STRING)
		take(r, take_u32(r));
	else if (type == T_STRUCT)
		skip_struct(r, depth + 1);
	else if (type == T_MAP || type == T_SET || type == T_LIST)
		skip_list(r, type == T_MAP, depth + 1);
	else if (type < T_STRING && sizes[type] > 0)
		take(r, sizes[type]);
	else
		r->bad = true;
}

/* ------------------------------------------------------------------ replies */

static void put_u32(struct buf *out, uint32_t value)
{
	char bytes[4];

	bytes_put_u32(bytes, value);
	buf_append(out, bytes, sizeof(bytes));
}

static void put_field(struct buf *out, int type, int id)
{
	char bytes[3] = {(char)type, (char)(id >> 8), (char)id};

	buf_append(out, bytes, sizeof(bytes));
}

static void put_bytes(struct buf *out, const char *data, size_t len, bool last, void *ctx)
{
	(void)last;
	(void)ctx;
	buf_append(out, data, len);
}

static void put_exception(struct buf *out, int64_t type)
{
	static const char text[] = "as the script says";

	put_field(out, T_STRING, 1);
	put_u32(out, sizeof(text) - 1);
	buf_append(out, text, sizeof(text) - 1);
	put_field(out, T_I32, 2);
	put_u32(out, (uint32_t)type);
}

static void put_result(struct reply *r, const struct acts *a)
{
	int64_t field = act_number(a, ACT_FIELD, 0);
	uint32_t len = (uint32_t)act_number(a, ACT_BODY, 2);

	if (field < 0)
		return;
	put_field(&r->head, field == 0 ? T_STRING : T_STRUCT, (int)field);
	if (field > 0) {
		buf_append(&r->head, "", 1);
		return;
	}
	if (has(a, ACT_LENGTH) && conn_proto() == PROTO_THRIFT_BINARY)
		len = (uint32_t)a->number[ACT_LENGTH];
	put_u32(&r->head, len);
	reply_body(r, a, 64 << 10, put_bytes, NULL);
}

static uint64_t length_of(const struct reply *r)
{
	return buf_len(&r->head) + buf_len(&r->pattern) * r->times + buf_len(&r->tail);
}

static void reply(struct conn *conn, const struct acts *a, struct slice name, uint32_t seqid)
{
	bool framed = conn_proto() == PROTO_THRIFT_FRAMED;
	int64_t type = has(a, ACT_EXCEPTION) ? M_EXCEPTION : M_REPLY;
	struct reply r = {0};

	if (has(a, ACT_NAME))
		name = a->text[ACT_NAME];
	if (framed)
		put_u32(&r.head, 0);
	put_u32(&r.head, VERSION | (uint32_t)act_number(a, ACT_TYPE, type));
	put_u32(&r.head, (uint32_t)name.len);
	buf_append(&r.head, name.data, name.len);
	put_u32(&r.head, seqid + (uint32_t)act_number(a, ACT_SEQID, 0));
	if (has(a, ACT_EXCEPTION))
		put_exception(&r.head, a->number[ACT_EXCEPTION]);
	else
		put_result(&r, a);
	buf_append(reply_rest(&r), "", 1);
	if (framed)
		bytes_put_u32(buf_head(&r.head),
			(uint32_t)act_number(a, ACT_LENGTH, (int64_t)length_of(&r) - 4));
	if (a->set != 0) {
		conn_reply(conn, a, &r);
		return;
	}
	conn_plain(conn, buf_head(&r.head), buf_len(&r.head));
	buf_free(&r.head);
}

/* One call. Return: its length; 0 when it is not whole; -1 when it is none. */
static ssize_t take_call(struct conn *conn, const char *in, size_t len)
{
	struct reader r = {.at = in, .left = len};
	struct slice name;
	uint32_t seqid;

	if (conn_proto() == PROTO_THRIFT_FRAMED) {
		uint32_t frame = take_u32(&r);

		if (frame > FRAME_MAX)
			return -1;
		if (r.partial || r.left < frame)
			return 0;
	}
	if ((take_u32(&r) & 0xffff0000) != VERSION && !r.partial)
		return -1;
	name.len = take_u32(&r);
	name.data = take(&r, name.len);
	seqid = take_u32(&r);
	skip_struct(&r, 0);
	if (r.bad || r.partial)
		return r.bad ? -1 : 0;
	reply(conn, conn_request(conn), name, seqid);
	return (ssize_t)(len - r.left);
}

static ssize_t thrift_feed(struct conn *conn, void *state, const char *in, size_t len)
{
	size_t taken = 0;

	(void)state;
	while (taken < len) {
		ssize_t n = take_call(conn, in + taken, len - taken);

		if (n < 0)
			return -1;
		if (n == 0)
			break;
		taken += (size_t)n;
	}
	return (ssize_t)taken;
}

const struct proto_ops thrift_ops = {
	.open = thrift_open,
	.feed = thrift_feed,
	.ordered = true,
};
