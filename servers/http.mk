# The HTTP/1.1 server side and its contestants.
LIBRARIES += http1 http_json
http1.SRCS := servers/common/http1.c servers/common/http1_head.c servers/common/http1_reply.c \
	servers/common/http1_target.c
http_json.SRCS := servers/common/http_json.c
http_json.PKGS := jansson

PROGRAMS += http-hello http-json http-evhttp
http-hello.SRCS := servers/http-hello/main.c
http-hello.LIBS := app http1 llhttp srv base
http-json.SRCS := servers/http-json/main.c
http-json.LIBS := http1 llhttp http_json app srv base
http-evhttp.SRCS := servers/http-evhttp/main.c servers/http-evhttp/service.c
http-evhttp.LIBS := http_json app srv base
http-evhttp.PKGS := libevent_extra
