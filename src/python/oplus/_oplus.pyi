import os
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Literal, final

import numpy as np
from numpy.typing import NDArray

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

__version__: str

_Path = str | os.PathLike[str]
_Side = Literal["own", "other"]

class OplusError(ValueError):
    """Wrong input, with the text of the command line."""

@final
class Block:
    """A summand of the expression."""

    @property
    def name(self) -> str:
        """As written: `ALL`."""
    @property
    def definition(self) -> str:
        """With names expanded; the order of its concepts is the index order."""
    @property
    def start(self) -> int:
        """Index of its first feature."""
    @property
    def size(self) -> int:
        """Number of features."""
    @property
    def max_active(self) -> int:
        """Largest number of its features active for one side."""

@final
class FeatureSet:
    """A feature set, compiled from its expression such as `ALL + PH`.

    `define` has names of the caller's own for use in the expression, with their definitions.
    `len(fs)` is the number of features.
    """

    def __new__(cls, expression: str, define: dict[str, str] | None = None) -> FeatureSet: ...
    def __getnewargs__(self) -> tuple[str, dict[str, str]]: ...
    def __len__(self) -> int: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    @property
    def expression(self) -> str:
        """The expression as written."""
    @property
    def definition(self) -> str:
        """The expression with all names expanded."""
    @property
    def max_active(self) -> int:
        """Most features active together for one side."""
    @property
    def is_valued(self) -> bool:
        """Whether features have values other than 1."""
    @property
    def blocks(self) -> list[Block]:
        """The summands of the expression in index order."""
    def name(self, index: int) -> str:
        """Meaning of a feature in words: `own rook on d4`."""
    def active(self, fen: str) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Active features of a position: (own, other), ascending int32 arrays [active].

        `fen` is a FEN or `startpos`; own is the side to move.
        """
    def values(self, fen: str) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Values of the features of `active`: (own, other), float32 arrays [active]; 1 in binary sets."""
    def delta(
        self, fen: str, move: str, side: _Side = "own"
    ) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Rows that a move changes: (added, removed), ascending int32 arrays.

        `move` is in coordinate or standard notation, `side` is `own`, the side that moves, or
        `other`. Where the accumulator starts again (`refreshed`), they are the difference of the
        active features.
        """
    def refreshed(self, fen: str, move: str, side: _Side = "own") -> list[str]:
        """Reasons for which the accumulator of a side starts again with a move; empty where it follows
        by rows.
        """

@final
class FactoredSet:
    """A feature set with factors for training, compiled from an expression such as `train KING-ALL + factors`.

    A trainer reads the features of `input`, those of `set` and behind them those of the factors; a net
    has rows for `set` alone, the result of `fold`. `define` has names of the caller's own.
    """

    def __new__(cls, expression: str, define: dict[str, str] | None = None) -> FactoredSet: ...
    def __getnewargs__(self) -> tuple[str, dict[str, str]]: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    @property
    def expression(self) -> str:
        """The expression as written."""
    @property
    def set(self) -> FeatureSet:
        """The features of the net."""
    @property
    def input(self) -> FeatureSet:
        """The features of training: those of `set`, then those of each factor."""
    def fold(self, weight: NDArray[np.float32]) -> NDArray[np.float32]:
        """Rows of `set`, float32 [len(set), width], from those of `input`, float32 [len(input), width]: the
        row of each factor is added to all rows that share it. Other numbers of rows are an `OplusError`.
        """

@final
class Batch:
    """Positions as arrays, which share no memory with anything else.

    `torch.nn.EmbeddingBag(len(fs), width, mode="sum")` takes `indices` and `offsets` as they are:
    row 2 i of its output is the side to move of position i, row 2 i + 1 the other side.
    """

    def __len__(self) -> int: ...
    @property
    def indices(self) -> NDArray[np.int32]:
        """int32 [active]: active features of the side to move, then of the other side, of each position."""
    @property
    def offsets(self) -> NDArray[np.int32]:
        """int32 [2 * positions]: start of each list in `indices`."""
    @property
    def values(self) -> NDArray[np.float32] | None:
        """float32 [active]: value of each feature; None in binary sets."""
    @property
    def score(self) -> NDArray[np.float32]:
        """float32 [positions]: score of the file for the side to move, in centipawns except in four
        formats (docs/data.md); NaN without a score, which the filter key `unscored` keeps.
        """
    @property
    def result(self) -> NDArray[np.float32]:
        """float32 [positions]: points of the side to move, 0, 0.5 or 1; NaN without a result."""
    @property
    def bucket(self) -> NDArray[np.int64]:
        """int64 [positions]: output bucket."""

@final
class Loader:
    """Training batches in the order of `oplus train`, made by threads ahead of the loop.

    `data` is a file or folder of games or positions in any format, or several; `FILE@0.5` shows
    half of its positions in each pass. `filter` and `validation`, the share of the games held
    out, are those of `oplus train`; a filter may be a dict with the keys of its table. `layers`
    decides the output bucket. `positions` limits the training positions, `cache` is a folder of
    prepared positions, `threads` is 0 for one per core. The same data, filter, seed and batch
    make the same batches to the bit on any number of threads.

    The order is endless. A `for` loop takes `len(loader)` batches: `batches`, or one pass over the
    data; the next loop begins at the next batch, `number`. `first` is the number of the first batch.
    Ctrl-C ends loading and waiting.
    """

    def __new__(
        cls,
        data: _Path | Iterable[_Path],
        features: FeatureSet,
        *,
        batch: int = 16_384,
        filter: str | Mapping[str, Any] = "quiet",
        seed: int = 1,
        layers: str = "1",
        validation: float = 0.05,
        positions: int | None = None,
        batches: int | None = None,
        first: int = 0,
        threads: int = 0,
        cache: _Path | None = None,
    ) -> Loader: ...
    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[Batch]: ...
    def __next__(self) -> Batch: ...
    def validation(self) -> Validation:
        """Batches of the held-out positions, once and in file order; the last may be shorter."""
    @property
    def number(self) -> int:
        """Number of the next batch."""
    @property
    def train_positions(self) -> int:
        """Positions to train on."""
    @property
    def validation_positions(self) -> int:
        """Held-out positions."""

@final
class Validation:
    """Batches of held-out positions."""

    def __iter__(self) -> Iterator[Batch]: ...
    def __next__(self) -> Batch: ...

@final
class Net:
    """A quantised net.

    `Net(path)` reads a file such as `net.oplus`; `Net.bundled()` is the net of the engine.
    """

    def __new__(cls, path: _Path) -> Net: ...
    @staticmethod
    def bundled() -> Net:
        """The net that the engine plays by default."""
    @property
    def features(self) -> FeatureSet:
        """Its feature set."""
    @property
    def layers(self) -> str:
        """Its line of layers: `256 screlu -> 1, buckets 8`."""
    @property
    def fingerprint(self) -> str:
        """Hash of everything that decides evaluations, as hexadecimal digits."""
    @property
    def search_scale(self) -> float:
        """Factor from centipawns of the data to those of the search."""
    @property
    def provenance(self) -> dict[str, Any]:
        """Program, date, data and settings of its training."""
    @property
    def scales(self) -> dict[str, Any]:
        """Integers per unit, layer by layer: the `scales` of the net file."""
    def evaluate(
        self, fens: str | Iterable[str], unit: Literal["search", "data"] = "search"
    ) -> NDArray[np.int32]:
        """Centipawns for the side to move: an int32 array [positions].

        `fens` are FENs (or `startpos`), or a single one. `unit` is `search`, for what UCI `eval`
        prints, or `data`, for centipawns of the training data.
        """
    def accumulators(self, fen: str) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Sums of the feature transformer: (own, other), int32 arrays [width] in integers of the net.

        Own is the side to move. One unit of activation is `scales["transformer"]["one"]`.
        """
    def weights(self) -> dict[str, NDArray[Any]]:
        """Integer tensors by their names in the net file: int16, int32 or int64 arrays.

        `ft_weights` [features, width], `ft_bias` [width], `psqt` [features, buckets],
        `dense_weights` [buckets, sums, inputs], `dense_bias` [buckets, sums], and so on up to
        `out_weights` [buckets, inputs] and `out_bias` [buckets]; sums in two digits have an axis
        more.
        """
    def state(self, output_unit: float = 600.0) -> dict[str, NDArray[np.float32]]:
        """Weights as float32 arrays, under the names and in the shapes of `write_net`.

        One unit of the output is `output_unit` centipawns.
        """

def write_net(
    state: Mapping[str, NDArray[Any]],
    features: FeatureSet,
    layers: str,
    path: _Path,
    output_unit: float,
    provenance: str,
) -> None:
    """Quantises, checks and writes a net; see `oplus.write_net`."""
def results(folder: _Path) -> list[tuple[str, list[Any]]]:
    """Columns of the nets of a run, by name."""
