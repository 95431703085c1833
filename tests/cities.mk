# The cities: their canonical JSON, the data server and the proxy.
TESTS += test_cities_json test_http1_later
test_cities_json.SRCS := tests/unit/test_cities_json.c
test_cities_json.LIBS := cities_json rpc pb
test_http1_later.SRCS := tests/unit/test_http1_later.c
test_http1_later.LIBS := http1 llhttp
