# The engine alone, as testing frameworks build it:
#
#     make EXE=NAME [EVALFILE=net.oplus]
#
# builds it with that net, or with the project's own, for this machine.
#
#     make pgo EXE=NAME [EVALFILE=net.oplus]
#
# builds it twice: the first one searches, and the second is compiled by the profile of that, for
# some tenth more nodes a second. It wants llvm-profdata of LLVM 19 or later:
# `rustup component add llvm-tools`, or PROFDATA=FILE.
#
# Everything else is cargo's: `cargo build --release`. For developers:
#
#     make words      names and comments against docs/style.md
#     make lines      lines of product code, tests and documentation by room

EXE ?= oplus-player
EVALFILE ?=
# Cargo's profile; `make PROFILE=ci` for the tests.
PROFILE := release

# Windows' programs have an ending, which is not always asked for.
ifeq ($(OS),Windows_NT)
    ENDING := .exe
endif

# The build, with more arguments of cargo.
build = $(if $(EVALFILE),EVALFILE=$(abspath $(EVALFILE))) cargo rustc --profile $(PROFILE) --package oplus-arena --bin oplus-player $(1) $(if $(EVALFILE),-- --cfg evalfile)
# Cargo's folder of the profile.
FOLDER = $(patsubst dev,debug,$(PROFILE))
# A folder's program under its name.
named = cp $(1)/oplus-player$(ENDING) $(patsubst %$(ENDING),%,$(EXE))$(ENDING)

.PHONY: player
player:
	$(call build)
	$(call named,target/$(FOLDER))

# A target by name keeps the flags from build scripts and macros.
HOST = $(shell rustc -vV | sed -n 's/^host: //p')
SYSROOT = $(shell rustc --print sysroot)
PROFDATA ?= $(firstword $(wildcard $(SYSROOT)/lib/rustlib/$(HOST)/bin/llvm-profdata$(ENDING)) \
    $(foreach version,-22 -21 -20 -19,$(shell command -v llvm-profdata$(version))) llvm-profdata)
# As in .cargo/config.toml, which RUSTFLAGS replaces.
RUSTFLAGS ?= -C target-cpu=native
PGO := target/pgo

.PHONY: pgo
pgo:
	rm -rf $(PGO)/profiles
	RUSTFLAGS="$(RUSTFLAGS) -C profile-generate=$(abspath $(PGO)/profiles)" $(call build,--target $(HOST) --target-dir $(PGO))
	$(PGO)/$(HOST)/$(FOLDER)/oplus-player$(ENDING) bench "position startpos" "go nodes 3000000" > $(PGO)/bench
	$(PROFDATA) merge --output $(PGO)/player.profdata $(PGO)/profiles
	RUSTFLAGS="$(RUSTFLAGS) -C profile-use=$(abspath $(PGO)/player.profdata)" $(call build,--target $(HOST) --target-dir $(PGO))
	$(call named,$(PGO)/$(HOST)/$(FOLDER))

.PHONY: words lines
words:
	.ci/words

lines:
	.ci/lines
