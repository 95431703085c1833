# The load engine and its codecs.
LIBRARIES += load
load.SRCS := harness/load/outcome.c harness/load/histogram.c harness/load/record.c \
	harness/load/pace.c harness/load/source.c harness/load/target.c harness/load/conn.c \
	harness/load/worker.c harness/load/warmup.c harness/load/load.c \
	harness/codec/codec_table.c harness/codec/null.c harness/codec/reference.c harness/codec/http1.c \
	harness/codec/h2.c harness/codec/h2_send.c harness/codec/h2_head.c harness/codec/h2_frame.c \
	harness/codec/thrift.c harness/codec/thrift_wire.c harness/codec/thrift_args.c
load.PKGS := libxxhash jansson libnghttp2
load.LDLIBS := -lm
rpcbench.SRCS += harness/cmd/load.c
rpcbench.LIBS := load $(rpcbench.LIBS)
