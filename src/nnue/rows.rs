//! Rows of the feature transformer added and subtracted.
//!
//! An accumulator is updated in pieces of all registers: loaded once, all rows added and
//! subtracted, stored once. So a quiet move is one fused copy-subtract-add, and so is a move that
//! changes a dozen rows.

use super::simd::{Kernel, Simd};
use features::Feature;

/// `out = from + Σ added − Σ removed`. Sums wrap, so that the order of rows
/// does not matter.
pub(super) struct RowUpdate<'a> {
    /// `[width]`.
    pub out: &'a mut [i16],
    /// `[width]`; `None` updates `out` in place.
    pub from: Option<&'a [i16]>,
    /// `[features][width]`.
    pub weights: &'a [i16],
    /// Features whose rows are added.
    pub added: &'a [Feature],
    /// Features whose rows are subtracted.
    pub removed: &'a [Feature],
}

impl Kernel for RowUpdate<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(mut self, simd: S) {
        let mut at = 0;
        if S::HAS_MANY_REGISTERS {
            at = self.pieces::<S, 16>(simd, at);
        }
        at = self.pieces::<S, 8>(simd, at);
        at = self.pieces::<S, 1>(simd, at);
        self.rest(at);
    }
}

impl RowUpdate<'_> {
    /// All pieces of `N` registers from column `at` on; returns their end.
    #[inline(always)]
    fn pieces<S: Simd, const N: usize>(&mut self, simd: S, mut at: usize) -> usize {
        let columns = N * size_of::<S::Memory>() / size_of::<i16>();
        while at + columns <= self.out.len() {
            self.piece::<S, N>(simd, at, columns);
            at += columns;
        }
        at
    }

    /// A piece of `columns` columns, in `N` registers.
    #[inline(always)]
    fn piece<S: Simd, const N: usize>(&mut self, simd: S, at: usize, columns: usize) {
        let width = self.out.len();
        let registers = |numbers| S::words(numbers).0;
        let row = |feature: &Feature| {
            registers(&self.weights[feature.0 as usize * width + at..][..columns])
        };
        let from = registers(&self.from.unwrap_or(self.out)[at..][..columns]);
        let mut sums: [S::Words; N] = std::array::from_fn(
            #[inline(always)]
            |i| simd.load(&from[i]),
        );
        for feature in self.added {
            for (sum, weights) in sums.iter_mut().zip(row(feature)) {
                *sum = simd.plus(*sum, simd.load(weights));
            }
        }
        for feature in self.removed {
            for (sum, weights) in sums.iter_mut().zip(row(feature)) {
                *sum = simd.minus(*sum, simd.load(weights));
            }
        }
        let out = S::words_mut(&mut self.out[at..][..columns]).0;
        for (out, sum) in out.iter_mut().zip(sums) {
            simd.save(sum, out);
        }
    }

    /// Columns that fill no register, one by one.
    #[inline(always)]
    fn rest(&mut self, at: usize) {
        let width = self.out.len();
        let weight = |feature: &Feature, i: usize| self.weights[feature.0 as usize * width + i];
        for i in at..width {
            let from = self.from.map_or(self.out[i], |from| from[i]);
            let plus =
                self.added.iter().fold(from, |sum, feature| sum.wrapping_add(weight(feature, i)));
            let minus = |sum: i16, feature| sum.wrapping_sub(weight(feature, i));
            self.out[i] = self.removed.iter().fold(plus, minus);
        }
    }
}
