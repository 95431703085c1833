/* Lists of cities from an upstream, as JSON and as protobuf. What decodes is printed, and what is
 * printed decodes to the same text. */
#include <stdlib.h>
#include <string.h>

#include "lib/buf.h"
#include "lib/slice.h"
#include "servers/cities-proxy/decode.h"
#include "servers/common/cities_json.h"
#include "tests/fuzz/fuzz.h"

/* Decodes a copy with no byte to spare, and prints it again. Return: false when it is no list. */
static bool print(int (*decode)(struct decoded *decoded, struct buf *body), struct slice from,
	struct buf *out)
{
	struct buf body = {.data = malloc(from.len + 1), .end = from.len, .cap = from.len + 1};
	struct decoded decoded;
	bool good;

	fuzz_check(body.data != NULL);
	if (from.len > 0)
		memcpy(body.data, from.data, from.len);
	good = decode(&decoded, &body) == 0;
	if (good)
		fuzz_check(cities_json(out, &decoded.cities) == 0);
	decoded_free(&decoded);
	buf_free(&body);
	return good;
}

static void check(int (*decode)(struct decoded *decoded, struct buf *body), struct slice from)
{
	struct buf once = {0};
	struct buf twice = {0};
	struct slice text;

	if (print(decode, from, &once)) {
		text = (struct slice){.data = buf_head(&once), .len = buf_len(&once)};
		fuzz_check(print(decode_json, text, &twice));
		fuzz_check(slice_eq(text, (struct slice){buf_head(&twice), buf_len(&twice)}));
	}
	buf_free(&once);
	buf_free(&twice);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct slice body = {.data = (const char *)data, .len = size};

	check(decode_json, body);
	check(decode_protobuf, body);
	return 0;
}
