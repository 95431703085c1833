# The cities: their canonical JSON, the data server and the proxy.
TESTS += test_cities_json test_cities_decode test_http1_later
test_cities_json.SRCS := tests/unit/test_cities_json.c
test_cities_json.LIBS := cities_json rpc pb
test_cities_decode.SRCS := tests/unit/test_cities_decode.c
test_cities_decode.LIBS := decode cities_json rpc pb app
test_cities_decode.PKGS := jansson
test_http1_later.SRCS := tests/unit/test_http1_later.c
test_http1_later.LIBS := http1 llhttp srv
