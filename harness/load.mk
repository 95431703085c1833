# The load engine and its codecs.
LIBRARIES += load
load.SRCS := harness/load/outcome.c harness/load/histogram.c harness/load/record.c \
	harness/codec/reference.c
load.PKGS := libxxhash
load.LDLIBS := -lm
