#ifndef HARNESS_REPORT_DOCUMENT_H
#define HARNESS_REPORT_DOCUMENT_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

/** DOC: Records of rounds as one text: in a format, or in a view, which see view.h. */

enum document_format {
	DOCUMENT_MD,
	DOCUMENT_CSV,
	DOCUMENT_JSON,
	DOCUMENT_HTML, /* the page over all of them, see page.h */
	DOCUMENT_FORMATS
};

#define DOCUMENT_NONE (-1) /* for a format or view */

/** document_names - One for each format, ended by NULL: choices of an option. */
extern const char *const document_names[DOCUMENT_FORMATS + 1];

/** struct document - What to print. */
struct document {
	json_t *rounds; /* a list as page_add() makes it, of summarised records */
	int format;     /* or DOCUMENT_NONE */
	int view;       /* of enum view, or DOCUMENT_NONE */
	bool trials;    /* csv: a row for each trial */
};

/**
 * document_print() - Print a struct document; a replace_print. Several records follow each other;
 *   as JSON they are a list.
 *
 * Return: 0, or -1 with errno.
 */
int document_print(const void *document, FILE *out);

#endif
