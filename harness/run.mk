# Manifests, rounds, process control, verification; the commands run, verify and list.
LIBRARIES += harness
harness.SRCS := harness/paths.c harness/config.c harness/call.c harness/manifest.c \
	harness/round.c harness/suite.c harness/interrupt.c harness/proc.c harness/port.c \
	harness/process.c harness/usage.c harness/reason.c harness/server.c
harness.PKGS := jansson
# Its own library, since tests of the rest need none of what it links.
LIBRARIES += verify
verify.SRCS := harness/verify/verify.c harness/verify/http.c harness/verify/thrift.c \
	harness/verify/exchange.c harness/verify/sandbox.c harness/verify/sock.c \
	harness/verify/diff.c
verify.PKGS := jansson thrift_c_glib
rpcbench.SRCS += harness/cmd/list.c harness/cmd/verify.c
rpcbench.LIBS := verify harness unpkg llhttp $(rpcbench.LIBS)
DATA += $(wildcard servers/*/contestant.json)
