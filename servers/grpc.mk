# gRPC: the generated messages, the methods, and the servers over them.
FOREIGN_LIBRARIES += pb
pb.SRCS := $(filter %.c,$(PROTO_GEN))
pb.PKGS := libprotobuf-c

LIBRARIES += rpc
rpc.SRCS := servers/common/rpc.c servers/common/cities.c
rpc.PKGS := libprotobuf-c jansson
DATA += $(wildcard servers/common/cities-1500.*)
