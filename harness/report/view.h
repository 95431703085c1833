#ifndef HARNESS_REPORT_VIEW_H
#define HARNESS_REPORT_VIEW_H

#include <jansson.h>
#include <stdio.h>

/**
 * DOC: A round with the columns of other benchmarks' reports, so that their numbers can be put
 * beside ours. All come from the record; METHOD.md says what each column is here. What the
 * record does not have is a dash with a footnote.
 */

enum view { VIEW_AUTOCANNON, VIEW_WRK, VIEW_LOADTEST, VIEW_GOBENCH, VIEWS };

/** view_names - One for each, ended by NULL: choices of an option. */
extern const char *const view_names[VIEWS + 1];

/** view_print() - Print a summarised record. */
void view_print(const json_t *record, enum view view, FILE *out);

#endif
