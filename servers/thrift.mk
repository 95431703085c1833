# The Thrift servers: one server side and a row of data for each, and the library's own server.
LIBRARIES += thriftd thrift_handler
thriftd.SRCS := $(addprefix servers/common/thrift_, \
	binary.c bytes.c call.c compact.c conn.c end.c)
thriftd.PKGS := thrift_c_glib
thrift_handler.SRCS := servers/common/thrift_handler.c servers/common/thrift_types.c
thrift_handler.PKGS := thrift_c_glib

THRIFT_SERVERS := thrift-binary thrift-framed thrift-compact
PROGRAMS += $(THRIFT_SERVERS) thrift-simple
$(foreach p,$(THRIFT_SERVERS),$(eval $(p).SRCS := servers/$(p)/main.c) \
	$(eval $(p).LIBS := thriftd thrift_handler srv unpkg app base))
thrift-simple.SRCS := servers/thrift-simple/main.c servers/thrift-simple/guard.c
thrift-simple.LIBS := thrift_handler srv unpkg app base

# GLib checks each cast of generated code at run time unless told not to.
$(call objects,$(unpkg.SRCS)): private FOREIGN_CFLAGS += -DG_DISABLE_CAST_CHECKS
