#include "harness/report/page_files.h"

/* The file @path, found from the root of the repository, as the text @name. */
#define EMBED(name, path)                                                                          \
	__asm__(".pushsection .rodata\n"                                                           \
		".global " #name "\n" #name ":\n"                                                  \
		".incbin \"" path "\"\n"                                                           \
		".byte 0\n"                                                                        \
		".popsection\n")

EMBED(page_html, "harness/report/page/page.html");
EMBED(page_css, "harness/report/page/page.css");
EMBED(page_js, "harness/report/page/page.js");
EMBED(page_chart_js, PAGE_CHART_JS);
