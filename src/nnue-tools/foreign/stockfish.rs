//! The nets of Stockfish 15.1: files of its `export_net`, and their arithmetic in Stockfish's own
//! integers.
//!
//! ```text
//!        HalfKAv2_hm, 22,528 features, each perspective for itself
//!              │                                   │
//!        1024 sums (i16)                     8 sums, one a bucket (i32)
//!              │  halves multiplied                │
//!        512 bytes of the side to move,            │  (stm - nstm) / 2
//!        512 of the other side                     │
//!              ▼                                   │
//!        fc_0: 15 sums and the one that skips ──┐  │
//!              │  15 squared, 15 clipped        │  │
//!        fc_1: 32 sums                          │  │
//!              │  clipped                       │  │
//!        fc_2: 1 sum ───────────────────────────┴──┴──► 16 per internal unit
//! ```
//!
//! The three upper layers exist eight times, selected by the number of pieces on the board.
//! [`StockfishNet`] is the data of a file; its tests have the plain reference of its arithmetic,
//! which equals Stockfish's to the bit, and compare it with the engine itself.
//!
//! Format and arithmetic are those of `src/nnue` of the repository official-stockfish/Stockfish at
//! the tag `sf_15.1`, checked against the file and the evaluations of the released program.

use std::sync::{Arc, LazyLock};

use features::FeatureSet;

mod convert;
mod hashes;
mod numbers;
mod of_net;
mod read;
mod write;

pub use of_net::StockfishExportError;
pub use read::StockfishError;

#[cfg(test)]
mod tests;

/// Origin of such files, for the provenance of a net.
pub(crate) const SOURCE: &str = "Stockfish 15.1, export_net";

/// Terms per internal unit.
const OUTPUT_SCALE: i32 = 16;

/// Largest activation.
const ONE: i32 = 127;

/// Bits that a product of two activations loses.
const PRODUCT_BITS: u32 = 7;

/// Bits of a dense weight's scale, 64.
const WEIGHT_BITS: u32 = 6;

/// A sum of the dense layers equal to one unit.
const UNIT: i32 = ONE << WEIGHT_BITS;

/// One unit of the skip sum: 600 internal units.
const SKIP: i32 = 600 * OUTPUT_SCALE;

/// Stockfish's `HalfKAv2_hm`, index by index.
///
/// It is the catalogue's HALF-KA-HM in another order. Stockfish mirrors the board so that the own
/// king stands on files e to h, `mirror` so that it stands on a to d: its square h1 is our a1 and
/// so on, so the expression lists the files backwards. Its king squares are counted from rank 8
/// down.
pub const FEATURES: &str = "mirror(king({8, 7, 6, 5, 4, 3, 2, 1} * {a, b, c, d}) \
     * piece((PIECES / ONE-KING) * RANKS * {h, g, f, e, d, c, b, a}))";

static SET: LazyLock<Arc<FeatureSet>> = LazyLock::new(|| match FeatureSet::parse(FEATURES) {
    Ok(set) => set,
    // The expression is part of the program; a test compiles it.
    Err(mistake) => unreachable!("{mistake}"),
});

/// Sizes of the layers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Sizes {
    l1: usize,
    /// Activated sums of the first dense layer; it has one more, the skip sum.
    l2: usize,
    l3: usize,
    /// Copies of the dense layers and columns of piece-square values.
    buckets: usize,
}

/// The only sizes of Stockfish 15.1.
const SIZES: Sizes = Sizes { l1: 1024, l2: 15, l3: 32, buckets: 8 };

impl Sizes {
    /// Inputs of the first dense layer: each perspective has half as many
    /// products as sums.
    fn products(self) -> usize {
        self.l1
    }

    /// Sums of the first dense layer, the skip sum included.
    fn sums(self) -> usize {
        self.l2 + 1
    }

    /// Inputs of the second dense layer: all squared, then all clipped.
    fn activations(self) -> usize {
        2 * self.l2
    }
}

/// A net of Stockfish as in its file: integers, in the order of the file.
#[derive(Clone, Debug)]
pub struct StockfishNet {
    description: String,
    sizes: Sizes,
    /// `[l1]`, 127 per unit.
    biases: Vec<i16>,
    /// `[features][l1]`, 127 per unit.
    weights: Vec<i16>,
    /// `[features][buckets]`, 16 per internal unit, counted for both sides and halved.
    psqt: Vec<i32>,
    /// The dense layers, one a bucket.
    stacks: Vec<Stack>,
}

#[derive(Clone, Debug)]
struct Stack {
    /// Sums that are activated twice, and behind them the skip sum.
    fc_0: Affine,
    /// Sums that are clipped.
    fc_1: Affine,
    /// One sum, 16 per internal unit.
    fc_2: Affine,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Affine {
    /// `[outputs]`, 64 · 127 per unit.
    biases: Vec<i32>,
    /// `[outputs][inputs]`, 64 per unit.
    weights: Vec<i8>,
}

impl StockfishNet {
    /// Description by its trainer, free text.
    pub fn description(&self) -> &str {
        &self.description
    }

    /// The feature set, in the index order of the file.
    pub fn features(&self) -> &Arc<FeatureSet> {
        &SET
    }
}
