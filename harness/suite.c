#include <string.h>

#include "harness/suite.h"
#include "lib/buf.h"
#include "lib/fail.h"
#include "lib/opt.h"

/* Companions are contestants that have none themselves. */
static int check_companions(const struct manifests *all, const struct contestant *c)
{
	for (size_t i = 0; c->companions != NULL && c->companions[i] != NULL; i++) {
		const struct contestant *other = manifest_find(all, c->companions[i]);

		if (other == NULL || other->companions != NULL || i == MANIFEST_COMPANIONS)
			return fail_msg("%s:%zu: companions: '%s': expected at most %d contestants "
					"that have no companions themselves",
				c->file, c->line, c->companions[i], MANIFEST_COMPANIONS);
	}
	return 0;
}

int suite_open(struct suite *suite, const struct opt_list *files)
{
	*suite = (struct suite){0};
	if (paths_find(&suite->paths) != 0)
		return -1;
	if (manifest_add_all(&suite->manifests, &suite->paths) != 0)
		goto err0;
	suite->own_count = suite->manifests.count;
	for (size_t i = 0; i < files->count; i++)
		if (manifest_add(&suite->manifests, &suite->paths, files->items[i]) != 0)
			goto err0;
	for (size_t i = 0; i < suite->manifests.count; i++)
		if (check_companions(&suite->manifests, &suite->manifests.list[i]) != 0)
			goto err0;
	return 0;

err0:
	suite_close(suite);
	return -1;
}

void suite_close(struct suite *suite)
{
	manifest_free(&suite->manifests);
	paths_free(&suite->paths);
	*suite = (struct suite){0};
}

const struct contestant *suite_find(const struct suite *suite, const char *name)
{
	const struct contestant *found = manifest_find(&suite->manifests, name);
	struct buf known = {0};

	if (found != NULL)
		return found;
	for (size_t i = 0; i < suite->manifests.count; i++)
		buf_printf(&known, " %s", suite->manifests.list[i].name);
	fail_msg("unknown contestant '%s', expected one of:%.*s", name, (int)buf_len(&known),
		buf_head(&known));
	buf_free(&known);
	return NULL;
}
