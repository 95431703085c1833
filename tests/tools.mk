# make compare-tools: load generators beside badserver, by tests/tools/plan.json.
compare-tools: all $(O)/test/badserver ## run the same scenarios with other load generators, write results/tools.json and .md
	@tests/tools/compare_tools.py --bin $(O)/bin $(COMPARE_ARGS)
.PHONY: compare-tools
