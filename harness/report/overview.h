#ifndef HARNESS_REPORT_OVERVIEW_H
#define HARNESS_REPORT_OVERVIEW_H

#include <jansson.h>
#include <stdio.h>

/**
 * overview_print() - Print a page of all rounds: a table of each contestant's requests per second,
 *   a column for each round, which links to the round's page.
 * @rounds: {page, the name of its page without ".md", record, summarised}, in the order to show.
 */
void overview_print(const json_t *rounds, FILE *out);

#endif
