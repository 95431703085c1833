# The HTTP/2 server side, its contestants, and clients of them that are not ours.

GRPC_PY := $(PROTOS:%=$(G)/py/%_pb2.py)
$(GRPC_PY): $(G)/py/%_pb2.py: protos/%.proto
	@mkdir -p $(G)/py
	$(call say,GEN,$<)protoc --python_out=$(G)/py -Iprotos -I/usr/include $<
check: $(GRPC_PY)

TESTS += test_grpc_text test_grpc_server
test_grpc_text.SRCS := tests/unit/test_grpc_text.c
test_grpc_text.LIBS := grpch2
test_grpc_server.SRCS := tests/unit/test_grpc_server.c tests/unit/h2_client.c
test_grpc_server.LIBS := grpch2 rpc pb app srv
