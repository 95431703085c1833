# What proves the numbers: conditions, self-checks, distributions.
TESTS += test_condition
test_condition.SRCS := tests/unit/test_condition.c
test_condition.LIBS := report stats load
