TESTS += test_histogram
test_histogram.SRCS := tests/unit/test_histogram.c
test_histogram.LIBS := load
