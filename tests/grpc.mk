# The gRPC servers.
TESTS += test_rpc test_cities
test_rpc.SRCS := tests/unit/test_rpc.c
test_rpc.LIBS := rpc pb app
test_cities.SRCS := tests/unit/test_cities.c
test_cities.LIBS := rpc pb
