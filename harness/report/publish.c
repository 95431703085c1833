#include <limits.h>
#include <string.h>

#include "harness/report/chart.h"
#include "harness/report/publish.h"
#include "harness/report/replace.h"
#include "harness/report/result.h"
#include "lib/fail.h"

/** struct page - What a page is made of. */
struct page {
	const json_t *record;
	const struct charts *charts;
	const char *name;
};

static int print_page(const void *ctx, FILE *out)
{
	const struct page *page = ctx;

	report_markdown(page->record, page->charts, page->name, out);
	return 0;
}

int publish_round(const json_t *record, const char *stem)
{
	const char *slash = strrchr(stem, '/');
	struct charts charts;
	struct page page = {record, &charts, slash != NULL ? slash + 1 : stem};
	char path[PATH_MAX];
	int status = charts_draw(&charts, record);

	if (snprintf(path, sizeof(path), "%s.md", stem) >= (int)sizeof(path)) {
		charts_free(&charts);
		return fail_msg("%s: the name is too long", stem);
	}
	/* A chart that cannot be drawn leaves a page without charts, and a failure. */
	if (replace_file(path, print_page, &page) != 0 || charts_save(&charts, stem) != 0)
		status = -1;
	charts_free(&charts);
	return status;
}
