"""Positions, data and the program that the package is compared with."""

from __future__ import annotations

import csv
import os
import pathlib
import subprocess
from collections.abc import Callable

import pytest

ROOT = pathlib.Path(__file__).parents[3]
DATA = ROOT / "datasets" / "bootstrap.oarc"

# Of the bundled puzzles.
POSITIONS = 200

Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="session")
def data() -> pathlib.Path:
    """The bundled games."""
    return DATA


@pytest.fixture(scope="session")
def cache(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """A folder of prepared positions, so that loaders read the games once."""
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(scope="session")
def fens() -> list[str]:
    """Positions of the bundled puzzles, or those of `OPLUS_FENS`, a file with a FEN a line."""
    if given := os.environ.get("OPLUS_FENS"):
        return pathlib.Path(given).read_text().splitlines()
    with open(ROOT / "datasets" / "puzzles.csv", newline="") as file:
        return [row["FEN"] for _, row in zip(range(POSITIONS), csv.DictReader(file))]


@pytest.fixture(scope="session")
def oplus_bin() -> str:
    """The program; tests that compare with it are skipped without `OPLUS_BIN`."""
    program = os.environ.get("OPLUS_BIN")
    if program is None:
        pytest.skip("OPLUS_BIN names no program to compare with")
    return str(pathlib.Path(program).resolve())


@pytest.fixture(scope="session")
def run(oplus_bin: str) -> Run:
    """Runs the program with some arguments."""

    def run(*arguments: str | pathlib.Path, **options: object) -> subprocess.CompletedProcess[str]:
        return subprocess.run(  # type: ignore[call-overload, no-any-return]
            [oplus_bin, *arguments], capture_output=True, text=True, **options
        )

    return run
