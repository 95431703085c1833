# Manifests, rounds, process control, verification; the commands run, verify and list.
LIBRARIES += harness
harness.SRCS := harness/paths.c harness/config.c harness/call.c harness/manifest.c \
	harness/round.c harness/suite.c harness/interrupt.c harness/proc.c harness/port.c harness/local_ports.c \
	harness/process.c harness/keeper.c harness/runs.c harness/usage.c harness/disturbance.c \
	harness/reason.c harness/server.c harness/pin.c harness/plan.c harness/proto.c \
	harness/find_max.c
harness.PKGS := jansson libprotobuf-c
# Its own library, since tests of the rest need none of what it links.
LIBRARIES += verify
verify.SRCS := harness/verify/verify.c harness/verify/http.c harness/verify/thrift.c harness/verify/grpc.c \
	harness/verify/exchange.c harness/verify/sandbox.c harness/verify/sock.c \
	harness/verify/diff.c
verify.PKGS := jansson thrift_c_glib libprotobuf-c
verify.LDLIBS := -lgrpc -lgpr
# What records tell of this build: the flags, and the versions of what servers and harness link.
LIBRARIES += host
HOST_PKGS := libevent thrift_c_glib glib-2.0 jansson libxxhash libnghttp2 libprotobuf-c grpc
host.SRCS := harness/host.c harness/machine.c harness/doctor.c
host.PKGS := jansson
host.FLAGS := -DHOST_CFLAGS='"$(subst ",\",$(strip $(ALL_CFLAGS)))"' \
	-DHOST_LIBRARIES='"$(foreach p,$(HOST_PKGS),$(p) $(shell $(PKG_CONFIG) --modversion $(p)))"'
rpcbench.SRCS += harness/cmd/run.c harness/cmd/verify.c harness/cmd/list.c harness/cmd/doctor.c harness/trial.c \
	harness/progress.c harness/window.c harness/store.c harness/calibrate.c
rpcbench.LIBS := verify host harness unpkg pb llhttp $(rpcbench.LIBS)
DATA += $(wildcard servers/*/contestant.json)
