"""Nets: evaluations, tensors, and nets that are written."""

from __future__ import annotations

import pathlib
import re

import numpy as np
import pytest

import oplus
from conftest import DATA, Run

KINGS = "4k3/8/8/8/8/8/8/R3K3 b - - 0 1"


def uci(run: Run, fens: list[str], *arguments: str | pathlib.Path) -> list[int]:
    """Evaluations of UCI `eval`."""
    lines = "".join(f"position fen {fen}\neval\n" for fen in fens)
    shown = run("uci", *arguments, input=lines + "quit\n").stdout
    return [int(found) for found in re.findall(r"evaluation (-?\d+) cp", shown)]


def test_evaluations_are_those_of_uci(run: Run, fens: list[str]) -> None:
    net = oplus.Net.bundled()
    found = net.evaluate(fens)
    assert found.dtype == np.int32 and found.shape == (len(fens),)
    assert found.tolist() == uci(run, fens)
    assert net.evaluate(fens[0]).tolist() == [found[0]]
    assert net.evaluate(fen for fen in fens).tolist() == found.tolist()


def test_centipawns_of_the_data(run: Run) -> None:
    net = oplus.Net.bundled()
    (own,) = net.evaluate(KINGS, unit="data")
    path = pathlib.Path(__file__).parents[3] / "src" / "nnue" / "default.oplus"
    assert f"{own} cp for the side to move" in run("net", "info", path, "--fen", KINGS).stdout
    assert net.evaluate(KINGS)[0] == int(own * round(net.search_scale * 1024) / 1024)
    assert oplus.Net(path).fingerprint == net.fingerprint


def test_accumulators_are_sums_of_rows() -> None:
    net = oplus.Net.bundled()
    weights = net.weights()
    for fen in ["startpos", KINGS]:
        for sums, active in zip(net.accumulators(fen), net.features.active(fen)):
            rows = weights["ft_weights"][active].astype(np.int32).sum(axis=0)
            assert (sums == rows + weights["ft_bias"]).all()


def test_tensors_have_the_shapes_of_the_file() -> None:
    net = oplus.Net.bundled()
    assert net.layers == "256 screlu -> 1, buckets 8"
    shapes = {name: (values.dtype.name, values.shape) for name, values in net.weights().items()}
    assert shapes == {
        "ft_weights": ("int16", (768, 256)),
        "ft_bias": ("int16", (256,)),
        "dense_weights": ("int16", (8, 1, 512)),
        "dense_bias": ("int32", (8, 1)),
    }
    assert net.scales["transformer"]["one"] > 0 and "program" in net.provenance


def test_states_are_written_and_read_back(
    run: Run, fens: list[str], tmp_path: pathlib.Path
) -> None:
    net, path = oplus.Net.bundled(), tmp_path / "again.oplus"
    oplus.write_net(net.state(), net.features, net.layers, path, provenance={"note": "again"})
    again = oplus.Net(path)
    difference = again.evaluate(fens, unit="data") - net.evaluate(fens, unit="data")
    assert np.abs(difference).max() <= 3
    assert again.provenance["note"] == "again"
    assert run("net", "check", path, "--data", DATA, "--positions", "500").returncode == 0
    assert uci(run, fens[:20], "--net", path) == again.evaluate(fens[:20]).tolist()


@pytest.mark.parametrize(
    "layers",
    ["1", "1, buckets 8", "16 -> 1", "32 pairwise -> 15 dual + skip -> 8 -> 1, buckets 4, psqt"],
)
def test_all_lines_are_written(layers: str, tmp_path: pathlib.Path) -> None:
    features, path = oplus.FeatureSet("H + V"), tmp_path / "net.oplus"
    rng = np.random.default_rng(1)
    all_shapes: dict[str, dict[str, tuple[int, ...]]] = {
        "1": {"psqt.weight": (192, 1)},
        "1, buckets 8": {"psqt.weight": (192, 8)},
        "16 -> 1": {"ft.weight": (192, 16), "ft.bias": (16,)}
        | {"dense.0.weight": (1, 32), "dense.0.bias": (1,)},
    }
    largest: dict[str, tuple[int, ...]] = {
        **{"ft.weight": (192, 32), "ft.bias": (32,), "psqt.weight": (192, 4)},
        **{"dense.0.weight": (4 * 16, 32), "dense.0.bias": (4, 16)},
        **{"dense.1.weight": (4, 8, 30), "dense.1.bias": (4, 8)},
        **{"dense.2.weight": (4, 8), "dense.2.bias": (4,)},
    }
    shapes = all_shapes.get(layers, largest)
    state = {name: rng.normal(0, 0.1, shape).astype(np.float32) for name, shape in shapes.items()}
    oplus.write_net(state, features, layers, path)
    net = oplus.Net(path)
    assert net.layers == layers and net.features == features
    again = net.state()
    for name, values in state.items():
        if layers == "1":
            assert np.allclose(again[name].ravel(), values.ravel(), atol=1e-2)
        assert again[name].size == values.size
