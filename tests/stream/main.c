/*
 * stream KIND FOLDER: latencies of a known distribution through the whole path, as a load of two
 * threads would record them: record -> merge -> FOLDER/trial.json, .txt and .hdr; and the halves as
 * two trials of a round, FOLDER/round.json. FOLDER/values has what went in, a number of ns a line.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/codec/codec.h"
#include "harness/load/load.h"
#include "harness/report/replace.h"
#include "harness/report/result.h"
#include "lib/clock.h"
#include "lib/fail.h"

#define VALUES 40000 /* enough for p99.9 of each half */

/* From 0 to 1, evenly, in an order that has nothing to do with size. */
static double spread(unsigned i)
{
	return ((i * 7919U) % VALUES + 0.5) / VALUES;
}

static int64_t constant(unsigned i)
{
	(void)i;
	return 123457;
}

static int64_t uniform(unsigned i)
{
	return llround(1000 + spread(i) * 9e6);
}

static int64_t exponential(unsigned i)
{
	return llround(-200e3 * log(1 - spread(i)));
}

/* Nine in ten near 50 us, the others near 80 ms. */
static int64_t bimodal(unsigned i)
{
	double place = spread(i);

	return llround(place < 0.9 ? 50e3 * (1 + place / 10) : 80e6 * (0.5 + place));
}

/* One in two hundred takes 10 s. */
static int64_t outliers(unsigned i)
{
	double place = spread(i);

	return llround(place < 0.995 ? 100e3 * (1 + place) : 10e9 + place * 1e6);
}

static const struct {
	const char *name;
	int64_t (*value)(unsigned i);
} kinds[] = {
	{"constant", constant},
	{"uniform", uniform},
	{"exponential", exponential},
	{"bimodal", bimodal},
	{"outliers", outliers},
};

static void count(struct record *record, int64_t value_ns)
{
	record->sent++;
	record->status_codes[200]++;
	record_done(record, OUT_OK, 0, value_ns, 0, 100);
}

static json_t *trial_of(struct record *record)
{
	static char url[] = "http://127.0.0.1:1/";
	const struct target target = {.url = url, .codec = codec_by_scheme("http")};
	const struct load_params params = {
		.target = &target, .connections = 2, .pipeline = 1, .threads = 2};
	const struct load_result result = {.record = record, .window_ns = NS_PER_S};

	return result_trial(&params, &result, NULL, NULL, "none");
}

static int print_text(const void *trial, FILE *out)
{
	report_trial(trial, out);
	return 0;
}

static int print_hdr(const void *trial, FILE *out)
{
	return report_hdr(trial, out);
}

static int print_values(const void *value, FILE *out)
{
	for (unsigned i = 0; i < VALUES; i++)
		fprintf(out, "%lld\n", (long long)(*(int64_t(*const *)(unsigned))value)(i));
	return 0;
}

static int save(const char *folder, const char *name, replace_print *print, const void *ctx)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return print != NULL ? replace_file(path, print, ctx) : result_save(ctx, path);
}

static int write_all(int64_t (*value)(unsigned), const char *folder)
{
	struct record *threads[] = {record_new(), record_new()};
	json_t *round;
	json_t *trial;
	int ret = -1;

	if (threads[0] == NULL || threads[1] == NULL)
		return fail_errno("record_new");
	for (unsigned i = 0; i < VALUES; i++)
		count(threads[i % 2], value(i));
	round = json_pack("{s:s, s:s, s:[{s:s, s:[o, o]}]}", "schema", RESULT_SCHEMA, "round",
		"stream", "contestants", "name", "x", "trials", trial_of(threads[0]),
		trial_of(threads[1]));
	record_merge(threads[0], threads[1]);
	trial = trial_of(threads[0]);
	if (round != NULL && trial != NULL && result_summarise(round) == 0 &&
		save(folder, "values", print_values, &value) == 0 &&
		save(folder, "trial.json", NULL, trial) == 0 &&
		save(folder, "trial.txt", print_text, trial) == 0 &&
		save(folder, "trial.hdr", print_hdr, trial) == 0)
		ret = save(folder, "round.json", NULL, round);
	json_decref(round);
	json_decref(trial);
	record_free(threads[0]);
	record_free(threads[1]);
	return ret;
}

int main(int argc, char **argv)
{
	for (size_t i = 0; argc == 3 && i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (strcmp(argv[1], kinds[i].name) == 0)
			return write_all(kinds[i].value, argv[2]) == 0 ? 0 : 1;
	fprintf(stderr, "usage: stream constant|uniform|exponential|bimodal|outliers FOLDER\n");
	return 2;
}
