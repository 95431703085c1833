# make lint: layout, bugs that tools can see, and who may include whom.
LINT_C := $(shell git ls-files '*.c' '*.h')
LINT_SH := $(shell git ls-files 'scripts/*' 'peers/run-*' 'tests/tap' '.ci/run' '*.sh')

# bugprone-* without what is style: arguments of one type, names with underscores, narrowing.
TIDY_CHECKS := -*,bugprone-*,-bugprone-easily-swappable-parameters,$\
	-bugprone-reserved-identifier,-bugprone-narrowing-conversions

lint: lint-format lint-includes lint-tidy lint-cppcheck lint-shell ## check layout, include rules, common bugs

lint-format:
	@clang-format --dry-run --Werror $(LINT_C)

# A pattern that finds something is a broken rule; the message says which.
lint-includes:
	@! git grep -nE '#include "(harness|servers|peers|tests)/' -- lib || \
		{ echo "lint: lib may include only lib"; false; }
	@! git grep -nE '#include "servers/' -- harness || \
		{ echo "lint: harness may not include servers"; false; }
	@! git grep -nE '#include "harness/' -- servers || \
		{ echo "lint: servers may not include harness"; false; }

lint-tidy: $(C_OBJS)
	@$(call write_commands,compile_commands.json)
	@clang-tidy --quiet --warnings-as-errors='*' --checks='$(TIDY_CHECKS)' $(filter %.c,$(LINT_C))

lint-cppcheck:
	@cppcheck --quiet --error-exitcode=1 --inline-suppr --std=c11 -I. -D_GNU_SOURCE \
		--enable=warning,portability --suppress=missingIncludeSystem \
		--suppress=unknownMacro $(filter %.c,$(LINT_C))

lint-shell:
	@shellcheck $(LINT_SH)
.PHONY: lint lint-format lint-includes lint-tidy lint-cppcheck lint-shell
