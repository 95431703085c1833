# Man pages, made from what each command's --help prints.
MAN := $(O)/man
COMMANDS := run verify load bench list compare doctor report
MAN_PAGES := $(MAN)/rpcbench.1 $(COMMANDS:%=$(MAN)/rpcbench-%.1)

# The line of a command in rpcbench --help, without its name.
summary_of = $(BIN)/rpcbench --help | sed -n 's/^  $(1)  *//p'
# $(1): the command and its arguments, $(2): its name for the page, $(3): its summary
help2man = SOURCE_DATE_EPOCH=$$(git log -1 --format=%ct 2>/dev/null || date +%s) help2man --no-info --include=share/rpcbench.h2m \
	--manual=rpcbench --source='rpcbench $(VERSION)' --version-string=$(VERSION) \
	--name="$(3)" --output=$@ '$(1)'

man: $(MAN_PAGES) ## make man pages, for make install
$(MAN)/rpcbench.1: $(BIN)/rpcbench share/rpcbench.h2m
	@mkdir -p $(@D)
	$(call say,MAN,$@)$(call help2man,$(BIN)/rpcbench,rpcbench,a benchmark suite for servers)
$(MAN)/rpcbench-%.1: $(BIN)/rpcbench share/rpcbench.h2m
	@mkdir -p $(@D)
	$(call say,MAN,$@)$(call help2man,$(BIN)/rpcbench $*,rpcbench $*,$$($(call summary_of,$*)))
.PHONY: man
