#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/paths.h"
#include "harness/report/publish.h"
#include "harness/report/result.h"
#include "harness/store.h"
#include "lib/fail.h"

/* A disk that is full, a quota that is used up, and a limit of file sizes show only in a write. */
static int probe(const char *folder)
{
	char *path = NULL;
	int status = -1;
	int fd = -1;

	if (asprintf(&path, "%s/.rpcbench-%d.probe", folder, getpid()) < 0)
		return fail_msg("out of memory");
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0) {
		fail_errno("cannot write to the folder %s", folder);
		goto out;
	}
	errno = posix_fallocate(fd, 0, STORE_PROBE_BYTES);
	status = errno == 0 ? 0 : fail_errno("cannot write to the folder %s", folder);
	close(fd);
	unlink(path);
out:
	free(path);
	return status;
}

int store_open(struct store *store, const char *folder, const char *name)
{
	const char *tmp = getenv("TMPDIR");

	*store = (struct store){0};
	store->folder = strdup(folder);
	if (store->folder == NULL || asprintf(&store->json_path, "%s/%s.json", folder, name) < 0 ||
		asprintf(&store->stem, "%s/%s", folder, name) < 0 ||
		asprintf(&store->spare_path, "%s/rpcbench-%s-%d.json", tmp != NULL ? tmp : "/tmp",
			name, getpid()) < 0)
		return fail_msg("out of memory");
	if (paths_make(folder) != 0)
		return fail_errno("cannot make the folder %s", folder);
	return probe(folder);
}

void store_save(struct store *store, const json_t *record)
{
	if (!store->failed && result_save(record, store->json_path) == 0)
		return;
	if (result_save(record, store->spare_path) == 0 && !store->failed)
		fail_msg("the record is kept in %s", store->spare_path);
	store->failed = true;
}

int store_finish(struct store *store, const json_t *record)
{
	/* The disk may have room again. */
	if (result_save(record, store->json_path) == 0) {
		if (store->failed)
			unlink(store->spare_path);
		if (publish_round(record, store->stem) != 0)
			return -1;
		fprintf(stderr, "wrote %s and %s.md\n", store->json_path, store->stem);
		return 0;
	}
	if (result_save(record, store->spare_path) == 0)
		return fail_msg(
			"the record is kept in %s: rpcbench report renders it", store->spare_path);
	fail_msg("the record could not be written anywhere, and is printed instead");
	result_print(record, stdout);
	return -1;
}

void store_close(struct store *store)
{
	free(store->folder);
	free(store->json_path);
	free(store->stem);
	free(store->spare_path);
	*store = (struct store){0};
}
