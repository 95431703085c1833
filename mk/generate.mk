# C made from other files, and llhttp's own C sources from Debian's package node-llhttp.
LLHTTP_SRC := /usr/share/llhttp
LLHTTP_INCLUDE := /usr/share/include/llhttp

THRIFT_GEN := $(G)/unpkg_unpkg_service.c $(G)/unpkg_unpkg_service.h \
	$(G)/unpkg_unpkg_types.c $(G)/unpkg_unpkg_types.h
$(THRIFT_GEN) &: protos/unpkg.thrift
	@mkdir -p $(G)
	$(call say,GEN,$<)thrift --gen c_glib -out $(G) $<
GENERATED_H := $(filter %.h,$(THRIFT_GEN))
