/* Records of rounds: what is taken for one can be shown. */
#include <stdlib.h>

#include "harness/report/result.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	json_t *record = result_read(fuzz_file(data, size));
	char *text = NULL;
	size_t len;
	FILE *out;

	if (record == NULL)
		return 0;
	out = open_memstream(&text, &len);
	fuzz_check(out != NULL);
	report_console(record, out, 80, true);
	report_markdown(record, NULL, NULL, out);
	fclose(out);
	free(text);
	json_decref(record);
	return 0;
}
