#ifndef HARNESS_REPORT_PAGE_DATA_H
#define HARNESS_REPORT_PAGE_DATA_H

#include <jansson.h>
#include <stdio.h>

struct page_view;

/**
 * DOC: What the page's script sorts by and draws, schema rpcbench-page/1:
 *
 *   schema
 *   percentiles [{name, share}]   in percent, of each "latency_ns"; 0 is the minimum
 *   groups [{file, round, title, load}]
 *   rows [{group, name, class, protocol, description,
 *     sort [a number, a text or null for each column]
 *     rps, rps_per_server_cpu_s   [median, ci95_low, ci95_high], or null
 *     latency_ns [one for each of percentiles, or null], or null
 *     series [requests per second in each second of the window: the median of the trials] }]
 *
 * rows are those of the table, in its order. Histograms stay in the records.
 */

#define PAGE_SCHEMA  "rpcbench-page/1"
#define PAGE_SECONDS 600 /* of the series that the page keeps, from its beginning */

/**
 * page_data_print() - Print the data as JSON in ASCII that may stand in a script element: no '<'.
 *
 * Return: 0, or -1 with errno.
 */
int page_data_print(const struct page_view *view, FILE *out);

#endif
