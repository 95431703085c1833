#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/codec/h2_head.h"
#include "harness/load/load.h"
#include "harness/load/target.h"
#include "lib/fail.h"

#define FIELDS_MAX    80   /* pseudo headers, our own and --header's */
#define TABLE_SIZE    4096 /* bytes; RFC 9113 section 6.5.2, SETTINGS_HEADER_TABLE_SIZE */
#define GRPC_CODE_MAX 16   /* UNAUTHENTICATED, the largest code of gRPC */

/* A request's header on its way into a block. */
struct fields {
	nghttp2_nv list[FIELDS_MAX];
	size_t n;
	char text[8192]; /* names in lower case, and what has to be put together */
	size_t used;
	bool full;
};

/* ------------------------------------------------------------------ requests */

static void add(struct fields *f, const char *name, size_t name_len, const char *value, size_t len)
{
	char *copy = f->text + f->used;

	if (f->n == FIELDS_MAX || name_len + len > sizeof(f->text) - f->used) {
		f->full = true;
		return;
	}
	for (size_t i = 0; i < name_len; i++)
		copy[i] = (char)tolower((unsigned char)name[i]);
	memcpy(copy + name_len, value, len);
	f->used += name_len + len;
	f->list[f->n++] = (nghttp2_nv){
		.name = (uint8_t *)copy,
		.namelen = name_len,
		.value = (uint8_t *)copy + name_len,
		.valuelen = len,
	};
}

static void add_text(struct fields *f, const char *name, const char *value)
{
	add(f, name, strlen(name), value, strlen(value));
}

/* "Name: value" of --header; Host becomes :authority. */
static void add_header(struct fields *f, const char *header)
{
	const char *value = strchr(header, ':') + 1;

	value += strspn(value, " \t");
	add(f, header, (size_t)(strchr(header, ':') - header), value, strlen(value));
}

static void collect(struct fields *f, const struct load_params *params, bool grpc)
{
	const struct target *target = params->target;
	bool ipv6 = strchr(target->host, ':') != NULL;
	char authority[300];
	char length[24];

	snprintf(authority, sizeof(authority), ipv6 ? "[%s]:%u" : "%s:%u", target->host,
		target->port);
	add_text(f, ":method", grpc ? "POST" : params->method);
	add_text(f, ":scheme", "http");
	add_text(f, ":authority", authority);
	add_text(f, ":path", target->path);
	if (grpc) {
		add_text(f, "te", "trailers");
		add_text(f, "content-type", "application/grpc");
		add_text(f, "user-agent", "rpcbench/" RPCBENCH_VERSION);
	} else if (params->body.len > 0) {
		snprintf(length, sizeof(length), "%zu", params->body.len);
		add_text(f, "content-length", length);
	}
	for (const char *const *h = params->headers; h != NULL && *h != NULL; h++)
		add_header(f, *h);
}

static int encode(nghttp2_hd_deflater *deflater, struct fields *f, struct buf *out)
{
	size_t bound = nghttp2_hd_deflate_bound(deflater, f->list, f->n);
	ssize_t len;

	if (buf_reserve(out, bound) != 0)
		return -1;
	len = nghttp2_hd_deflate_hd(deflater, (uint8_t *)buf_tail(out), bound, f->list, f->n);
	if (len < 0)
		return -1;
	out->end += (size_t)len;
	return 0;
}

int h2_head_encode(const struct load_params *params, bool grpc, struct buf blocks[H2_BLOCKS])
{
	struct fields *f = calloc(1, sizeof(*f));
	nghttp2_hd_deflater *deflater = NULL;
	int ret = -1;

	if (f == NULL || nghttp2_hd_deflate_new(&deflater, TABLE_SIZE) != 0)
		goto out;
	collect(f, params, grpc);
	if (f->full) {
		fail_msg("--header: more than HTTP/2 requests are given room for");
		free(f);
		nghttp2_hd_deflate_del(deflater);
		return -1;
	}
	/* The literals first, while the table is empty and there is nothing to refer to. */
	for (size_t i = 0; i < f->n; i++)
		f->list[i].flags = NGHTTP2_NV_FLAG_NO_INDEX;
	if (encode(deflater, f, &blocks[H2_BLOCK_LITERAL]) != 0)
		goto out;
	for (size_t i = 0; i < f->n; i++)
		f->list[i].flags = NGHTTP2_NV_FLAG_NONE;
	if (encode(deflater, f, &blocks[H2_BLOCK_FIRST]) != 0 ||
		encode(deflater, f, &blocks[H2_BLOCK_NEXT]) != 0)
		goto out;
	ret = 0;
out:
	if (ret != 0)
		fail_msg("cannot encode the request's header");
	nghttp2_hd_deflate_del(deflater);
	free(f);
	return ret;
}

/* ------------------------------------------------------------------ replies */

static bool is_named(const nghttp2_nv *field, const char *name)
{
	return field->namelen == strlen(name) && memcmp(field->name, name, field->namelen) == 0;
}

/* Decimal digits, @max at most. Return: false for anything else. */
static bool to_number(const nghttp2_nv *field, uint64_t max, uint64_t *number)
{
	uint64_t sum = 0;

	if (field->valuelen == 0 || field->valuelen > 18)
		return false;
	for (size_t i = 0; i < field->valuelen; i++) {
		if (!isdigit(field->value[i]))
			return false;
		sum = sum * 10 + (uint64_t)(field->value[i] - '0');
	}
	*number = sum;
	return sum <= max;
}

/* Names are lower case, :status comes first and is the only pseudo header. */
static int on_field(const nghttp2_nv *field, bool first, struct h2_reply_head *head)
{
	uint64_t number;

	for (size_t i = 0; i < field->namelen; i++)
		if (isupper(field->name[i]))
			return -1;
	if (field->namelen > 0 && field->name[0] == ':') {
		if (!first || !is_named(field, ":status") || field->valuelen != 3 ||
			!to_number(field, 999, &number) || number < 100)
			return -1;
		head->status = (unsigned)number;
	} else if (is_named(field, "content-length")) {
		if (head->has_length || !to_number(field, UINT64_MAX, &head->length))
			return -1;
		head->has_length = true;
	} else if (is_named(field, "grpc-status")) {
		if (head->grpc_status >= 0 || !to_number(field, INT32_MAX, &number))
			return -1;
		/* A code that gRPC does not know is UNKNOWN. */
		head->grpc_status = number <= GRPC_CODE_MAX ? (int)number : 2;
	}
	return 0;
}

int h2_head_decode(
	nghttp2_hd_inflater *inflater, const char *block, size_t len, struct h2_reply_head *head)
{
	const uint8_t *in = (const uint8_t *)block;
	bool first = true;

	*head = (struct h2_reply_head){.grpc_status = -1};
	for (;;) {
		nghttp2_nv field;
		int flags = 0;
		ssize_t n = nghttp2_hd_inflate_hd2(inflater, &field, &flags, in, len, 1);

		if (n < 0)
			return -1;
		in += n;
		len -= (size_t)n;
		if ((flags & NGHTTP2_HD_INFLATE_EMIT) != 0) {
			if (on_field(&field, first, head) != 0)
				return -1;
			first = false;
		}
		if ((flags & NGHTTP2_HD_INFLATE_FINAL) != 0) {
			nghttp2_hd_inflate_end_headers(inflater);
			return 0;
		}
		if ((flags & NGHTTP2_HD_INFLATE_EMIT) == 0 && len == 0)
			return -1;
	}
}
