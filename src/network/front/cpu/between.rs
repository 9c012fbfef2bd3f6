//! Between the sums of a tile and the dense layer: products, where the
//! activation has them, and the way back through both.
//!
//! Memory holds the activation of each single sum. Products are computed from it
//! on the way forward and again on the way back: that is cheaper than to write
//! and read them.

use super::layout::SLICE;
use crate::vectorised;
use nnue::Activation;

/// The inputs of the dense layer for `positions` positions, from one side's strips: the only
/// strip, or the products of both.
pub(super) fn inputs_of<'a, const T: usize>(
    strips: &'a [[f32; T]],
    positions: usize,
    activation: Activation,
    products: &'a mut [[f32; T]; SLICE],
) -> &'a [[f32; T]] {
    let (first, second) = strips.split_at(SLICE);
    if second.is_empty() {
        return &first[..positions];
    }
    let products = &mut products[..positions];
    combine(products, first, second, activation);
    products
}

/// Outputs of two factors each.
fn combine<const T: usize>(
    outputs: &mut [[f32; T]],
    first: &[[f32; T]],
    second: &[[f32; T]],
    activation: Activation,
) {
    vectorised!({
        use Activation::{ClippedRelu, Dual, Identity, Pairwise, SquaredClippedRelu};
        match activation {
            ClippedRelu | SquaredClippedRelu | Dual | Identity => unreachable!("of one factor"),
            Pairwise => each_pair(outputs, first, second, |a, b| a * b),
        }
    })
}

#[inline(always)]
fn each_pair<const T: usize>(
    outputs: &mut [[f32; T]],
    first: &[[f32; T]],
    second: &[[f32; T]],
    of: impl Fn(f32, f32) -> f32,
) {
    for (output, (a, b)) in outputs.iter_mut().zip(first.iter().zip(second)) {
        for lane in 0..T {
            output[lane] = of(a[lane], b[lane]);
        }
    }
}

/// The gradient of the sums of one strip, in the place of that of the inputs: times the
/// slope of the activation, which is zero where it clipped. Adds its rows to `bias`.
///
/// The activation is matched outside of the loops: inside, it would be matched
/// at each column of a tile.
pub(super) fn through_activation<const T: usize>(
    gradient: &mut [[f32; T]],
    a: &[[f32; T]],
    activation: Activation,
    bias: &mut [f32; T],
) {
    vectorised!({
        use Activation::{ClippedRelu, Dual, Identity, Pairwise, SquaredClippedRelu};
        match activation {
            ClippedRelu | Pairwise | Dual => times(gradient, a, |a| ClippedRelu.slope_at(a), bias),
            SquaredClippedRelu => times(gradient, a, |a| SquaredClippedRelu.slope_at(a), bias),
            Identity => times(gradient, a, |a| Identity.slope_at(a), bias),
        }
    })
}

#[inline(always)]
fn times<const T: usize>(
    gradient: &mut [[f32; T]],
    a: &[[f32; T]],
    slope: impl Fn(f32) -> f32,
    bias: &mut [f32; T],
) {
    let mut sum = *bias;
    for (row, a) in gradient.iter_mut().zip(a) {
        for lane in 0..T {
            row[lane] *= slope(a[lane]);
            sum[lane] += row[lane];
        }
    }
    *bias = sum;
}

/// The gradient of the sums of both strips, the first one's in the place of that of the
/// outputs of `a` and `b`. Adds their rows to `biases`.
pub(super) fn through_factors<const T: usize>(
    strips: [&mut [[f32; T]]; 2],
    factors: [&[[f32; T]]; 2],
    activation: Activation,
    biases: &mut [[f32; T]; 2],
) {
    vectorised!({
        use Activation::{ClippedRelu, Dual, Identity, Pairwise, SquaredClippedRelu};
        match activation {
            ClippedRelu | SquaredClippedRelu | Dual | Identity => unreachable!("of one factor"),
            Pairwise => times_each(
                strips,
                factors,
                Pairwise,
                |gradient, a, b| [gradient * b, gradient * a],
                biases,
            ),
        }
    })
}

/// The same, with the gradient of both factors from that of their output.
#[inline(always)]
fn times_each<const T: usize>(
    [first, second]: [&mut [[f32; T]]; 2],
    [a, b]: [&[[f32; T]]; 2],
    activation: Activation,
    of_factors: impl Fn(f32, f32, f32) -> [f32; 2],
    biases: &mut [[f32; T]; 2],
) {
    let [mut of_first, mut of_second] = *biases;
    let gradients = first.iter_mut().zip(second.iter_mut());
    for ((first, second), (a, b)) in gradients.zip(a.iter().zip(b)) {
        for lane in 0..T {
            let [own, other] = of_factors(first[lane], a[lane], b[lane]);
            first[lane] = own * activation.slope_at(a[lane]);
            second[lane] = other * activation.slope_at(b[lane]);
            of_first[lane] += first[lane];
            of_second[lane] += second[lane];
        }
    }
    *biases = [of_first, of_second];
}
