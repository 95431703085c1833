# Tests of the HTTP servers.
TESTS += test_http1_server
test_http1_server.SRCS := tests/unit/test_http1_server.c
test_http1_server.LIBS := http1 llhttp srv
