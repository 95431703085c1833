# Statistics, the result record and what is rendered from it.
TESTS += test_stats test_rank_test test_rank test_change test_result test_report test_page
test_stats.SRCS := tests/unit/test_stats.c
test_stats.LIBS := stats
test_rank_test.SRCS := tests/unit/test_rank_test.c
test_rank_test.LIBS := stats
test_rank.SRCS := tests/unit/test_rank.c
test_rank.LIBS := report stats load
test_change.SRCS := tests/unit/test_change.c
test_change.LIBS := report stats load
test_result.SRCS := tests/unit/test_result.c
test_result.LIBS := report stats load
test_report.SRCS := tests/unit/test_report.c
test_report.LIBS := report stats load
test_page.SRCS := tests/unit/test_page.c
test_page.LIBS := report stats load
