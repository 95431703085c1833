/* What targets share; fail_*() of lib/fail.h, without printing, takes the place of lib/fail.c. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/fail.h"
#include "tests/fuzz/fuzz.h"

void fuzz_broken(const char *condition, const char *file, int line)
{
	fprintf(stderr, "%s:%d: broken: %s\n", file, line, condition);
	abort();
}

size_t fuzz_piece(uint8_t byte)
{
	static const size_t pieces[] = {SIZE_MAX, 1, 2, 3, 7, 9, 64, 500};

	return pieces[byte % (sizeof(pieces) / sizeof(*pieces))];
}

const char *fuzz_file(const uint8_t *data, size_t size)
{
	static char path[32];
	static int fd = -1;

	if (fd < 0) {
		fd = memfd_create("input", MFD_CLOEXEC);
		fuzz_check(fd >= 0);
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	}
	fuzz_check(ftruncate(fd, 0) == 0 && pwrite(fd, data, size, 0) == (ssize_t)size);
	return path;
}

static char message[4096];

void fail_set_program(const char *name)
{
	(void)name;
}

int fail_msg(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(message, sizeof(message), format, args);
	va_end(args);
	return -1;
}

int fail_errno(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(message, sizeof(message), format, args);
	va_end(args);
	return -1;
}
