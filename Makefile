# The engine alone, for testing frameworks:
#
#     make EXE=NAME [EVALFILE=net.oplus]
#
# builds it with this net, or with the bundled one, for this machine.
#
#     make pgo EXE=NAME [EVALFILE=net.oplus]
#
# builds it with profile-guided optimisation: some 10 % more nodes/s. It needs llvm-profdata of
# LLVM 19 or later: `rustup component add llvm-tools`, or PROFDATA=FILE.
#
# `cargo build --release` builds everything else. For developers:
#
#     make words      names and comments against docs/style.md
#     make links      links between files of the repository
#     make lines      lines of product code, tests and documentation by room

EXE ?= oplus-player
EVALFILE ?=
# Cargo's profile; `make PROFILE=ci` for the tests.
PROFILE := release

# The suffix of Windows programs, optional in EXE.
ifeq ($(OS),Windows_NT)
    ENDING := .exe
endif

# The build, with further arguments of cargo.
build = $(if $(EVALFILE),EVALFILE=$(abspath $(EVALFILE))) cargo rustc --profile $(PROFILE) --package oplus-arena --bin oplus-player $(1) $(if $(EVALFILE),-- --cfg evalfile)
# Output folder of the profile.
FOLDER = $(patsubst dev,debug,$(PROFILE))
# Copies the program of a folder to EXE.
named = cp $(1)/oplus-player$(ENDING) $(patsubst %$(ENDING),%,$(EXE))$(ENDING)

.PHONY: player
player:
	$(call build)
	$(call named,target/$(FOLDER))

# An explicit target keeps the flags away from build scripts and macros.
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

.PHONY: words links lines
words:
	.ci/words

links:
	.ci/links

lines:
	.ci/lines
