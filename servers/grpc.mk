# gRPC: the generated messages, the methods, and the servers over them.
FOREIGN_LIBRARIES += pb
pb.SRCS := $(filter %.c,$(PROTO_GEN))
pb.PKGS := libprotobuf-c

LIBRARIES += rpc
rpc.SRCS := servers/common/rpc.c servers/common/cities.c
rpc.PKGS := libprotobuf-c jansson
DATA += $(wildcard servers/common/cities-1500.*)

# HTTP/2 and gRPC by nghttp2.
LIBRARIES += grpch2
grpch2.SRCS := $(addprefix servers/common/,http2.c http2_session.c http2_stream.c grpc_call.c grpc_text.c)
grpch2.PKGS := libnghttp2 libevent_core
PROGRAMS += grpc-nghttp2
grpc-nghttp2.SRCS := servers/grpc-nghttp2/main.c
grpc-nghttp2.LIBS := grpch2 rpc pb app srv base

PROGRAMS += grpc-core
grpc-core.SRCS := servers/grpc-core/main.c servers/grpc-core/call.c
grpc-core.LIBS := rpc pb app srv base
grpc-core.LDLIBS := -lgrpc -lgpr
