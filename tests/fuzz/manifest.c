/* Manifests, and the placeholders in them. */
#include <stdlib.h>

#include "harness/manifest.h"
#include "harness/paths.h"
#include "tests/fuzz/fuzz.h"

static void use(const struct contestant *c, const struct paths *paths)
{
	struct manifest_values values = {.paths = paths, .port = 1, .threads = 1};
	char reason[64];

	for (size_t i = 0; c->command[i] != NULL; i++)
		free(manifest_expand(c, c->command[i], &values));
	manifest_missing(c, paths, reason, sizeof(reason));
	manifest_class_name(c);
	manifest_protocol_name(c);
	for (size_t i = 0; i < c->call_count; i++)
		fuzz_check(manifest_call(c, c->calls[i].name) != NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct paths paths = {.root = ".", .bin = "build/bin", .logs = "build/logs"};
	struct manifests all = {0};

	if (manifest_add(&all, &paths, fuzz_file(data, size)) == 0)
		for (size_t i = 0; i < all.count; i++)
			use(&all.list[i], &paths);
	manifest_free(&all);
	return 0;
}
