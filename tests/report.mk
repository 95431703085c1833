# Statistics, the result record and what is rendered from it.
TESTS += test_stats
test_stats.SRCS := tests/unit/test_stats.c
test_stats.LIBS := stats
