#include <string.h>

#include "harness/report/svg.h"
#include "lib/fail.h"

/* As gnuplot writes the colours of svg.h in fill, stroke and color. */
static const char STYLE[] = "<style>\n"
			    "@media (prefers-color-scheme: dark) {\n"
			    "  [fill=\"#ffffff\"] { fill: #0d1117; }\n"
			    "  [fill=\"rgb(31,35,40)\"] { fill: #e6edf3; }\n"
			    "  [stroke=\"rgb( 31,  35,  40)\"] { stroke: #e6edf3; }\n"
			    "  [color=\"rgb( 31,  35,  40)\"] { color: #e6edf3; }\n"
			    "  [stroke=\"rgb( 87,  96, 106)\"] { stroke: #9198a1; }\n"
			    "  [stroke=\"rgb(208, 215, 222)\"] { stroke: #3d444d; }\n"
			    "}\n"
			    "</style>\n";

void svg_text(const char *text, FILE *out)
{
	for (; *text != '\0'; text++) {
		if ((unsigned char)*text < 0x20 || *text == 0x7f)
			fputc('?', out);
		else if (*text == '<')
			fputs("&lt;", out);
		else if (*text == '>')
			fputs("&gt;", out);
		else if (*text == '&')
			fputs("&amp;", out);
		else if (*text == '"')
			fputs("&quot;", out);
		else
			fputc(*text, out);
	}
}

/* Behind the first @end from @text on; NULL when there is none. */
static const char *behind(const char *text, const char *end)
{
	const char *found = strstr(text, end);

	return found != NULL ? found + strlen(end) : NULL;
}

/* gnuplot calls its plots by number, which browsers show as tooltips: these are left out. */
static void print_rest(const char *text, FILE *out)
{
	const char *title;

	while ((title = strstr(text, "<title>")) != NULL) {
		const char *next = behind(title, "</title>");

		fwrite(text, 1, (size_t)(title - text), out);
		text = next != NULL ? next : title + strlen(title);
	}
	fputs(text, out);
}

int svg_print(const char *drawn, const char *title, FILE *out)
{
	const char *head = strstr(drawn, "<title>");
	const char *rest = behind(drawn, "</desc>");

	if (head == NULL || rest == NULL || rest < head)
		return fail_msg("gnuplot printed no SVG that this program knows");
	fwrite(drawn, 1, (size_t)(head - drawn), out);
	fputs("<title>", out);
	svg_text(title, out);
	fputs("</title>\n", out);
	fputs(STYLE, out);
	print_rest(rest + strspn(rest, "\n"), out);
	return 0;
}
