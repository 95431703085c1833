#include <stdlib.h>
#include <unistd.h>

#include "harness/cmd/cmd.h"

enum color { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER };

const char *const cmd_color_names[] = {"auto", "always", "never", NULL};

/* Source: no-color.org for NO_COLOR, which counts when it is not empty. */
bool cmd_color(int choice)
{
	const char *no_color = getenv("NO_COLOR");

	if (choice != COLOR_AUTO)
		return choice == COLOR_ALWAYS;
	return isatty(STDOUT_FILENO) == 1 && (no_color == NULL || *no_color == '\0');
}
