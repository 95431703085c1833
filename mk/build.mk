# The rules, after all module.mk files have named their parts.
BIN := $(O)/bin
TEST := $(O)/test

$(foreach l,$(LIBRARIES) $(FOREIGN_LIBRARIES),$(eval $(call library,$(l))))
$(foreach p,$(PROGRAMS) $(C_PEERS) $(CXX_PEERS),$(eval $(call program,$(p),$(BIN))))
$(foreach p,$(TESTS) $(TEST_PROGRAMS),$(eval $(call program,$(p),$(TEST))))

FOREIGN_OBJS := $(foreach l,$(FOREIGN_LIBRARIES),$(call objects,$($(l).SRCS)))
CXX_OBJS := $(foreach p,$(CXX_PEERS),$(call objects,$($(p).SRCS)))
C_OBJS := $(filter-out $(FOREIGN_OBJS) $(CXX_OBJS),$(OBJS))

# What clang-tidy and editors want to know of each object.
compile_c = $(CC) $(ALL_CPPFLAGS) $(PKG_CFLAGS) $(ALL_CFLAGS) -c $<
json_entry = {"directory":"$(CURDIR)","file":"$<","command":"$(subst ",\",$(subst \,\\,$(compile_c)))"}

all: $(PROGRAMS:%=$(BIN)/%) compile_commands.json ## build the harness and the servers

$(C_OBJS): $(O)/obj/%.o: %.c $(O)/flags | $(GENERATED_H)
	@mkdir -p $(@D)
	@printf '%s\n' '$(subst ','\'',$(json_entry))' > $(@:.o=.json)
	$(call say,CC,$<)$(compile_c) -MMD -MP -o $@
$(O)/obj/%.o: %.cpp $(O)/flags | $(GENERATED_CXX_H)
	@mkdir -p $(@D)
	$(call say,CXX,$<)$(CXX) -MMD -MP $(ALL_CPPFLAGS) $(PKG_CFLAGS) $(ALL_CXXFLAGS) -c -o $@ $<
$(O)/obj/gen/%.o: $(G)/%.cpp $(O)/flags
	@mkdir -p $(@D)
	$(call say,CXX,$<)$(CXX) $(ALL_CPPFLAGS) $(PKG_CFLAGS) $(ALL_CXXFLAGS) -w -c -o $@ $<
$(O)/obj/gen/%.o: $(G)/%.c $(O)/flags | $(GENERATED_H)
	@mkdir -p $(@D)
	$(call say,CC,$<)$(CC) $(ALL_CPPFLAGS) $(PKG_CFLAGS) $(FOREIGN_CFLAGS) -c -o $@ $<
$(O)/obj//%.o: /%.c $(O)/flags
	@mkdir -p $(@D)
	$(call say,CC,$<)$(CC) $(ALL_CPPFLAGS) $(PKG_CFLAGS) $(FOREIGN_CFLAGS) -c -o $@ $<
$(O)/lib%.a:
	@mkdir -p $(@D)
	$(call say,AR,$@)rm -f $@ && $(AR) rcs $@ $^
$(PROGRAMS:%=$(BIN)/%) $(C_PEERS:%=$(BIN)/%) $(TESTS:%=$(TEST)/%) $(TEST_PROGRAMS:%=$(TEST)/%):
	@mkdir -p $(@D)
	$(call say,LD,$@)$(CC) -o $@ $(filter %.o,$^) $(filter %.a,$^) $(ALL_LDFLAGS) $(LDLIBS)
$(CXX_PEERS:%=$(BIN)/%):
	@mkdir -p $(@D)
	$(call say,LD,$@)$(CXX) -o $@ $(filter %.o,$^) $(filter %.a,$^) $(ALL_LDFLAGS) $(LDLIBS)
-include $(C_OBJS:.o=.d) $(CXX_OBJS:.o=.d)

# One entry for each object built so far.
write_commands = { echo '['; cat $(C_OBJS:.o=.json) 2>/dev/null | sed '$$!s/$$/,/'; echo ']'; } > $(1)
compile_commands.json: $(PROGRAMS:%=$(BIN)/%)
	$(call say,GEN,$@)$(call write_commands,$@)

install: all man ## copy programs, data, man pages and completion to $(DESTDIR)$(prefix)
	install -d $(DESTDIR)$(bindir) $(DESTDIR)$(libexecdir) $(DESTDIR)$(datadir) \
		$(DESTDIR)$(mandir)/man1 $(DESTDIR)$(bashcompdir)
	install -m 755 $(BIN)/rpcbench $(DESTDIR)$(bindir)
	install -m 755 $(filter-out %/rpcbench,$(PROGRAMS:%=$(BIN)/%)) $(DESTDIR)$(libexecdir)
	cp -r --parents $(DATA) $(DESTDIR)$(datadir)
	install -m 644 $(MAN_PAGES) $(DESTDIR)$(mandir)/man1
	install -m 644 share/rpcbench.bash $(DESTDIR)$(bashcompdir)/rpcbench
.PHONY: all install
