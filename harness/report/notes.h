#ifndef HARNESS_REPORT_NOTES_H
#define HARNESS_REPORT_NOTES_H

#include <jansson.h>

struct rank_load;
struct table;

/** notes_print - Takes one note, a sentence without line ends, as in the record: see text.h. */
typedef void notes_print(void *ctx, const char *note);

/** notes_load() - The load of a table, as its title. @out: TABLE_CELL bytes. Return: @out. */
const char *notes_load(const struct table *table, char *out);

/**
 * notes_of_table() - What a reader of the table must know: how it is ordered, what weighs
 *   against a row, and its footnotes.
 */
void notes_of_table(const struct table *table, notes_print *print, void *ctx);

/** notes_of_ratios() - Of @ratios, record.ratios, those under @load. */
void notes_of_ratios(
	const json_t *ratios, const struct rank_load *load, notes_print *print, void *ctx);

/** notes_of_record() - What a reader of the round must know before all tables. */
void notes_of_record(const json_t *record, notes_print *print, void *ctx);

/** notes_origin() - How the round was made: command, seed, time. */
void notes_origin(const json_t *record, notes_print *print, void *ctx);

#endif
