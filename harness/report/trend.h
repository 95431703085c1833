#ifndef HARNESS_REPORT_TREND_H
#define HARNESS_REPORT_TREND_H

#include <jansson.h>

#include "harness/report/notes.h"

/**
 * DOC: Did a round depend on when its trials took place? The top-level trend of a record:
 *
 *   drift      {tau, p, change, n} of requests per second, each relative to the median of its row,
 *              with the time at which the trial began
 *   position   likewise with its place in the order of its turn
 *   loads      [{the load, drift, position}], likewise of the rows under each
 *
 * tau and p as in harness/stats/trend.h; change is what the last third has over the first, less 1.
 */

#define TREND_TRIALS 4    /* that a row must have, */
#define TREND_ROWS   2    /* and rows, for a trend to be looked for */
#define TREND_LEVEL  0.05 /* p below it, */
#define TREND_CHANGE 0.02 /* and a change as large: it is told below the tables */

/** trend_fill() - Put it into @record. Return: 0, or -1 without memory. */
int trend_fill(json_t *record);

/** trend_notes() - What there is to tell of it, one line at a time. */
void trend_notes(const json_t *record, notes_print *print, void *ctx);

#endif
