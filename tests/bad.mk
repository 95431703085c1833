# The scripted misbehaving server, for the scenarios of rpcbench load.
TEST_PROGRAMS += badserver
badserver.SRCS := $(addprefix tests/badserver/,main.c conn.c reply.c script.c http1.c h2.c thrift.c)
badserver.PKGS := libevent_core libevent_extra
badserver.LIBS := base
