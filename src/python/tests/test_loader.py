"""Batches of a loader."""

from __future__ import annotations

import itertools
import os
import pathlib
import signal
import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import oplus

ALL = oplus.FeatureSet("ALL")

Load = Callable[..., oplus.Loader]


@pytest.fixture
def load(data: pathlib.Path, cache: pathlib.Path) -> Load:
    """Loads the bundled games."""

    def load(features: str = "ALL", **settings: Any) -> oplus.Loader:
        return oplus.Loader(data, oplus.FeatureSet(features), cache=cache, **settings)

    return load


def first(loader: oplus.Loader, count: int) -> list[oplus.Batch]:
    return list(itertools.islice(loader, count))


def test_lists_are_flat_and_typed(load: Load) -> None:
    (batch,) = first(load(batch=1000, layers="8 -> 1, buckets 8"), 1)
    assert len(batch) == 1000
    arrays: list[tuple[NDArray[Any], type, int]] = [
        (batch.indices, np.int32, len(batch.indices)),
        (batch.offsets, np.int32, 2000),
        (batch.score, np.float32, 1000),
        (batch.result, np.float32, 1000),
        (batch.bucket, np.int64, 1000),
    ]
    for array, dtype, length in arrays:
        assert array.dtype == dtype and array.shape == (length,)
        # The memory is that of the list, not a copy of numpy's own.
        assert not array.flags.owndata and array.flags.writeable
    assert batch.values is None
    ends = np.append(batch.offsets[1:], len(batch.indices))
    pieces = (ends - batch.offsets).reshape(-1, 2)
    # Both sides see all pieces, and pieces decide the bucket.
    assert (pieces[:, 0] == pieces[:, 1]).all()
    assert (batch.bucket == (pieces[:, 0] - 1) // 4).all()
    assert batch.indices.min() >= 0 and batch.indices.max() < len(ALL)
    assert set(batch.result.tolist()) <= {0.0, 0.5, 1.0}
    assert np.isfinite(batch.score).all()


def test_values_stand_beside_indices(load: Load) -> None:
    (batch,) = first(load("PHASE * ALL", batch=100), 1)
    assert batch.values is not None and batch.values.dtype == np.float32
    assert batch.values.shape == batch.indices.shape


def test_a_filter_is_a_text_or_a_dict(load: Load) -> None:
    text, table = load(batch=100, filter="{ min_ply = 30 }"), load(batch=100, filter={"min_ply": 30})
    assert text.train_positions == table.train_positions < load(batch=100).train_positions
    np.testing.assert_array_equal(next(text).indices, next(table).indices)


def test_threads_change_no_bit(load: Load) -> None:
    def batches(**settings: Any) -> list[oplus.Batch]:
        return first(load("ALL + PH", batch=999, **settings), 6)

    one = batches(threads=1)
    for other in (batches(threads=2), batches(threads=5)):
        assert all(map(same, one, other))
    assert all(map(same, one[4:], batches(first=4)))
    assert not same(one[0], batches(seed=2)[0])


def same(one: oplus.Batch, other: oplus.Batch) -> bool:
    names = ["indices", "offsets", "score", "result", "bucket"]
    pairs = ((getattr(one, name), getattr(other, name)) for name in names)
    return all(a.tobytes() == b.tobytes() for a, b in pairs)


def test_loops_take_one_pass_and_go_on(load: Load) -> None:
    loader = load(batch=300, positions=1000)
    assert (len(loader), loader.train_positions) == (3, 1000)
    assert [len(batch) for batch in loader] == [300] * 3
    assert loader.number == 3
    (fourth,) = first(loader, 1)
    assert same(fourth, first(load(batch=300, positions=1000, first=3), 1)[0])
    assert len(list(load(batch=300, positions=1000, batches=7))) == 7


def test_held_out_positions_come_once(load: Load) -> None:
    loader = load(batch=5000, positions=5000)
    lengths = [len(batch) for batch in loader.validation()]
    assert sum(lengths) == loader.validation_positions > 0
    assert set(lengths[:-1]) == {5000}


def test_prepared_positions_are_the_same(data: pathlib.Path, tmp_path: pathlib.Path) -> None:
    def of(**settings: Any) -> oplus.Batch:
        return first(oplus.Loader([data], ALL, batch=100, positions=1000, **settings), 1)[0]

    plain = of()
    assert same(of(cache=tmp_path), plain) and list(tmp_path.iterdir())
    assert same(of(cache=tmp_path), plain)


def test_ctrl_c_ends_loading(data: pathlib.Path) -> None:
    threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
    # Enough to load for minutes.
    start = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        oplus.Loader([data] * 100, ALL, threads=1)
    assert time.monotonic() - start < 5


def test_ctrl_c_ends_a_loop(load: Load) -> None:
    loader = load(batch=100_000, batches=1 << 40)
    threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        for _ in loader:
            pass
