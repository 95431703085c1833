# rpcbench. `make help` lists the targets; settings that last go to config.mk.
.DEFAULT_GOAL := all
.DELETE_ON_ERROR:
MAKEFLAGS += --no-builtin-rules

# release | debug | asan | tsan: one object tree each, never mixed; generated C is shared
BUILD ?= release
-include config.mk
O := build/$(BUILD)
G := build/gen

prefix ?= /usr/local
bindir ?= $(prefix)/bin
libexecdir ?= $(prefix)/libexec/rpcbench
datadir ?= $(prefix)/share/rpcbench
mandir ?= $(prefix)/share/man
bashcompdir ?= $(prefix)/share/bash-completion/completions

# Targets that run before anything can be built must not ask pkg-config for what they install.
SETUP_GOALS := help clean setup setup-peers run-round1 run-round2 run-cities test fuzz
MODULES := lib/module.mk servers/module.mk harness/module.mk peers/module.mk tests/module.mk

include mk/say.mk
ifneq ($(filter-out $(SETUP_GOALS),$(or $(MAKECMDGOALS),all)),)
include mk/flags.mk mk/generate.mk mk/program.mk $(MODULES) mk/build.mk mk/docs.mk mk/lint.mk
endif

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## /{printf "  %-14s %s\n", $$1, $$2}' Makefile mk/*.mk */module.mk
	@echo "settings: BUILD=release|debug|asan|tsan CC=clang V=1 QUICK=1 prefix=DIR DESTDIR=DIR"

setup: ## install the packages needed to build, with apt
	@scripts/setup build

setup-peers: ## install what make bench compares with
	@scripts/setup peers
	@scripts/setup-npm

RUN := $(O)/bin/rpcbench run
run-round1 run-round2 run-cities: run-%: setup ## set up, build, run this round, write results/
	@$(MAKE) --no-print-directory all
	@$(RUN) $* $(if $(QUICK),--quick) $(RUN_ARGS)

results: all ## render results/*.md again from results/*.json
	@$(O)/bin/rpcbench report

test: ## set up, build, run all tests
	@scripts/setup test
	@scripts/setup-npm peers/node tests/grpc-js
	@$(MAKE) --no-print-directory check

fuzz: ## look for inputs that break something, FUZZ_TIME=60 seconds for each of FUZZ="TARGET…"
	@scripts/setup fuzz
	@$(MAKE) --no-print-directory BUILD=fuzz CC=clang fuzz-run

clean: ## remove everything generated
	$(call say,CLEAN,build)rm -rf build compile_commands.json

.PHONY: help setup setup-peers run-round1 run-round2 results test fuzz clean
