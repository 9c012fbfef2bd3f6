"""The package as a whole."""

from __future__ import annotations

import ast
import inspect
import pathlib

import oplus
from conftest import DATA, Run


def test_everything_public_is_documented() -> None:
    for name in oplus.__all__:
        item = getattr(oplus, name)
        if inspect.isclass(item):
            assert item.__doc__, name
            for part, member in vars(item).items():
                assert part.startswith("_") or member.__doc__, f"{name}.{part}"
        elif callable(item):
            assert item.__doc__, name


def test_stubs_have_the_docstrings_of_the_module() -> None:
    stub = pathlib.Path(oplus.__file__).with_name("_oplus.pyi")
    documented = 0
    for item in ast.parse(stub.read_text()).body:
        if not isinstance(item, ast.ClassDef) or not (text := ast.get_docstring(item)):
            continue
        described = getattr(oplus, item.name)
        assert text == inspect.getdoc(described), item.name
        for member in item.body:
            if isinstance(member, ast.FunctionDef) and (text := ast.get_docstring(member)):
                own = getattr(described, member.name)
                assert text == inspect.getdoc(own), f"{item.name}.{member.name}"
                documented += 1
    assert documented > 30


def test_results_of_a_run(run: Run, tmp_path: pathlib.Path) -> None:
    (tmp_path / "small.toml").write_text(
        f"""
        name = "small"
        question = "Do ranks help files?"
        [grid]
        features = ["H", "H + V"]
        layers = ["8 -> 1"]
        seed = [1, 2]
        [data]
        train = ["{DATA}"]
        positions = 20_000
        [training]
        epochs = 1
        positions_per_epoch = 20_000
        batch = 1_000
        [evaluation]
        match = [{{ nodes = 20, games = 8 }}]
        """
    )
    done = run("run", "small.toml", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    frame = oplus.results(tmp_path / "runs" / "small")
    assert list(frame["set"]) == ["H", "H", "H + V", "H + V"]
    assert list(frame["seed"]) == [1, 2, 1, 2]
    assert all(loss > 0 for loss in frame["validation_loss"])
    for part in ["elo_nodes_20", "elo_nodes_20_low", "elo_nodes_20_high", "games_nodes_20"]:
        assert part in frame
