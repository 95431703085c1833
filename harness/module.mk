# rpcbench: the load engine and its codecs, the harness around it, statistics and reports.
PROGRAMS += rpcbench
rpcbench.SRCS := harness/main.c
rpcbench.LIBS := base
DATA += harness/rounds protos/expect

include harness/load.mk harness/run.mk harness/report.mk harness/peers.mk
