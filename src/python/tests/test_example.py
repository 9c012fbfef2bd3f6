"""The example of a trainer, against `oplus train`. It needs PyTorch."""

from __future__ import annotations

import json
import pathlib
import re
import subprocess
import sys

import pytest

import oplus
from conftest import Run

pytest.importorskip("torch")

EXAMPLE = pathlib.Path(__file__).parents[1] / "examples" / "torch_trainer.py"
EPOCHS = 1


def test_the_example_trains_as_oplus_does(
    run: Run, data: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    net, out = tmp_path / "mine.oplus", tmp_path / "oplus"
    arguments = [str(data), str(net), "--epochs", str(EPOCHS)]
    shown = subprocess.run(
        [sys.executable, EXAMPLE, *arguments], capture_output=True, text=True, check=True
    ).stdout
    losses = [float(found) for found in re.findall(r"validation (\S+)", shown)]
    own = "--layers|256 -> 32 -> 1|--batch|4096|--learning-rate|2e-3|--gamma|0.8|--no-cache"
    done = run(
        *["train", "ALL + PV", "--data", data, "--out", out, *own.split("|")],
        *["--epochs", str(EPOCHS), "--positions-per-epoch", "500000"],
    )
    assert done.returncode == 0, done.stderr
    lines = (out / "metrics.jsonl").read_text().splitlines()
    expected = [json.loads(line)["validation_loss"] for line in lines]
    assert len(losses) == len(expected) == EPOCHS
    assert all(abs(a - b) < 1e-4 for a, b in zip(losses, expected)), (losses, expected)
    # The net plays.
    assert oplus.Net(net).layers == "256 -> 32 -> 1"
    match = run("match", net, "pesto", "--nodes", "100", "--games", "4")
    assert match.returncode == 0, match.stderr
