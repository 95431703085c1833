#include <string.h>

#include "harness/report/overview.h"
#include "harness/report/pick.h"
#include "harness/report/rank.h"
#include "harness/report/text.h"

static const char *name_of(const json_t *contestant)
{
	const char *name = pick_text(contestant, "name");

	return name != NULL ? name : "?";
}

static void print_link(const json_t *round, FILE *out)
{
	const char *page = pick_text(round, "page");

	fputc('[', out);
	text_markdown(page, out);
	fputs("](", out);
	text_link(page, out);
	fputs(".md)", out);
}

static void print_round(const json_t *round, FILE *out)
{
	const char *title = pick_text(round, "record.title");
	const char *started_at = pick_text(round, "record.started_at");

	fputs("- ", out);
	print_link(round, out);
	fputs(": ", out);
	text_markdown(title != NULL ? title : "", out);
	fputs(", ", out);
	text_markdown(started_at != NULL ? started_at : "time not recorded", out);
	if (pick_true(round, "record.quick"))
		fputs(", **quick**: says nothing about speed", out);
	fputc('\n', out);
}

/* "85,744 (10 × 1)", in bold when it is first. */
static void print_result(const json_t *contestant, FILE *out)
{
	struct rank_load load = rank_load_of(contestant);
	const char *bold = pick_or(contestant, "summary.rank", 0) == 1 ? "**" : "";
	char text[TEXT_COUNT];
	char load_text[RANK_LOAD_TEXT];
	double rps;

	if (pick_text(contestant, "skipped") != NULL)
		fputs("left out", out);
	else if (pick_text(contestant, "summary.failure") != NULL)
		fputs("FAIL", out);
	else if (pick_number(contestant, "summary.rps.median", &rps))
		fprintf(out, "%s%s%s", bold, text_count(rps, text), bold);
	else
		fputs("—", out);
	fprintf(out, " (%s", rank_load_text(&load, load_text));
	if (load.requests > 0)
		fprintf(out, ", %s requests", text_count(load.requests, text));
	fputc(')', out);
}

/* All that @name did in a round, one load below the other. */
static void print_cell(const json_t *round, const char *name, FILE *out)
{
	const json_t *contestant;
	bool any = false;
	size_t i;

	json_array_foreach (pick(round, "record.contestants"), i, contestant) {
		if (strcmp(name_of(contestant), name) != 0)
			continue;
		fputs(any ? "<br>" : " ", out);
		print_result(contestant, out);
		any = true;
	}
	fputs(" |", out);
}

static void print_row(const json_t *rounds, const char *name, FILE *out)
{
	const json_t *round;
	size_t i;

	fputs("| ", out);
	text_markdown(name, out);
	fputs(" |", out);
	json_array_foreach (rounds, i, round)
		print_cell(round, name, out);
	fputc('\n', out);
}

static void print_rows(const json_t *rounds, FILE *out)
{
	json_t *seen = json_object();
	const json_t *round;
	size_t i;

	json_array_foreach (rounds, i, round) {
		const json_t *contestant;
		size_t j;

		json_array_foreach (pick(round, "record.contestants"), j, contestant) {
			const char *name = name_of(contestant);

			if (json_object_get(seen, name) != NULL)
				continue;
			json_object_set_new(seen, name, json_true());
			print_row(rounds, name, out);
		}
	}
	json_decref(seen);
}

void overview_print(const json_t *rounds, FILE *out)
{
	const json_t *round;
	size_t i;

	fputs("# All rounds\n\n", out);
	json_array_foreach (rounds, i, round)
		print_round(round, out);
	fputs("\nRequests per second, the median of the trials, with connections × pipeline. "
	      "**Bold**: first "
	      "in its table,\nor not told apart from the first. Rounds send different requests: "
	      "compare within a column and a load.\n\n| Contestant |",
		out);
	json_array_foreach (rounds, i, round) {
		fputc(' ', out);
		print_link(round, out);
		fputs(" |", out);
	}
	fputs("\n|:---|", out);
	for (i = 0; i < json_array_size(rounds); i++)
		fputs("---:|", out);
	fputc('\n', out);
	print_rows(rounds, out);
}
