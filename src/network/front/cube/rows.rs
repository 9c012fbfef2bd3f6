//! The rows of weights as the forward pass reads them.
//!
//! In half precision a word of 32 bits holds two weights: that of a column in its lower bits, and that
//! of the column half a row further in its upper ones. So a vector of words is two vectors of
//! consecutive columns, by a shift and a mask. The copy is made anew in every step: it reads each
//! weight once, where the forward pass reads the row of a common feature thousands of times.

use burn::backend::TensorMetadata;
use burn_wgpu::CubeTensor;
use cubecl::prelude::*;

use crate::cube::{empty, launch, plain, units, vector_size};
use crate::front::RowPrecision;

/// Weights of the first layer on the card.
pub(super) struct WeightRows {
    /// Words of 32 bits, `[features, words of a row]`.
    pub(super) words: CubeTensor,
    pub(super) precision: RowPrecision,
    pub(super) features: usize,
    pub(super) l1: usize,
}

impl WeightRows {
    /// Rows of `weights [features, l1]`; `l1` is even in half precision.
    pub(super) fn new(weights: CubeTensor, precision: RowPrecision) -> Self {
        let [features, l1] = weights.shape().dims();
        let weights = plain(weights);
        let words = match precision {
            RowPrecision::F32 => weights,
            RowPrecision::Bf16 => packed(weights),
        };
        Self { words, precision, features, l1 }
    }

    /// Words of a row.
    pub(super) fn width(&self) -> usize {
        self.l1 / weights_of_word(self.precision)
    }
}

/// Weights in a word.
pub(super) const fn weights_of_word(precision: RowPrecision) -> usize {
    match precision {
        RowPrecision::F32 => 1,
        RowPrecision::Bf16 => 2,
    }
}

/// The weights in half precision.
fn packed(weights: CubeTensor) -> CubeTensor {
    let [features, l1] = weights.shape().dims();
    let out = empty(&weights, [features, l1 / 2]);
    let vector = vector_size(l1 / 2);
    let lanes = l1 / 2 / vector;
    // SAFETY: a unit stays within its row and lane.
    unsafe {
        launch!(kernels::pack[out, units(&out, features * lanes)]
            vector, weights.into_buffer_arg(), out.clone().into_buffer_arg(), features, lanes
        );
    }
    out
}

pub(super) mod kernels {
    use super::*;

    /// The exponent of infinity, above which there is no number.
    const INFINITY: u32 = 0x7f80_0000;

    /// A unit per vector of `out`, `[features, lanes]`.
    #[cube(launch_unchecked)]
    pub fn pack<N: Size>(
        weights: &[Vector<u32, N>],
        out: &mut [Vector<u32, N>],
        features: usize,
        lanes: usize,
    ) {
        if ABSOLUTE_POS >= features * lanes {
            terminate!();
        }
        let first = ABSOLUTE_POS / lanes * (2 * lanes) + ABSOLUTE_POS % lanes;
        let (low, high) = (weights[first], weights[first + lanes]);
        let mut words = Vector::<u32, N>::empty();
        #[unroll]
        for i in 0..N::value() {
            words.insert(i, upper_half(low.extract(i)) | (upper_half(high.extract(i)) << 16));
        }
        out[ABSOLUTE_POS] = words;
    }

    /// [`RowPrecision::of`] of the bits of an `f32`, without the zeros below.
    #[cube]
    fn upper_half(bits: u32) -> u32 {
        let is_number = (bits & 0x7fff_ffff) <= INFINITY;
        let nearest = bits + 0x7fff + ((bits >> 16) & 1);
        select(is_number, nearest, bits | 0x0040_0000) >> 16
    }

    /// The weights of the columns at the place of a vector of words.
    #[cube]
    pub fn lower<N: Size>(
        words: Vector<u32, N>,
        #[comptime] precision: RowPrecision,
    ) -> Vector<f32, N> {
        match precision {
            RowPrecision::F32 => Vector::<f32, N>::reinterpret(words),
            RowPrecision::Bf16 => Vector::<f32, N>::reinterpret(words << Vector::new(16u32)),
        }
    }

    /// Those of the columns half a row further, in half precision.
    #[cube]
    pub fn upper<N: Size>(words: Vector<u32, N>) -> Vector<f32, N> {
        Vector::<f32, N>::reinterpret(words & Vector::new(0xffff_0000u32))
    }
}
