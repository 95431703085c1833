# The Thrift servers: one server side, a row of data for each.
LIBRARIES += thriftd
thriftd.SRCS := servers/common/thrift_end.c servers/common/thrift_binary.c servers/common/thrift_bytes.c \
	servers/common/thrift_call.c servers/common/thrift_conn.c servers/common/thrift_handler.c
thriftd.PKGS := thrift_c_glib

THRIFT_SERVERS := thrift-binary thrift-framed thrift-compact
PROGRAMS += $(THRIFT_SERVERS)
$(foreach p,$(THRIFT_SERVERS),$(eval $(p).SRCS := servers/$(p)/main.c) \
	$(eval $(p).LIBS := thriftd srv unpkg app base))

# GLib checks each cast of generated code at run time unless told not to.
$(call objects,$(unpkg.SRCS)): private FOREIGN_CFLAGS += -DG_DISABLE_CAST_CHECKS
