# What proves the numbers: conditions, self-checks, distributions.
TESTS += test_condition test_proof
test_condition.SRCS := tests/unit/test_condition.c
test_condition.LIBS := report stats load
test_proof.SRCS := tests/unit/test_proof.c
test_proof.LIBS := report stats load

# Latencies of known distributions through the whole path, for a scenario.
TEST_PROGRAMS += stream
stream.SRCS := tests/stream/main.c
stream.LIBS := report stats load base
stream.LDLIBS := -lm
