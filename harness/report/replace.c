#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/report/replace.h"
#include "lib/fail.h"

#define REPLACE_MODE 0666 /* less the umask */

/* Prints everything and closes @out. Return: 0, or -1 with errno. */
static int print_all(FILE *out, replace_print *print, const void *ctx, bool sync)
{
	int status = print(ctx, out);
	int error;

	if (status == 0 && (fflush(out) != 0 || ferror(out)))
		status = -1;
	if (status == 0 && sync)
		status = fsync(fileno(out));
	error = errno;
	if (fclose(out) != 0 && status == 0)
		return -1;
	errno = error;
	return status;
}

static int write_directly(const char *path, replace_print *print, const void *ctx)
{
	FILE *out = fopen(path, "we");

	if (out == NULL || print_all(out, print, ctx, false) != 0)
		return fail_errno("cannot write %s", path);
	return 0;
}

static FILE *open_new(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, REPLACE_MODE);
	FILE *out = fd >= 0 ? fdopen(fd, "w") : NULL;

	if (out == NULL && fd >= 0) {
		close(fd);
		unlink(path);
	}
	return out;
}

static int replace(const char *target, replace_print *print, const void *ctx)
{
	char temporary[PATH_MAX];
	int len = snprintf(temporary, sizeof(temporary), "%s.%ld.tmp", target, (long)getpid());
	FILE *out;
	int error;

	if (len >= (int)sizeof(temporary)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	out = open_new(temporary);
	if (out == NULL)
		return -1;
	if (print_all(out, print, ctx, true) == 0 && rename(temporary, target) == 0)
		return 0;
	error = errno;
	unlink(temporary);
	errno = error;
	return -1;
}

int replace_file(const char *path, replace_print *print, const void *ctx)
{
	char resolved[PATH_MAX];
	const char *target = path;
	struct stat info;

	/* Through symbolic links, so that the file itself is replaced. */
	if (realpath(path, resolved) != NULL)
		target = resolved;
	if (stat(target, &info) == 0 && !S_ISREG(info.st_mode))
		return write_directly(target, print, ctx);
	if (replace(target, print, ctx) != 0)
		return fail_errno("cannot write %s", path);
	return 0;
}
