# The engine alone, as testing frameworks build it:
#
#     make EXE=NAME [EVALFILE=net.oplus]
#
# builds it with that net, or with the project's own, for this machine. Everything else is
# cargo's: `cargo build --release`.

EXE ?= oplus-player
EVALFILE ?=

# Windows' programs have an ending, which is not always asked for.
ifeq ($(OS),Windows_NT)
    ENDING := .exe
endif

.PHONY: player
player:
	EVALFILE=$(if $(EVALFILE),$(abspath $(EVALFILE))) cargo build --release --package oplus-player
	cp target/release/oplus-player$(ENDING) $(patsubst %$(ENDING),%,$(EXE))$(ENDING)
