# Manifests, rounds, process control, verification; the commands run, verify and list.
TESTS += test_manifest test_round
test_manifest.SRCS := tests/unit/test_manifest.c
test_manifest.LIBS := harness
test_round.SRCS := tests/unit/test_round.c
test_round.LIBS := harness
SCENARIOS += tests/scenario/40-run-list.bats
