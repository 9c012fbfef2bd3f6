//! Rows of the feature transformer added and subtracted.
//!
//! A move changes two to four rows in most sets. Up to four are taken in one
//! pass over the accumulator, the first of which reads the one before, so that
//! a quiet move is one pass: copy, subtract, add.

use super::simd::{Kernel, Simd};
use crate::features::Feature;

/// `out = from + Σ added − Σ removed`. Sums wrap, so that the order of rows
/// does not matter.
pub(super) struct RowUpdate<'a> {
    /// `[width]`.
    pub out: &'a mut [i16],
    /// `[width]`; without it what `out` holds.
    pub from: Option<&'a [i16]>,
    /// `[features][width]`.
    pub weights: &'a [i16],
    /// Features whose rows are added.
    pub added: &'a [Feature],
    /// Features whose rows are subtracted.
    pub removed: &'a [Feature],
}

/// Most rows of either kind in a pass.
const FUSED: usize = 2;

impl Kernel for RowUpdate<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, _: S) {
        let Self { out, mut from, weights, mut added, mut removed } = self;
        while from.is_some() || !added.is_empty() || !removed.is_empty() {
            let (plus, more_added) = added.split_at(added.len().min(FUSED));
            let (minus, more_removed) = removed.split_at(removed.len().min(FUSED));
            let from = from.take();
            match (plus, minus) {
                (&[a], &[r]) => pass(out, from, weights, [a], [r]),
                (&[a], &[r, s]) => pass(out, from, weights, [a], [r, s]),
                (&[a, b], &[r]) => pass(out, from, weights, [a, b], [r]),
                (&[a, b], &[r, s]) => pass(out, from, weights, [a, b], [r, s]),
                (&[a], _) => pass(out, from, weights, [a], []),
                (&[a, b], _) => pass(out, from, weights, [a, b], []),
                (_, &[r]) => pass(out, from, weights, [], [r]),
                (_, &[r, s]) => pass(out, from, weights, [], [r, s]),
                _ => pass(out, from, weights, [], []),
            }
            (added, removed) = (more_added, more_removed);
        }
    }
}

/// One pass with `A` rows to add and `R` to subtract.
#[inline(always)]
fn pass<const A: usize, const R: usize>(
    out: &mut [i16],
    from: Option<&[i16]>,
    weights: &[i16],
    added: [Feature; A],
    removed: [Feature; R],
) {
    let width = out.len();
    let row = |feature: Feature| &weights[feature.0 as usize * width..][..width];
    let (added, removed) = (added.map(row), removed.map(row));
    let sum = |value: i16, i: usize| {
        let plus = added.iter().fold(value, |sum, row| sum.wrapping_add(row[i]));
        removed.iter().fold(plus, |sum, row| sum.wrapping_sub(row[i]))
    };
    match from {
        Some(from) => {
            let from = &from[..width];
            (0..width).for_each(|i| out[i] = sum(from[i], i));
        }
        None => (0..width).for_each(|i| out[i] = sum(out[i], i)),
    }
}
