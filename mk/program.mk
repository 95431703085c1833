# A module.mk says:
#   LIBRARIES += http1
#   http1.SRCS := servers/common/http1.c     (its own sources)
#   http1.PKGS := libevent                   (pkg-config names, to compile and to link)
#   http1.FLAGS := -DNAME=1                  (further flags to compile its own sources)
#   PROGRAMS += http-hello
#   http-hello.SRCS := servers/http-hello/main.c
#   http-hello.LIBS := http1 base            (in link order)
# A source used by two programs belongs to a library. TESTS are programs kept under test/,
# TEST_PROGRAMS what they need to run; C_PEERS and CXX_PEERS (of C++ sources) are programs that
# only `make peers` builds.

# $(call objects,SRCS): where the object of each source goes
objects = $(patsubst %,$(O)/obj/%.o,$(basename $(patsubst $(G)/%,gen/%,$(1))))

pkg_cflags = $(if $(1),$(shell $(PKG_CONFIG) --cflags $(1)))
pkg_libs = $(if $(1),$(shell $(PKG_CONFIG) --libs $(1)))

# $(call closure,NAME,SUFFIX): the program's own list and that of each library it links
closure = $(sort $($(1).$(2)) $(foreach l,$($(1).LIBS),$($(l).$(2))))

define library
$(O)/lib$(1).a: $(call objects,$($(1).SRCS))
$(call compile,$(1))
endef

define compile
$(call objects,$($(1).SRCS)): private PKG_CFLAGS := $(call pkg_cflags,$(call closure,$(1),PKGS)) $($(1).FLAGS)
OBJS += $(call objects,$($(1).SRCS))
endef

define program
$(2)/$(1): $(call objects,$($(1).SRCS)) $($(1).LIBS:%=$(O)/lib%.a)
$(2)/$(1): private LDLIBS := $(call pkg_libs,$(call closure,$(1),PKGS)) $(call closure,$(1),LDLIBS)
$(call compile,$(1))
endef
