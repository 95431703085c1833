#ifndef TESTS_UNIT_CATCH_H
#define TESTS_UNIT_CATCH_H

#include <stdio.h>
#include <unistd.h>

/* What a function prints on stderr, to compare it: catch_begin(), the call, catch_end(). */
struct catch
{
	FILE *file;
	int stderr_fd;
	char text[4096];
};

static inline void catch_begin(struct catch *c)
{
	fflush(stderr);
	c->file = tmpfile();
	c->stderr_fd = dup(STDERR_FILENO);
	dup2(fileno(c->file), STDERR_FILENO);
}

/* Return: the text without its last newline. */
static inline const char *catch_end(struct catch *c)
{
	size_t len;

	fflush(stderr);
	dup2(c->stderr_fd, STDERR_FILENO);
	close(c->stderr_fd);
	rewind(c->file);
	len = fread(c->text, 1, sizeof(c->text) - 1, c->file);
	fclose(c->file);
	if (len > 0 && c->text[len - 1] == '\n')
		len--;
	c->text[len] = '\0';
	return c->text;
}

#endif
