#ifndef HARNESS_REPORT_CSV_H
#define HARNESS_REPORT_CSV_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

/**
 * DOC: Rounds as comma-separated values, as RFC 4180 has them but with line feeds alone. A column
 * is called as its field in the record, whose names have the units; absent values are empty.
 */

/** csv_head() - The first line. @trials: of a table with a row for each trial. */
void csv_head(bool trials, FILE *out);

/** csv_rows() - A row for each contestant under each load, or one for each of their trials. */
void csv_rows(const json_t *record, bool trials, FILE *out);

#endif
