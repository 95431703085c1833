# Fuzz targets: run over their corpus and some changed inputs by make check, for long by make fuzz,
# whose BUILD=fuzz links clang's libFuzzer in place of driver.c.
FUZZERS := grpc_server http1_server thrift_server h2_client http1_client thrift_client \
	cities manifest record

LIBRARIES += fuzz fuzz_server fuzz_client
fuzz.SRCS := tests/fuzz/fuzz.c $(if $(filter fuzz,$(BUILD)),,tests/fuzz/driver.c)
fuzz_server.SRCS := tests/fuzz/server.c
fuzz_server.PKGS := libevent_core
fuzz_client.SRCS := tests/fuzz/client.c
fuzz_client.PKGS := libxxhash

TESTS += $(FUZZERS:%=fuzz_%)
$(foreach f,$(FUZZERS),$(eval fuzz_$(f).SRCS := tests/fuzz/$(f).c))
fuzz_grpc_server.LIBS := fuzz_server grpch2 rpc pb app srv
fuzz_http1_server.LIBS := fuzz_server http1 llhttp srv
fuzz_thrift_server.LIBS := fuzz_server thriftd thrift_handler srv unpkg app
$(foreach f,h2 http1 thrift,$(eval fuzz_$(f)_client.LIBS := fuzz_client load))
fuzz_cities.LIBS := decode cities_json rpc pb app
fuzz_manifest.LIBS := harness
fuzz_record.LIBS := report stats load
# Last but base, whose messages it keeps quiet.
$(foreach f,$(FUZZERS),$(eval fuzz_$(f).LIBS += fuzz))

# What libFuzzer finds beyond the corpus goes to build/fuzz/corpus, what breaks into the corpus.
FUZZ ?= $(FUZZERS)
FUZZ_TIME ?= 60
fuzz-run: $(FUZZ:%=fuzz-run-%)
$(FUZZERS:%=fuzz-run-%): fuzz-run-%: $(O)/test/fuzz_%
	@mkdir -p $(O)/corpus/$*
	$(call say,FUZZ,$*)G_SLICE=always-malloc $< -max_total_time=$(FUZZ_TIME) -max_len=8192 \
		-timeout=10 -artifact_prefix=tests/fuzz/corpus/$*/ $(O)/corpus/$* tests/fuzz/corpus/$* \
		>$(O)/$*.log 2>&1 || { tail -50 $(O)/$*.log; exit 1; }; grep '^Done' $(O)/$*.log
.PHONY: fuzz-run $(FUZZERS:%=fuzz-run-%)
