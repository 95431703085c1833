#ifndef HARNESS_REPORT_PUBLISH_H
#define HARNESS_REPORT_PUBLISH_H

#include <jansson.h>

/**
 * publish_round() - Write the page of a summarised record, STEM.md, and its charts, STEM-rps.svg
 *   and so on. The page shows the charts that could be drawn.
 *
 * Return: 0, or -1 after a message.
 */
int publish_round(const json_t *record, const char *stem);

#endif
