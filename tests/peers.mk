TESTS += test_bench
test_bench.SRCS := tests/unit/test_bench.c
test_bench.LIBS := bench harness report load
