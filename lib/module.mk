# base: no protocol, no sockets
LIBRARIES += base
base.SRCS := lib/buf.c lib/clock.c lib/fail.c lib/opt.c lib/units.c
base.LDLIBS := -lm
