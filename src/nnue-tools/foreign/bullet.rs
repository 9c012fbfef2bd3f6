//! Nets of the trainer bullet with one hidden layer: `(inputs -> N)x2 -> 1`.
//!
//! Its `quantised.bin` has no header, so a [`BulletLayout`] describes it. The usual file, and the only
//! supported one, has i16 alone:
//!
//! | numbers | field |
//! |---|---|
//! | inputs · N | feature weights, the N values of an input together, QA per unit |
//! | N | feature biases, QA per unit |
//! | buckets · 2·N | output weights, those of a bucket together, the side to move first, QB per unit |
//! | buckets | output biases, QA·QB per unit |
//!
//! and then padding to a multiple of 64 bytes.
//!
//! Order and scales are those of bullet's examples `examples/progression`, the inputs
//! those of its `Chess768` and `ChessBucketsMirrored`, the buckets those of its
//! `MaterialCount` (repository jw1912/bullet, 2025).

use nnue::Activation;

mod convert;
mod layout;
mod numbers;
mod of_net;
mod read;
mod scales;
mod write;

pub use layout::{BulletLayout, LayoutError};
pub use of_net::BulletExportError;
pub use read::BulletError;
pub use scales::BulletScales;

#[cfg(test)]
mod tests;

/// Origin of such files, for the provenance of a net.
pub(crate) const SOURCE: &str = "bullet, quantised.bin";

/// A net of bullet as in its file: integers, in the order of the file.
#[derive(Clone, Debug)]
pub struct BulletNet {
    layout: BulletLayout,
    /// `[features][hidden]`, qa per unit.
    ft_weights: Vec<i16>,
    /// `[hidden]`, qa per unit.
    ft_bias: Vec<i16>,
    /// `[buckets][2 * hidden]`, qb per unit; the side to move first.
    out_weights: Vec<i16>,
    /// `[buckets]`, qa · qb per unit.
    out_bias: Vec<i16>,
}

impl BulletNet {
    /// The layout of its file.
    pub fn layout(&self) -> &BulletLayout {
        &self.layout
    }
}

impl BulletLayout {
    /// The bucket by the number of pieces. It differs from Stockfish's: there three pieces more
    /// share a bucket with two kings, here four.
    fn bucket(&self, pieces: usize) -> usize {
        pieces.saturating_sub(2) / 32_usize.div_ceil(self.buckets)
    }

    /// Integers per unit of an activation, over those of a sum: qa of a square.
    fn excess(&self) -> i64 {
        match self.activation {
            Activation::SquaredClippedRelu => self.scales.qa.into(),
            _ => 1,
        }
    }
}
