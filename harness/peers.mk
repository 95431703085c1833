# rpcbench bench: its plan, load generators as programs, comparisons, the report.
LIBRARIES += bench
bench.SRCS := harness/bench.c harness/client.c
bench.PKGS := jansson
report.SRCS += harness/report/peers.c
rpcbench.SRCS +=
rpcbench.SRCS += harness/cmd/bench.c harness/compare.c
rpcbench.LIBS := bench $(rpcbench.LIBS)
