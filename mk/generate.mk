# C made from other files, and llhttp's own C sources from Debian's package node-llhttp.
LLHTTP_SRC := /usr/share/llhttp
LLHTTP_INCLUDE := /usr/share/include/llhttp

# The generated finalizers do not call that of GObject: without it each object leaks some memory.
CHAIN_UP := '/_finalize (GObject \*object)$$/,/^}/ s/^}/  G_OBJECT_CLASS (g_type_class_peek (G_TYPE_OBJECT))->finalize (object);\n}/'
THRIFT_GEN := $(G)/unpkg_unpkg_service.c $(G)/unpkg_unpkg_service.h \
	$(G)/unpkg_unpkg_types.c $(G)/unpkg_unpkg_types.h
$(THRIFT_GEN) &: protos/unpkg.thrift mk/generate.mk
	@mkdir -p $(G)
	$(call say,GEN,$<)thrift --gen c_glib -out $(G) $<
	@sed -i $(CHAIN_UP) $(G)/unpkg_unpkg_types.c

# protobuf-c: our interfaces, and the one of Google's that they import.
PROTOS := unpkg city echo
PROTO_GEN := $(foreach p,$(PROTOS) google/protobuf/empty,$(G)/$(p).pb-c.c $(G)/$(p).pb-c.h)
$(G)/google/protobuf/%.pb-c.c $(G)/google/protobuf/%.pb-c.h: /usr/include/google/protobuf/%.proto
	@mkdir -p $(G)
	$(call say,GEN,$<)protoc-c --c_out=$(G) -I/usr/include $<
$(G)/%.pb-c.c $(G)/%.pb-c.h: protos/%.proto
	@mkdir -p $(G)
	$(call say,GEN,$<)protoc-c --c_out=$(G) -Iprotos -I/usr/include $<
GENERATED_H := $(filter %.h,$(THRIFT_GEN) $(PROTO_GEN))

# The same for the peers in C++ and JavaScript.
CXX_GEN := $(addprefix $(G)/cpp/,UnpkgService.cpp UnpkgService.h unpkg_types.cpp unpkg_types.h)
NODE_GEN := $(addprefix $(G)/node/,UnpkgService.js unpkg_types.js)
$(CXX_GEN) &: protos/unpkg.thrift
	@mkdir -p $(G)/cpp
	$(call say,GEN,$<)thrift --gen cpp:no_skeleton -out $(G)/cpp $<
$(NODE_GEN) &: protos/unpkg.thrift
	@mkdir -p $(G)/node
	$(call say,GEN,$<)thrift --gen js:node -out $(G)/node $<
GENERATED_CXX_H := $(filter %.h,$(CXX_GEN))
CXX_PROTO_GEN := $(foreach e,pb.cpp pb.h grpc.pb.cpp grpc.pb.h,$(G)/cpp/unpkg.$(e))
$(CXX_PROTO_GEN) &: protos/unpkg.proto
	@mkdir -p $(G)/cpp
	$(call say,GEN,$<)protoc -Iprotos --cpp_out=$(G)/cpp --grpc_out=$(G)/cpp \
		--plugin=protoc-gen-grpc=$$(command -v grpc_cpp_plugin) $<
	@cd $(G)/cpp && mv unpkg.pb.cc unpkg.pb.cpp && mv unpkg.grpc.pb.cc unpkg.grpc.pb.cpp
GO_PROTO_GEN := $(G)/go/src/unpkg/unpkg.pb.go
$(GO_PROTO_GEN): protos/unpkg.proto
	@mkdir -p $(@D)
	$(call say,GEN,$<)protoc -Iprotos --go_out=plugins=grpc:$(@D) $<
