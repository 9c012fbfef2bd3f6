"""Chess NNUE feature sets, batches, nets and results as numpy arrays.

    fs = oplus.FeatureSet("ALL + PH")
    for batch in oplus.Loader("games.pgn.zst", fs, batch=16_384):
        batch.indices, batch.offsets, batch.score

Errors are `OplusError`, a `ValueError` with the text of the command line.
"""

from __future__ import annotations

import importlib
import json
import os
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _oplus
from ._oplus import (
    Batch,
    Block,
    FactoredSet,
    FeatureSet,
    Loader,
    Net,
    OplusError,
    Validation,
    __version__,
)

__all__ = [
    "Batch",
    "Block",
    "FactoredSet",
    "FeatureSet",
    "Loader",
    "Net",
    "OplusError",
    "Validation",
    "__version__",
    "results",
    "write_net",
]


def write_net(
    state: Mapping[str, Any],
    features: FeatureSet,
    layers: str,
    path: str | os.PathLike[str],
    *,
    output_unit: float = 600.0,
    provenance: Mapping[str, Any] | None = None,
) -> None:
    """Quantises a trained net, checks it and writes it as a file that `oplus` plays.

    `state` maps names to float32 tensors, of PyTorch (`module.state_dict()`) or numpy:

    - `ft.weight` [features, width], `ft.bias` [width]: the feature transformer,
    - `dense.0.weight` [sums, inputs], `dense.0.bias` [sums]: the dense layers from the lowest on,
      the output last; with buckets [buckets * sums, inputs] or [buckets, sums, inputs],
    - `psqt.weight` [features, buckets]: the psqt head,
    - `skip` [1]: units of the output for a unit of `+ skip`, 1 if it is missing.

    Inputs of the lowest dense layer are the side to move's activations, then the other side's. One
    unit of the output is `output_unit` centipawns. Values of `provenance` are added to the file.
    """
    if not isinstance(state, Mapping):
        raise TypeError("state: expected tensors by name, as of `module.state_dict()`")
    if not isinstance(features, FeatureSet):
        raise TypeError('features: expected a FeatureSet, as of `oplus.FeatureSet("ALL")`')
    arrays = {name: _array(name, tensor) for name, tensor in state.items()}
    origin = json.dumps({**_checked(provenance or {}), "expression": features.expression})
    _oplus.write_net(arrays, features, layers, path, output_unit, origin)


def results(folder: str | os.PathLike[str]) -> Any:
    """Nets of a run such as `runs/quickstart`, a row each.

    Columns are the set, the axes of the grid, seed, losses, Elo with its interval and number of
    games for each limit, and the net's file. The frame is of pandas, else of polars, else a dict of
    lists, as far as they are installed.
    """
    columns = dict(_oplus.results(folder))
    for library in ("pandas", "polars"):
        try:
            return importlib.import_module(library).DataFrame(columns)
        except ModuleNotFoundError:
            continue
    return columns


def _array(name: str, tensor: Any) -> NDArray[Any]:
    """A float32 tensor of PyTorch or numpy in the processor's memory."""
    if not hasattr(tensor, "dtype"):
        found = type(tensor).__name__
        raise TypeError(f"state: `{name}`: expected a tensor of PyTorch or numpy, found {found}")
    if not str(tensor.dtype).endswith("float32"):
        how = "`.float()`" if hasattr(tensor, "detach") else "`.astype(np.float32)`"
        raise OplusError(f"`{name}` is of {tensor.dtype}; float32 is needed, as of {how}")
    detached = tensor.detach().cpu() if hasattr(tensor, "detach") else tensor
    return np.asarray(detached)


def _checked(provenance: Mapping[str, Any]) -> Mapping[str, Any]:
    """Provenance that a net file can hold."""
    for key, value in provenance.items():
        if key == "expression":
            raise OplusError("provenance: `expression` is that of `features`; choose another key")
        try:
            json.dumps(value)
        except (TypeError, ValueError) as error:
            raise OplusError(f"provenance: `{key}`: {error}; give text or a number") from error
    return provenance
