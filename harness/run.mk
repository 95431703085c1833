# Manifests, rounds, process control, verification; the commands run, verify and list.
LIBRARIES += harness
harness.SRCS := harness/paths.c harness/config.c harness/call.c harness/manifest.c \
	harness/round.c harness/suite.c harness/interrupt.c harness/proc.c harness/port.c \
	harness/process.c harness/usage.c
harness.PKGS := jansson
rpcbench.SRCS += harness/cmd/list.c
rpcbench.LIBS := harness $(rpcbench.LIBS)
DATA += $(wildcard servers/*/contestant.json)
