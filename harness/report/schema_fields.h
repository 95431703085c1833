#ifndef HARNESS_REPORT_SCHEMA_FIELDS_H
#define HARNESS_REPORT_SCHEMA_FIELDS_H

#include <stdbool.h>

/** DOC: The fields of schema rpcbench/1, as tables that schema_check() goes through. */

/** enum kind - What a field must be. */
enum kind {
	TEXT,
	NUMBER,
	SIGNED, /* a number, also below 0 */
	BOOL,
	OBJECT, /* of the fields in @fields; NULL: any */
	LIST,   /* of such objects */
	COUNTS, /* object of numbers by name */
	PAIRS,  /* list of [number, number] */
	TEXTS,  /* list of texts */
};

/** struct field - A field of the schema; a NULL name ends a table. */
struct field {
	const char *name;
	enum kind kind;
	const struct field *fields;
	bool required; /* and not null */
};

/** schema_record_fields, schema_trial_fields, schema_summary_fields - Of a record, of each trial
 * and of the summary of a contestant. */
extern const struct field schema_record_fields[];
extern const struct field schema_trial_fields[];
extern const struct field schema_summary_fields[];

#endif
