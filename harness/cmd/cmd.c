#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "harness/cmd/cmd.h"
#include "lib/buf.h"
#include "lib/opt.h"

enum color { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER };

const char *const cmd_color_names[] = {"auto", "always", "never", NULL};

size_t cmd_width(void)
{
	const char *columns = getenv("COLUMNS");
	struct winsize size;

	if (columns != NULL && atoi(columns) > 0)
		return (size_t)atoi(columns);
	return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

/* Source: no-color.org for NO_COLOR, which counts when it is not empty. */
bool cmd_color(int choice)
{
	const char *no_color = getenv("NO_COLOR");

	if (choice != COLOR_AUTO)
		return choice == COLOR_ALWAYS;
	return isatty(STDOUT_FILENO) == 1 && (no_color == NULL || *no_color == '\0');
}

int cmd_parse(
	const struct opt *rows, void *into, const char *usage, int argc, char **argv, int *first)
{
	switch (opt_parse(rows, into, usage, argc, argv, first)) {
	case OPT_HELP:
		return EXIT_FINE;
	case OPT_BAD:
		return EXIT_USAGE;
	case OPT_OK:
		break;
	}
	return CMD_GO_ON;
}

json_t *cmd_typed(int argc, char **argv)
{
	struct buf text = {0};
	json_t *json;

	buf_printf(&text, "rpcbench");
	for (int i = 0; i < argc; i++)
		buf_printf(&text, " %s", argv[i]);
	json = json_stringn(buf_head(&text), buf_len(&text));
	buf_free(&text);
	return json != NULL ? json : json_null();
}
