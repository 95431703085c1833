# Manifests, rounds, process control, verification; the commands run, verify and list.
LIBRARIES += harness
harness.SRCS := harness/paths.c harness/config.c harness/call.c harness/manifest.c \
	harness/round.c harness/suite.c
harness.PKGS := jansson
rpcbench.SRCS += harness/cmd/list.c
rpcbench.LIBS := harness $(rpcbench.LIBS)
DATA += $(wildcard servers/*/contestant.json)
