"""Wrong input raises, with the text of the command line."""

from __future__ import annotations

import pathlib
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import oplus
from conftest import Run

ALL = oplus.FeatureSet("ALL")


@pytest.mark.parametrize(
    "text",
    ["ALL + pair(FILES * PEICES)", "ALL + (", "", "ALL * ALL * ALL", "piece({d4, e9} * PIECES)"],
)
def test_expressions_have_the_caret(run: Run, text: str) -> None:
    with pytest.raises(oplus.OplusError) as error:
        oplus.FeatureSet(text)
    assert "^" in str(error.value)
    assert f"error: {error.value}" == run("features", text).stderr.strip()


def test_positions_and_moves(run: Run) -> None:
    for fen in ["4k3/8/8/8/8/8/8/8 w - - 0 1", "nonsense", "", "\0"]:
        with pytest.raises(oplus.OplusError, match="not a legal position") as error:
            ALL.active(fen)
        if "\0" not in fen:
            assert f"error: {error.value}" == run("features", "ALL", "--fen", fen).stderr.strip()
    with pytest.raises(oplus.OplusError, match=r"fens\[1\]: .*not a legal position"):
        oplus.Net.bundled().evaluate(["startpos", "nonsense"])
    with pytest.raises(oplus.OplusError) as error:
        ALL.delta("startpos", "e2e5")
    arguments = ["features", "ALL", "--fen", "startpos", "--move", "e2e5"]
    assert f"error: {error.value}" == run(*arguments).stderr.strip()
    with pytest.raises(oplus.OplusError, match="expected `own` or `other`"):
        ALL.delta("startpos", "e2e4", "white")  # type: ignore[arg-type]


def test_files(run: Run, tmp_path: pathlib.Path) -> None:
    damaged = tmp_path / "damaged.oplus"
    damaged.write_bytes(b"OPLUSNET" + bytes(100))
    for path in [damaged, tmp_path / "missing.oplus", tmp_path]:
        with pytest.raises(oplus.OplusError) as error:
            oplus.Net(path)
        assert f"error: {error.value}" == run("net", "info", path).stderr.strip()
    for path in [damaged, tmp_path / "missing.pgn"]:
        with pytest.raises(oplus.OplusError, match=path.name):
            oplus.Loader(path, ALL)
    with pytest.raises(oplus.OplusError, match="not the folder of a run"):
        oplus.results(tmp_path / "run")


def test_settings_of_a_loader(data: pathlib.Path) -> None:
    for wrong, text in [
        ({"filter": "loud"}, "unknown filter `loud`"),
        ({"filter": "{ min_plies = 3 }"}, "unknown field `min_plies`"),
        ({"layers": "512 -> 12 -> 1"}, "12 neurons are no multiple of 8"),
        ({"filter": {"min_plies": 3}}, "filter: unknown field `min_plies`"),
        ({"batch": 0}, "at least one position"),
        ({"batch": -1}, "batch: -1 is negative"),
        ({"seed": 1 << 64}, "seed: 18446744073709551616 is too large"),
        ({"first": -2}, "first: -2 is negative"),
        ({"batches": -3}, "batches: -3 is negative"),
        ({"threads": -4}, "threads: -4 is negative"),
        ({"positions": -5}, "positions: -5 is negative"),
        ({"batch": 1 << 40}, "more than 31 bits"),
        ({"validation": 1.5}, "not a share"),
        ({"threads": 1 << 20}, "threads"),
        ({"positions": 10, "batch": 20}, "10 positions to train on"),
    ]:
        with pytest.raises(oplus.OplusError, match=text):
            oplus.Loader(data, ALL, **wrong)  # type: ignore[arg-type]
    with pytest.raises(oplus.OplusError, match="no training data"):
        oplus.Loader([], ALL)
    with pytest.raises(TypeError, match="data: expected a path, or several, found int"):
        oplus.Loader(3, ALL)  # type: ignore[arg-type]
    for wrong in (b"games.pgn", {"games.pgn": 0.5}, {"games.pgn"}):
        with pytest.raises(TypeError, match=f"data: .* found {type(wrong).__name__}"):
            oplus.Loader(wrong, ALL)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"fens\[1\]: expected a FEN, found int"):
        oplus.Net.bundled().evaluate(["startpos", 3])  # type: ignore[list-item]


def test_states(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "net.oplus"
    good = oplus.Net.bundled().state()
    features, layers = oplus.FeatureSet("mirror(ALL)"), oplus.Net.bundled().layers

    def refused(state: dict[str, NDArray[Any]], text: str) -> None:
        with pytest.raises(oplus.OplusError, match=text):
            oplus.write_net(state, features, layers, path)
        assert not path.exists()

    refused({**good, "ft.weight": good["ft.weight"].astype(np.float64)}, "`ft.weight` is of float64")
    refused({**good, "ft.bias": good["ft.bias"][:-1]}, r"`ft.bias` has the shape \[255\], \[256\] is")
    refused({**good, "more": good["ft.bias"]}, "a tensor `more`, the layers .* have only ft.weight")
    refused({k: v for k, v in good.items() if k != "dense.0.bias"}, "have a tensor `dense.0.bias` .*, found only dense.0.weight")
    refused({**good, "ft.bias": np.full(256, np.nan, np.float32)}, "a value that is no number")
    refused({k: 0 * v for k, v in good.items()}, "it says 0 cp of every position")
    wrong: list[tuple[dict[str, object], str]] = [
        ({"expression": "x"}, "`expression`"),
        ({"lr": np.float32(1)}, "`lr`"),
    ]
    for provenance, text in wrong:
        with pytest.raises(oplus.OplusError, match=text):
            oplus.write_net(good, features, layers, path, provenance=provenance)
    with pytest.raises(TypeError, match="state_dict"):
        oplus.write_net(features, features, layers, path)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="FeatureSet"):
        oplus.write_net(good, "ALL", layers, path)  # type: ignore[arg-type]
    with pytest.raises(oplus.OplusError, match="output_unit: 0 centipawns"):
        oplus.write_net(good, features, layers, path, output_unit=0.0)
    with pytest.raises(oplus.OplusError, match="is that of the set and the layers"):
        oplus.write_net(good, oplus.FeatureSet("H"), layers, path)
    with pytest.raises(oplus.OplusError, match="missing"):
        oplus.write_net(good, features, layers, tmp_path / "missing" / "net.oplus")
