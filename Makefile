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
ROUNDS := round1 round2 hello plaintext message cities
SETUP_GOALS := help clean setup setup-peers test fuzz $(addprefix run-,$(ROUNDS) text-json all)
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

setup-peers: ## install what make bench and make compare-tools compare with
	@scripts/setup peers
	@scripts/setup-npm

RUN := $(O)/bin/rpcbench run
$(addprefix run-,$(ROUNDS)): run-%: setup
	@$(MAKE) --no-print-directory all
	@$(RUN) $* $(if $(QUICK),--quick) $(RUN_ARGS)

# Sets up, builds and runs a round, and writes results/.
run-round1: ## 10 connections, one request at a time
run-round2: ## 20 connections, 50 requests in flight on each
run-hello: ## GET / at 10, 100 and 1000 connections
run-plaintext: ## plaintext at 1000 connections
run-message: ## JSON at 1000 connections
run-cities: ## 1500 cities by REST and by gRPC

# $(call in_turn,ROUNDS): each of them, also when one before it has failed
in_turn = status=0; for r in $(1); do \
	$(MAKE) --no-print-directory run-$$r || status=1; done
run-text-json: ## the rounds plaintext and message
	@$(call in_turn,plaintext message); exit $$status
run-curve: setup ## latency against load of http-json, to the highest rate with p99 < 2 ms
	@$(MAKE) --no-print-directory all
	@scripts/curve $(O)/bin $(if $(QUICK),build/)results/curve
run-all: ## all rounds in turn, then results/overview.md
	@$(call in_turn,$(ROUNDS)); $(if $(QUICK),,$(O)/bin/rpcbench report || status=1;) exit $$status

results: all ## render results/*.md and index.html again from results/*.json
	@$(O)/bin/rpcbench report
	@tests/tools/compare_tools.py --render results/tools.json

test: ## set up, build, run all tests
	@scripts/setup test
	@scripts/setup-npm peers/node tests/grpc-js
	@$(MAKE) --no-print-directory check

fuzz: ## look for inputs that break something, FUZZ_TIME=60 seconds for each of FUZZ="TARGET…"
	@scripts/setup fuzz
	@$(MAKE) --no-print-directory BUILD=fuzz CC=clang fuzz-run

clean: ## remove everything generated
	$(call say,CLEAN,build)rm -rf build compile_commands.json

.PHONY: help setup setup-peers $(addprefix run-,$(ROUNDS) text-json curve all) results test fuzz clean
