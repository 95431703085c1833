# make check: unit and golden tests (cmocka) and scenarios (bats), all through prove.
TESTS += test_buf test_opt test_units test_app
test_buf.SRCS := tests/unit/test_buf.c
test_opt.SRCS := tests/unit/test_opt.c
test_units.SRCS := tests/unit/test_units.c
test_app.SRCS := tests/unit/test_app.c
test_app.LIBS := app

include tests/bad.mk
include tests/cities.mk
include tests/fuzz.mk
include tests/grpc.mk
include tests/h2.mk
include tests/http.mk
include tests/load.mk
include tests/peers.mk
include tests/proof.mk
include tests/report.mk
include tests/run.mk
include tests/thrift.mk
include tests/tools.mk

$(foreach t,$(TESTS),$(eval $(t).LIBS += base)$(eval $(t).PKGS += cmocka)$(eval $(t).LDLIBS += -lm))

# Scenarios wait more than they work, so two files at once take little more than half the time. Those
# that keep both CPUs busy by themselves, or look at time closely, do not run beside each other.
TEST_JOBS ?= 2
BUSY := tests/scenario/{19-open-loop,44-faults,45-harness-faults,46-warmup}.bats
SCENARIOS := $(sort $(wildcard tests/scenario/*.bats))
# RETRY=1: files that failed run once more, by themselves. A machine that is not ours alone can take a
# CPU away for longer than any test waits; what fails twice is a fault.
RETRY ?=
PROVE = RPCBENCH_BIN=$(CURDIR)/$(O)/bin prove --timer --comments --exec tests/tap \
	--statefile $(O)/test/state
check: all $(TESTS:%=$(O)/test/%) $(TEST_PROGRAMS:%=$(O)/test/%) ## run all tests, with what is installed
	@$(PROVE) --state=save --jobs $(TEST_JOBS) --rules 'seq=$(BUSY)' --rules 'par=**' \
		$(TESTS:%=$(O)/test/%) $(SCENARIOS) || \
		{ [ -n "$(RETRY)" ] && echo "once more, by themselves:" && $(PROVE) --state=failed; }
check-threads: all ## run the tests of what threads share (for BUILD=tsan)
	@RPCBENCH_BIN=$(CURDIR)/$(O)/bin G_SLICE=always-malloc \
		TSAN_OPTIONS=suppressions=$(CURDIR)/tests/tsan.supp \
		prove --exec tests/tap tests/scenario/60-threads.bats
.PHONY: check check-threads
