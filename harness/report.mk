# Statistics, the result record and what is rendered from it.
LIBRARIES += stats
stats.SRCS := harness/stats/stats.c
