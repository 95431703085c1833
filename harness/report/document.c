#include "harness/report/document.h"

#include "harness/report/csv.h"
#include "harness/report/page.h"
#include "harness/report/pick.h"
#include "harness/report/result.h"
#include "harness/report/view.h"

const char *const document_names[DOCUMENT_FORMATS + 1] = {
	[DOCUMENT_MD] = "md",
	[DOCUMENT_CSV] = "csv",
	[DOCUMENT_JSON] = "json",
	[DOCUMENT_HTML] = "html",
};

static const json_t *record_at(const struct document *document, size_t i)
{
	return pick(json_array_get(document->rounds, i), "record");
}

static int print_json(const struct document *document, FILE *out)
{
	size_t n = json_array_size(document->rounds);

	if (n == 1)
		return result_print(record_at(document, 0), out);
	fputs("[\n", out);
	for (size_t i = 0; i < n; i++) {
		if (i > 0)
			fputs(",\n", out);
		if (result_print(record_at(document, i), out) != 0)
			return -1;
	}
	fputs("]\n", out);
	return 0;
}

int document_print(const void *ctx, FILE *out)
{
	const struct document *document = ctx;

	if (document->format == DOCUMENT_JSON)
		return print_json(document, out);
	if (document->format == DOCUMENT_HTML)
		return page_print(document->rounds, out);
	if (document->format == DOCUMENT_CSV)
		csv_head(document->trials, out);
	for (size_t i = 0; i < json_array_size(document->rounds); i++) {
		const json_t *record = record_at(document, i);

		if (document->format == DOCUMENT_CSV) {
			csv_rows(record, document->trials, out);
			continue;
		}
		if (i > 0)
			fputc('\n', out);
		if (document->view != DOCUMENT_NONE)
			view_print(record, (enum view)document->view, out);
		else
			report_markdown(record, NULL, NULL, out);
	}
	return 0;
}
