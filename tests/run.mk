# Manifests, rounds, process control, verification; the commands run, verify and list.
TESTS += test_machine test_manifest test_round test_process test_usage test_plan test_disturbance
test_machine.SRCS := tests/unit/test_machine.c
test_machine.LIBS := host harness report stats load
test_manifest.SRCS := tests/unit/test_manifest.c
test_manifest.LIBS := harness
test_round.SRCS := tests/unit/test_round.c
test_round.LIBS := harness report stats load
test_process.SRCS := tests/unit/test_process.c
test_process.LIBS := harness
test_usage.SRCS := tests/unit/test_usage.c
test_usage.LIBS := harness
test_plan.SRCS := tests/unit/test_plan.c
test_plan.LIBS := harness report stats load
test_disturbance.SRCS := tests/unit/test_disturbance.c
test_disturbance.LIBS := harness report stats load
