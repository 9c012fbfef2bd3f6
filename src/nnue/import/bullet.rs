//! Nets of the trainer bullet with one hidden layer: `(inputs -> N)x2 -> 1`.
//!
//! Its `quantised.bin` is nothing but numbers, so a [`Layout`] says what they
//! are. The usual file, and the only one read here, has them as i16:
//!
//! | numbers | field |
//! |---|---|
//! | inputs · N | feature weights, the N values of an input together, QA per unit |
//! | N | feature biases, QA per unit |
//! | buckets · 2·N | output weights, those of a bucket together, the side to move first, QB per unit |
//! | buckets | output biases, QA·QB per unit |
//!
//! and then bytes that fill it up to a multiple of 64.
//!
//! Order and scales are those of bullet's examples `examples/progression`, the inputs
//! those of its `Chess768` and `ChessBucketsMirrored`, the buckets those of its
//! `MaterialCount` (repository jw1912/bullet, 2025).

use chess::{Color, Scene};
use features::Feature;

mod convert;
mod layout;
mod read;

pub use layout::{Clipping, Layout, LayoutError};
pub use read::BulletError;

#[cfg(test)]
mod tests;

/// Where such files come from, for the provenance of a net.
pub(super) const SOURCE: &str = "bullet, quantised.bin";

/// A net of bullet as its file has it: integers, in the order of the file.
#[derive(Clone, Debug)]
pub struct BulletNet {
    layout: Layout,
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
    /// What its numbers are.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Centipawns for the side to move, as the inference in bullet's examples
    /// has them: every quotient is rounded towards zero.
    pub fn evaluate(&self, scene: &Scene, turn: Color) -> i64 {
        let Layout { qa, qb, scale, clipping, .. } = self.layout;
        let [qa, qb, scale] = [qa, qb, scale].map(i64::from);
        let bucket = self.layout.bucket(scene);
        let products = self.products(scene, turn, bucket);
        let sum = match clipping {
            Clipping::Plain => products,
            Clipping::Squared => products / qa,
        };
        (sum + i64::from(self.out_bias[bucket])) * scale / (qa * qb)
    }

    /// The sum of activations times output weights.
    fn products(&self, scene: &Scene, turn: Color, bucket: usize) -> i64 {
        let sums = [turn, !turn].map(|perspective| self.accumulate(scene, perspective)).concat();
        let weights = &self.out_weights[bucket * sums.len()..][..sums.len()];
        let activated = sums.into_iter().map(|sum| self.layout.activate(sum));
        weights.iter().zip(activated).map(|(&weight, input)| i64::from(weight) * input).sum()
    }

    /// Sums of one perspective; `[hidden]`.
    fn accumulate(&self, scene: &Scene, perspective: Color) -> Vec<i16> {
        let mut sums = self.ft_bias.clone();
        let mut active: Vec<Feature> = Vec::new();
        self.layout.features.active(scene, perspective, &mut active);
        for feature in active {
            let row = &self.ft_weights[feature.0 as usize * sums.len()..][..sums.len()];
            sums.iter_mut().zip(row).for_each(|(sum, w)| *sum = sum.wrapping_add(*w));
        }
        sums
    }
}

impl Layout {
    /// The activation of a sum: qa per unit, or qa² of a square.
    fn activate(&self, sum: i16) -> i64 {
        let clipped = i64::from(sum).clamp(0, i64::from(self.qa));
        match self.clipping {
            Clipping::Plain => clipped,
            Clipping::Squared => clipped * clipped,
        }
    }

    /// The bucket of a position, by pieces. It is not quite Stockfish's: there
    /// three pieces more share a bucket with two kings, here four.
    fn bucket(&self, scene: &Scene) -> usize {
        self.bucket_of(scene.board().occupied().count())
    }

    fn bucket_of(&self, pieces: usize) -> usize {
        pieces.saturating_sub(2) / 32_usize.div_ceil(self.buckets)
    }
}
