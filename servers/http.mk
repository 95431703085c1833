# The HTTP/1.1 server side and its contestants.
LIBRARIES += http1
http1.SRCS := servers/common/http1.c servers/common/http1_head.c servers/common/http1_reply.c \
	servers/common/http1_target.c

PROGRAMS += http-hello
http-hello.SRCS := servers/http-hello/main.c
http-hello.LIBS := app http1 llhttp srv base
