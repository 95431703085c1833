# The Thrift servers, against the libraries of other languages.
SCENARIOS += tests/scenario/20-thrift-servers.bats

THRIFT_PY := $(G)/py/unpkg/UnpkgService.py
$(THRIFT_PY): protos/unpkg.thrift
	@mkdir -p $(G)/py
	$(call say,GEN,$<)thrift --gen py -out $(G)/py $<
check: $(THRIFT_PY) $(NODE_GEN)
