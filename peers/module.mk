# What make bench compares with. Only null-epoll is built by make all; nginx needs no build.
LIBRARIES += peer
peer.SRCS := peers/peer.c

PROGRAMS += null-epoll
null-epoll.SRCS := peers/null-epoll/main.c
null-epoll.LIBS := peer srv base

# $(call have,COMMAND): whether it succeeds. What is missing goes to LEFT_OUT, as NAME:WHAT.
have = $(shell { $(1); } >/dev/null 2>&1 && echo yes)

ifeq ($(call have,$(PKG_CONFIG) --exists libmicrohttpd),yes)
C_PEERS += libmicrohttpd
libmicrohttpd.SRCS := peers/libmicrohttpd/main.c
libmicrohttpd.LIBS := peer srv app base
libmicrohttpd.PKGS := libmicrohttpd
else
LEFT_OUT += libmicrohttpd:libmicrohttpd-dev
endif

ifeq ($(call have,$(PKG_CONFIG) --exists thrift-nb && command -v $(CXX)),yes)
CXX_PEERS += cpp-thrift
cpp-thrift.SRCS := peers/cpp-thrift/main.cpp $(filter %.cpp,$(CXX_GEN))
cpp-thrift.LIBS := srv app base
cpp-thrift.PKGS := thrift thrift-nb
cpp-thrift.LDLIBS := -levent_extra
else
LEFT_OUT += cpp-thrift:libthrift-dev
endif

ifeq ($(call have,$(PKG_CONFIG) --exists grpc++ && command -v grpc_cpp_plugin && command -v $(CXX)),yes)
CXX_PEERS += grpc-cpp
grpc-cpp.SRCS := peers/grpc-cpp/main.cpp $(filter %.cpp,$(CXX_PROTO_GEN))
grpc-cpp.LIBS := srv app base
grpc-cpp.PKGS := grpc++ protobuf
$(call objects,peers/grpc-cpp/main.cpp): | $(filter %.h,$(CXX_PROTO_GEN))
else
LEFT_OUT += grpc-cpp:libgrpc++-dev,protobuf-compiler-grpc
endif

GO_SRC := /usr/share/gocode
ifeq ($(call have,command -v go && test -d $(GO_SRC)/src/github.com/labstack/echo),yes)
OTHER_PEERS += $(O)/bin/go-echo
$(O)/bin/go-echo: peers/go-echo/main.go
	@mkdir -p $(@D)
	$(call say,GO,$<)GO111MODULE=off GOPATH=$(GO_SRC) GOCACHE=$(CURDIR)/build/go \
		go build -o $@ $<
else
LEFT_OUT += go-echo:golang-github-labstack-echo-dev
endif

ifeq ($(call have,command -v go && command -v protoc-gen-go && test -d $(GO_SRC)/src/google.golang.org/grpc),yes)
OTHER_PEERS += $(O)/bin/grpc-go
$(O)/bin/grpc-go: peers/grpc-go/main.go $(GO_PROTO_GEN)
	@mkdir -p $(@D)
	$(call say,GO,$<)GO111MODULE=off GOPATH=$(CURDIR)/$(G)/go:$(GO_SRC) \
		GOCACHE=$(CURDIR)/build/go go build -o $@ $<
else
LEFT_OUT += grpc-go:golang-google-grpc-dev
endif

ifeq ($(call have,command -v node && test -f build/npm/node/stamp),yes)
OTHER_PEERS += $(NODE_GEN)
else
LEFT_OUT += node-koa,node-thrift,node-proxy:npm
endif

peers: all $(C_PEERS:%=$(O)/bin/%) $(CXX_PEERS:%=$(O)/bin/%) $(OTHER_PEERS) ## build what make bench compares with
	@$(foreach p,$(LEFT_OUT),echo 'peers: $(subst :, is left out for lack of ,$(p)); make setup-peers installs it';)

bench: peers ## compare with the peers, write results/peers.json and .md
	@$(O)/bin/rpcbench bench $(BENCH_ARGS)
.PHONY: peers bench
