#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "harness/codec/reference.h"

/* What a body must be; never changes once it is published. */
struct reference_body {
	uint64_t len;
	XXH64_hash_t hash; /* only of bodies that are too large to be kept */
	char *bytes;       /* NULL when too large */
};

struct reference {
	_Atomic(struct reference_body *) body; /* set once, by whichever thread is first */
	bool learned;
};

static struct reference_body *body_new(const char *data, uint64_t len, XXH64_hash_t hash)
{
	struct reference_body *body = calloc(1, sizeof(*body));

	if (body == NULL)
		return NULL;
	body->len = len;
	body->hash = hash;
	if (len > REFERENCE_BYTES_MAX)
		return body;
	body->bytes = malloc(len + 1);
	if (body->bytes == NULL) {
		free(body);
		return NULL;
	}
	if (len > 0)
		memcpy(body->bytes, data, len);
	return body;
}

static void body_delete(struct reference_body *body)
{
	if (body == NULL)
		return;
	free(body->bytes);
	free(body);
}

struct reference *reference_new(struct slice expect)
{
	struct reference *reference = calloc(1, sizeof(*reference));
	struct reference_body *body;

	if (reference == NULL)
		return NULL;
	reference->learned = expect.data == NULL;
	if (reference->learned)
		return reference;
	body = body_new(expect.data, expect.len, XXH3_64bits(expect.data, expect.len));
	if (body == NULL) {
		free(reference);
		return NULL;
	}
	atomic_store(&reference->body, body);
	return reference;
}

void reference_free(struct reference *reference)
{
	if (reference == NULL)
		return;
	body_delete(atomic_load(&reference->body));
	free(reference);
}

bool reference_learned(const struct reference *reference)
{
	return reference->learned;
}

void body_begin(struct body_check *check, struct reference *reference, enum check_level level)
{
	check->reference = level == CHECK_NOTHING ? NULL : reference;
	check->level = level;
	check->len = 0;
	check->differs = false;
	check->hashing = false;
	buf_clear(&check->learn);
	check->body = check->reference != NULL
			      ? atomic_load_explicit(&reference->body, memory_order_acquire)
			      : NULL;
}

/* From here on the body is too large to be kept: what came so far goes into the hash. */
static void start_hash(struct body_check *check)
{
	if (check->hash == NULL)
		check->hash = XXH3_createState();
	if (check->hash == NULL) {
		check->differs = true;
		return;
	}
	XXH3_64bits_reset(check->hash);
	if (buf_len(&check->learn) > 0)
		XXH3_64bits_update(check->hash, buf_head(&check->learn), buf_len(&check->learn));
	buf_free(&check->learn);
	check->hashing = true;
}

/* While nothing is known the body is kept, until it is too large for that. */
static void add_unknown(struct body_check *check, const char *data, size_t len)
{
	if (!check->hashing && check->len + len <= REFERENCE_BYTES_MAX) {
		if (buf_append(&check->learn, data, len) != 0)
			check->differs = true;
		return;
	}
	if (!check->hashing)
		start_hash(check);
	if (check->hashing)
		XXH3_64bits_update(check->hash, data, len);
}

static void add_known(struct body_check *check, const char *data, size_t len)
{
	const struct reference_body *body = check->body;

	if (check->len + len > body->len) {
		check->differs = true;
		return;
	}
	if (check->level != CHECK_BYTES || check->differs)
		return;
	if (body->bytes != NULL) {
		check->differs = memcmp(body->bytes + check->len, data, len) != 0;
		return;
	}
	if (!check->hashing)
		start_hash(check);
	if (check->hashing)
		XXH3_64bits_update(check->hash, data, len);
}

void body_add(struct body_check *check, const char *data, size_t len)
{
	if (len > 0 && check->body != NULL)
		add_known(check, data, len);
	else if (len > 0 && check->reference != NULL)
		add_unknown(check, data, len);
	check->len += len;
}

static bool body_equal(const struct reference_body *a, const struct reference_body *b)
{
	if (a->len != b->len || (a->bytes == NULL) != (b->bytes == NULL))
		return false;
	return a->bytes != NULL ? memcmp(a->bytes, b->bytes, a->len) == 0 : a->hash == b->hash;
}

/* Publishes the body just received. Another thread may have been faster: then it must be equal. */
static bool learn(struct body_check *check)
{
	struct reference_body *first = NULL;
	struct reference_body *body = body_new(check->hashing ? NULL : buf_head(&check->learn),
		check->len, check->hashing ? XXH3_64bits_digest(check->hash) : 0);
	bool equal = true;

	buf_free(&check->learn);
	if (body == NULL || atomic_compare_exchange_strong(&check->reference->body, &first, body))
		return true;
	if (check->level == CHECK_BYTES)
		equal = body_equal(body, first);
	else
		equal = body->len == first->len;
	body_delete(body);
	return equal;
}

bool body_end(struct body_check *check, bool learnable)
{
	const struct reference_body *body = check->body;

	if (check->reference == NULL)
		return true;
	if (body == NULL)
		return !check->differs && (!learnable || learn(check));
	if (check->differs || check->len != body->len)
		return false;
	return !check->hashing || XXH3_64bits_digest(check->hash) == body->hash;
}

void body_free(struct body_check *check)
{
	buf_free(&check->learn);
	XXH3_freeState(check->hash);
	check->hash = NULL;
}
