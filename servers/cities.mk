# The cities: the data server, and the proxy in front of it.
LIBRARIES += cities_json
cities_json.SRCS := servers/common/cities_json.c
cities_json.LDLIBS := -lm

LIBRARIES += decode
decode.SRCS := servers/cities-proxy/decode.c servers/cities-proxy/json.c
decode.PKGS := libprotobuf-c

PROGRAMS += cities-data
cities-data.SRCS := servers/cities-data/main.c
cities-data.LIBS := cities_json http1 llhttp grpch2 rpc pb app srv base

PROGRAMS += cities-proxy
cities-proxy.SRCS := $(addprefix servers/cities-proxy/, \
	main.c proxy.c rest.c grpc.c upstream.c)
cities-proxy.LIBS := decode cities_json http1 llhttp rpc pb app srv base
cities-proxy.PKGS := libnghttp2
