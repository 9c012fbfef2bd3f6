# The engine alone, as testing frameworks build it:
#
#     make EXE=NAME [EVALFILE=net.oplus]
#
# builds it with that net, or with the project's own, for this machine. Everything else is
# cargo's: `cargo build --release`. For developers:
#
#     make words      names and comments against docs/style.md
#     make lines      lines of product code, tests and documentation by room

EXE ?= oplus-player
EVALFILE ?=

# Windows' programs have an ending, which is not always asked for.
ifeq ($(OS),Windows_NT)
    ENDING := .exe
endif

.PHONY: player
player:
	$(if $(EVALFILE),EVALFILE=$(abspath $(EVALFILE))) cargo rustc --release --package oplus-arena --bin oplus-player $(if $(EVALFILE),-- --cfg evalfile)
	cp target/release/oplus-player$(ENDING) $(patsubst %$(ENDING),%,$(EXE))$(ENDING)

.PHONY: words lines
words:
	.ci/words

lines:
	.ci/lines
