#ifndef HARNESS_REPORT_PAGE_H
#define HARNESS_REPORT_PAGE_H

#include <jansson.h>
#include <stdio.h>

/**
 * DOC: The page over several rounds: results/index.html, one file that needs no other and no
 * network. Its tables are plain HTML; page/page.js sorts and filters them and draws charts from
 * the data of page_data.h, which the page carries as JSON. What it looks like is in page/, and
 * becomes a part of the program when that is built. The same records give the same bytes.
 */

#define PAGE_NAME "index.html" /* in a folder of results */

/**
 * page_add() - Add the record of a round, which is summarised, to those of a page.
 * @records: a list, [{file, record}].
 * @path: where it was read; the page links its last part, so it should stand beside the page.
 *
 * Return: 0, or -1 after a message.
 */
int page_add(json_t *records, const char *path, json_t *record);

/**
 * page_print() - Print the page over @records; a replace_print.
 * @records: a json_t list, see page_add().
 *
 * Return: 0, or -1 with errno.
 */
int page_print(const void *records, FILE *out);

/**
 * page_write() - Write PAGE_NAME in @folder over the records of rounds there.
 *
 * Files that are no record of a round are left out: after a message, but for those of rpcbench
 * bench and of make compare-tools.
 *
 * Return: 0, or -1 after a message when the page could not be written.
 */
int page_write(const char *folder);

#endif
