# The servers: libraries they share, then a program for each.
LIBRARIES += app srv
app.SRCS := servers/common/app.c
srv.SRCS := servers/common/srv.c servers/common/count.c servers/common/stream.c
srv.PKGS := libevent_core

FOREIGN_LIBRARIES += llhttp unpkg
llhttp.SRCS := $(LLHTTP_SRC)/api.c $(LLHTTP_SRC)/http.c $(LLHTTP_SRC)/llhttp.c
llhttp.FLAGS := -DLLHTTP_STRICT_MODE=1
unpkg.SRCS := $(filter %.c,$(THRIFT_GEN))
unpkg.PKGS := thrift_c_glib

PROGRAMS += null
null.SRCS := servers/null/main.c
null.LIBS := srv base

include servers/http.mk servers/thrift.mk servers/grpc.mk servers/cities.mk
