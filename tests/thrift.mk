# The Thrift servers, against the libraries of other languages.

THRIFT_PY := $(G)/py/unpkg/UnpkgService.py
$(THRIFT_PY): protos/unpkg.thrift
	@mkdir -p $(G)/py
	$(call say,GEN,$<)thrift --gen py -out $(G)/py $<
check: $(THRIFT_PY) $(NODE_GEN)

TESTS += test_thrift_end test_thrift_reply
test_thrift_end.SRCS := tests/unit/test_thrift_end.c
test_thrift_end.LIBS := thriftd
test_thrift_reply.SRCS := tests/unit/test_thrift_reply.c
test_thrift_reply.LIBS := thriftd thrift_handler srv unpkg app
