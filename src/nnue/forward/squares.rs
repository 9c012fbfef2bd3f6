//! The output of a net without hidden layers: weights times squares of the accumulators, which
//! never leave the registers.

use super::super::simd::{RoundedSquaring, Simd, Squaring};

/// Sum of `weights` times the clipped squares of `sums`.
#[inline(always)]
pub(super) fn dot<S: Simd>(simd: S, weights: &[i16], sums: &[i16], squaring: Squaring) -> i32 {
    let ((weights, rest_of_weights), (sums, rest)) = (S::words(weights), S::words(sums));
    let total = match squaring.rounded() {
        Some(squaring) => dot_of_rounded(simd, weights, sums, squaring),
        None => dot_of_any(simd, weights, sums, squaring),
    };
    let mut of_neurons = [0; 16];
    simd.store(total, &mut of_neurons[..S::NEURONS]);
    let rest = rest_of_weights.iter().zip(rest);
    let rest = rest.map(|(&weight, &sum)| i32::from(weight) * squaring.of(sum));
    rest.chain(of_neurons).fold(0, i32::wrapping_add)
}

#[inline(always)]
fn dot_of_any<S: Simd>(
    simd: S,
    weights: &[S::Memory],
    sums: &[S::Memory],
    squaring: Squaring,
) -> S::Sums {
    let mut total = simd.zero();
    for (weights, sums) in weights.iter().zip(sums) {
        let squares = simd.squares(simd.load(sums), squaring);
        total = simd.add_products(total, squares, simd.load(weights));
    }
    total
}

/// The same for squares that are rounded products.
#[inline(always)]
fn dot_of_rounded<S: Simd>(
    simd: S,
    weights: &[S::Memory],
    sums: &[S::Memory],
    squaring: RoundedSquaring,
) -> S::Sums {
    let mut total = simd.zero();
    for (weights, sums) in weights.iter().zip(sums) {
        let squares = simd.rounded_squares(simd.load(sums), squaring);
        total = simd.add_products(total, squares, simd.load(weights));
    }
    total
}
