# The load engine and its codecs.
LIBRARIES += codec_driver
codec_driver.SRCS := tests/unit/codec_driver.c
codec_driver.PKGS := cmocka libxxhash

TESTS += test_histogram test_pace test_warmup test_http1_codec test_thrift_codec
test_histogram.SRCS := tests/unit/test_histogram.c
test_histogram.LIBS := load
test_warmup.SRCS := tests/unit/test_warmup.c
test_warmup.LIBS := load
test_pace.SRCS := tests/unit/test_pace.c
test_pace.LIBS := load stats
test_http1_codec.SRCS := tests/unit/test_http1_codec.c
test_http1_codec.LIBS := codec_driver load
test_thrift_codec.SRCS := tests/unit/test_thrift_codec.c
test_thrift_codec.LIBS := codec_driver load

LIBRARIES += h2_peer
h2_peer.SRCS := tests/unit/h2_peer.c
h2_peer.PKGS := cmocka libnghttp2
TESTS += test_h2_codec
test_h2_codec.SRCS := tests/unit/test_h2_codec.c
test_h2_codec.LIBS := h2_peer codec_driver load
