#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "lib/fail.h"

static const char *program = "rpcbench";

void fail_set_program(const char *name)
{
	program = name;
}

__attribute__((format(printf, 2, 0))) static void print_line(
	const char *reason, const char *format, va_list args)
{
	flockfile(stderr);
	fprintf(stderr, "%s: ", program);
	vfprintf(stderr, format, args);
	if (reason != NULL)
		fprintf(stderr, ": %s", reason);
	fputc('\n', stderr);
	funlockfile(stderr);
}

int fail_msg(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	print_line(NULL, format, args);
	va_end(args);
	return -1;
}

int fail_errno(const char *format, ...)
{
	int saved = errno;
	va_list args;

	va_start(args, format);
	print_line(strerror(saved), format, args);
	va_end(args);
	errno = saved;
	return -1;
}
