"""`FeatureSet` against `oplus features`."""

from __future__ import annotations

import json
import pickle

import numpy as np
import pytest

import oplus
from conftest import Run

SETS = """
ALL; H; V; D1; D2; PH; PV; PD1; PD2; KING-ALL; HALF-KP; HALF-KA-HM; MB; MC; PINS; HALFMOVES; QUEENS;
CASTLING; EN-PASSANT; PASSED; FULL-THREATS; mirror(ALL); mirror(king(SQUARES / BUCKETS-9) * ALL);
piece(FILES * PIECES * COUNTS(2)); piece(SQUARES * COLORS); piece({d4, e4, d5, e5} * PIECES);
both(SQUARES * {pawn} * COLORS, files <= 1); threat(PIECES * PIECES); attacks(SQUARES * COLORS);
attackers(SQUARES * COLORS * COUNTS(3)); moves({knight} * COUNTS(8) * COLORS);
king_offset(FILE_STEPS * RANK_STEPS * PIECES); pinned(FILES * COLORS); material(BANDS(8)) * ALL;
phase(BANDS(4)) * ALL; castling(COLORS * WINGS); en_passant(FILES * COLORS);
enemy_king_offset(RANK_STEPS * {own pawn}); mobility({knight} * COUNTS(15) * COLORS);
piece(DIAGS1{6, 7, 8} * PIECES); king(RANKS) * H
"""


def test_forty_sets_are_those_of_the_command_line(run: Run, fens: list[str]) -> None:
    sets = [oplus.FeatureSet(text.strip()) for text in SETS.split(";")]
    assert len(sets) >= 40
    expression = " + ".join(f"({it.expression})" for it in sets)
    for fen in fens:
        shown = json.loads(run("features", expression, "--fen", fen, "--json").stdout)
        turn = ("white", "black") if " w " in fen else ("black", "white")
        start = 0
        for place, features in enumerate(sets):
            for side, own in zip(turn, features.active(fen)):
                block = shown[side]["blocks"][place]["features"]
                assert own.dtype == np.int32
                assert (own + start).tolist() == [entry["index"] for entry in block], (fen, features)
            start += len(features)


def test_changes_are_those_of_the_command_line(run: Run) -> None:
    fen = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"
    for text in ["ALL + PH", "H + V", "KING-ALL", "MB", "mirror(ALL)"]:
        features = oplus.FeatureSet(text)
        for move in ["e5f7", "O-O", "e1d1", "d5e6", "f3f6"]:
            shown = json.loads(
                run("features", text, "--fen", fen, "--move", move, "--json").stdout
            )
            for side, blocks in (("own", shown["white"]), ("other", shown["black"])):
                causes = {cause for block in blocks for cause in block["refreshed_because"]}
                assert set(features.refreshed(fen, move, side)) == causes  # type: ignore[arg-type]
                added, removed = features.delta(fen, move, side)  # type: ignore[arg-type]
                if not causes:
                    rows = [e["index"] for block in blocks for e in block["added"]]
                    assert added.tolist() == rows
                    rows = [e["index"] for block in blocks for e in block["removed"]]
                    assert removed.tolist() == rows


@pytest.mark.parametrize("text", ["ALL + PH", "mirror(king(SQUARES / BUCKETS-9) * ALL)", "KING * H"])
def test_changes_lead_from_one_position_to_the_next(text: str) -> None:
    features = oplus.FeatureSet(text)
    before = "4k3/8/8/3pP3/8/8/8/R3K2R w KQ d6 0 2"
    for move, after in [
        ("e5d6", "4k3/8/3P4/8/8/8/8/R3K2R b KQ - 0 2"),
        ("e1c1", "4k3/8/8/3pP3/8/8/8/2KR3R b - - 1 2"),
    ]:
        added, removed = features.delta(before, move)
        own, _ = features.active(before)
        _, moved = features.active(after)
        assert sorted(set(own) - set(removed) | set(added)) == moved.tolist()


def test_a_set_describes_itself() -> None:
    features = oplus.FeatureSet("ALL + PH")
    assert (len(features), features.max_active) == (1920, 60)
    assert features.name(330) == "own rook on d4"
    assert [(block.name, block.start, block.size) for block in features.blocks] == [
        ("ALL", 0, 768),
        ("PH", 768, 1152),
    ]
    assert features.expression == "ALL + PH"
    assert features == oplus.FeatureSet(features.definition)
    assert features != oplus.FeatureSet("ALL") and features != "ALL + PH"
    assert pickle.loads(pickle.dumps(features)) == features
    with pytest.raises(IndexError, match="ALL \\+ PH has 1920 features; the last index is 1919"):
        features.name(1920)
    with pytest.raises(IndexError, match="the last index is 1919"):
        features.name(-1)


def test_names_of_the_caller() -> None:
    centre = {"CENTRE": "piece({d4, e4, d5, e5} * PIECES)"}
    features = oplus.FeatureSet("ALL + CENTRE", define=centre)
    assert len(features) == 768 + 48
    assert pickle.loads(pickle.dumps(features)) == features
    with pytest.raises(oplus.OplusError, match="`ALL` is a name of the catalogue"):
        oplus.FeatureSet("ALL", define={"ALL": "H"})


@pytest.mark.parametrize(
    "text", ["train KING-ALL + factors", "train WING * ALL + factors", "train mirror(HALF-KP) + factors"]
)
def test_folded_rows_have_the_sums_of_the_input(text: str, fens: list[str]) -> None:
    factored = oplus.FactoredSet(text, define={"WING": "king(FILES)"})
    assert len(factored.input) > len(factored.set)
    rng = np.random.default_rng(1)
    weight = rng.normal(size=(len(factored.input), 3)).astype(np.float32)
    folded = factored.fold(weight)
    assert folded.shape == (len(factored.set), 3) and folded.dtype == np.float32
    for fen in fens:
        for trained, played in zip(factored.input.active(fen), factored.set.active(fen)):
            assert np.allclose(weight[trained].sum(0), folded[played].sum(0), atol=1e-4)
    again = pickle.loads(pickle.dumps(factored))
    assert again == factored and again.expression == text and again.set == factored.set
    assert pickle.loads(pickle.dumps(factored.input)) == factored.input


def test_factored_sets_refuse_wrong_input() -> None:
    factored = oplus.FactoredSet("train KING-ALL + factors")
    expected = f"expected {len(factored.input)} rows, one per feature of `input`, found 5"
    with pytest.raises(oplus.OplusError, match=expected):
        factored.fold(np.zeros((5, 2), np.float32))
    with pytest.raises(TypeError):
        factored.fold(np.zeros((len(factored.input), 2)))  # type: ignore[arg-type]
    with pytest.raises(oplus.OplusError, match="no copies that could share rows"):
        oplus.FactoredSet("train ALL + factors")


def test_values_belong_to_valued_sets() -> None:
    features = oplus.FeatureSet("PHASE * ALL")
    assert features.is_valued
    own, _ = features.values("4k3/8/8/8/8/8/8/R3K3 w - - 0 1")
    assert own.dtype == np.float32
    assert np.allclose(own, 22 / 24)
    own, _ = oplus.FeatureSet("ALL").values("startpos")
    assert (own == 1).all() and len(own) == 32


def test_lints_are_warnings() -> None:
    with pytest.warns(UserWarning, match="empty with the own king on 32 of 64 squares"):
        oplus.FeatureSet("king(SQUARES / BUCKETS-9) * ALL")
