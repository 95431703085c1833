# gRPC: the generated messages.
FOREIGN_LIBRARIES += pb
pb.SRCS := $(filter %.c,$(PROTO_GEN))
pb.PKGS := libprotobuf-c
