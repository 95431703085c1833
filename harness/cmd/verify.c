#include <stdio.h>
#include <stdlib.h>

#include "harness/call.h"
#include "harness/cmd/cmd.h"
#include "harness/interrupt.h"
#include "harness/reason.h"
#include "harness/runs.h"
#include "harness/server.h"
#include "harness/suite.h"
#include "harness/verify/verify.h"
#include "lib/buf.h"
#include "lib/fail.h"
#include "lib/opt.h"

struct verify_options {
	struct opt_list manifests;
};

static const struct opt options_table[] = {
	{.name = "manifest",
		.type = OPT_LIST,
		.offset = offsetof(struct verify_options, manifests),
		.arg = "FILE",
		.help = "more contestants; may be given several times"},
	{0},
};

struct tally {
	unsigned verified;
	unsigned failed;
	unsigned left_out;
};

/* What no look from outside can tell. */
#define ONE_REPLY " (every request gets this reply: whether it is made for each is not shown)"

/* Return: true when the call is answered as it should be. */
static bool verify_one(const struct suite *suite, const struct server *server,
	const struct manifest_call *manifest_call, struct tally *tally)
{
	struct verify_params params = {
		.contestant = server->contestant,
		.call = manifest_call,
		.port = server->process.port,
		.timeout_ns = VERIFY_TIMEOUT_NS,
	};
	char reason[REASON_MAX] = "out of memory";
	struct buf reference = {0};
	struct call expect;
	int status;

	if (call_load(&expect, &suite->paths, manifest_call->name) != 0)
		return false;
	params.expect = &expect;
	status = verify_call(&params, &reference, reason);
	if (status == 0)
		printf("ok      %s: %s%s\n", server->contestant->name, manifest_call->name,
			call_varies(&expect) || manifest_call->varied != NULL ? "" : ONE_REPLY);
	else
		printf("FAILED  %s: %s\n", server->contestant->name, reason);
	fflush(stdout);
	tally->verified += status == 0;
	tally->failed += status != 0;
	buf_free(&reference);
	call_free(&expect);
	return status == 0;
}

/* All calls of one contestant, on one process. */
static void verify_contestant(
	const struct suite *suite, const struct contestant *c, bool asked_for, struct tally *tally)
{
	char reason[REASON_MAX];
	struct server server;
	bool good = true;

	if (manifest_missing(c, &suite->paths, reason, sizeof(reason))) {
		printf("%s  %s: %s\n", asked_for ? "FAILED" : "left out", c->name, reason);
		tally->failed += asked_for;
		tally->left_out++;
		return;
	}
	if (server_start(&server, suite, c, 1, NULL, reason) != 0) {
		printf("FAILED  %s: %s\n", c->name, reason);
		tally->failed++;
		good = false;
	}
	for (size_t i = 0; server.process.pid > 0 && i < c->call_count; i++)
		good = verify_one(suite, &server, &c->calls[i], tally) && good;
	server_stop(&server, !good);
	if (server.log[0] != '\0')
		printf("        its output: %s\n", server.log);
}

static int verify_all(const struct suite *suite, char **names, int count)
{
	struct tally tally = {0};

	runs_open("rpcbench verify");
	interrupt_install();
	for (size_t i = 0; count == 0 && i < suite->manifests.count; i++)
		if (interrupt_signal() == 0)
			verify_contestant(suite, &suite->manifests.list[i], false, &tally);
	for (int i = 0; i < count && interrupt_signal() == 0; i++)
		verify_contestant(suite, manifest_find(&suite->manifests, names[i]), true, &tally);
	runs_close();
	printf("calls verified: %u, failures: %u, contestants left out: %u\n", tally.verified,
		tally.failed, tally.left_out);
	if (interrupt_signal() != 0)
		return EXIT_SIGNAL + interrupt_signal();
	if (tally.failed > 0)
		return EXIT_FAILURES;
	return tally.verified > 0 ? EXIT_FINE : EXIT_UNMEASURED;
}

int cmd_verify(int argc, char **argv)
{
	struct verify_options options = {0};
	struct suite suite;
	int status;
	int first;

	status = cmd_parse(
		options_table, &options, "rpcbench verify [OPTIONS] [NAME]…", argc, argv, &first);
	if (status != CMD_GO_ON)
		return status;
	status = EXIT_USAGE;
	if (suite_open(&suite, &options.manifests) != 0)
		return EXIT_USAGE;
	for (int i = first; i < argc; i++)
		if (suite_find(&suite, argv[i]) == NULL)
			goto out;
	status = verify_all(&suite, argv + first, argc - first);
out:
	suite_close(&suite);
	return status;
}
