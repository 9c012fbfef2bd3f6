//! Reference of Stockfish 15.1's arithmetic, step by step and in its integers.
//!
//! It is slow and literal: shifts where Stockfish shifts, quotients rounded towards zero where it
//! divides, sums of the feature transformer in 16 bits. The imported net is compared with it.
//!
//! Builds of Stockfish for processors with AVX2 add four products of fc_0 in saturating 16 bits;
//! all other builds compute this arithmetic, and so do those while no four products reach a limit.

use chess::{Color, Scene};
use features::Feature;

use super::super::{
    Affine, ONE, OUTPUT_SCALE, PRODUCT_BITS, SKIP, Sizes, Stack, StockfishNet, UNIT, WEIGHT_BITS,
};

/// Terms of a net for the side to move, 16 to an internal unit of Stockfish.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Terms {
    /// Piece-square values, "material" in Stockfish's tables.
    pub(super) psqt: i32,
    /// Term of the layers.
    pub(super) positional: i32,
}

impl Terms {
    /// Both together, in internal units, as `NNUE::evaluate` returns them.
    pub(super) fn value(self) -> i32 {
        self.psqt.wrapping_add(self.positional) / OUTPUT_SCALE
    }
}

/// Sums of a perspective.
struct Sums {
    /// `[l1]`.
    transformed: Vec<i16>,
    /// `[buckets]`.
    psqt: Vec<i32>,
}

impl StockfishNet {
    /// The terms of the bucket that Stockfish uses.
    pub(super) fn evaluate(&self, scene: &Scene, turn: Color) -> Terms {
        self.terms(scene, turn)[self.bucket(scene)]
    }

    /// The terms of every bucket.
    pub(super) fn terms(&self, scene: &Scene, turn: Color) -> Vec<Terms> {
        let [stm, nstm] = [turn, !turn].map(|perspective| self.sums(scene, perspective));
        let inputs = [pairwise(&stm.transformed), pairwise(&nstm.transformed)].concat();
        let psqt = stm.psqt.iter().zip(&nstm.psqt).map(|(stm, nstm)| stm.wrapping_sub(*nstm) / 2);
        let positional = self.stacks.iter().map(|stack| stack.propagate(&inputs));
        psqt.zip(positional).map(|(psqt, positional)| Terms { psqt, positional }).collect()
    }

    /// The bucket of a position: four numbers of pieces share one.
    pub(super) fn bucket(&self, scene: &Scene) -> usize {
        (scene.board().occupied().count() - 1) * self.sizes.buckets / 32
    }

    fn sums(&self, scene: &Scene, perspective: Color) -> Sums {
        let Sizes { l1, buckets, .. } = self.sizes;
        let mut sums = Sums { transformed: self.biases.clone(), psqt: vec![0; buckets] };
        let mut active: Vec<Feature> = Vec::new();
        self.features().active(scene, perspective, &mut active);
        for feature in active.into_iter().map(|feature| feature.0 as usize) {
            let row = &self.weights[feature * l1..][..l1];
            sums.transformed.iter_mut().zip(row).for_each(|(sum, w)| *sum = sum.wrapping_add(*w));
            let row = &self.psqt[feature * buckets..][..buckets];
            sums.psqt.iter_mut().zip(row).for_each(|(sum, w)| *sum = sum.wrapping_add(*w));
        }
        sums
    }
}

impl Stack {
    fn propagate(&self, inputs: &[u8]) -> i32 {
        let sums = self.fc_0.sums(inputs);
        let (hidden, skip) = sums.split_at(sums.len() - 1);
        let squares = hidden.iter().map(|&sum| squared(sum));
        let activations: Vec<u8> = squares.chain(hidden.iter().map(|&sum| clipped(sum))).collect();
        let hidden: Vec<u8> = self.fc_1.sums(&activations).into_iter().map(clipped).collect();
        self.fc_2.sums(&hidden)[0].wrapping_add(forwarded(skip[0]))
    }
}

impl Affine {
    fn sums(&self, inputs: &[u8]) -> Vec<i32> {
        let rows = self.weights.chunks_exact(inputs.len());
        let sum = |(row, &bias): (&[i8], &i32)| {
            let products = row.iter().zip(inputs).map(|(&w, &x)| i32::from(w) * i32::from(x));
            products.fold(bias, i32::wrapping_add)
        };
        rows.zip(&self.biases).map(sum).collect()
    }
}

/// Each clipped sum of the first half times that of the second half: 128 steps, with 126 as the
/// largest.
fn pairwise(sums: &[i16]) -> Vec<u8> {
    let (first, second) = sums.split_at(sums.len() / 2);
    let clip = |sum: i16| i32::from(sum).clamp(0, ONE);
    first.iter().zip(second).map(|(&a, &b)| ((clip(a) * clip(b)) >> PRODUCT_BITS) as u8).collect()
}

/// The square of a sum of either sign, clipped.
fn squared(sum: i32) -> u8 {
    let square = i64::from(sum) * i64::from(sum);
    (square >> (2 * WEIGHT_BITS + PRODUCT_BITS)).min(i64::from(ONE)) as u8
}

/// A sum, clipped.
fn clipped(sum: i32) -> u8 {
    (sum >> WEIGHT_BITS).clamp(0, ONE) as u8
}

/// Part of the skip sum in the output.
fn forwarded(sum: i32) -> i32 {
    (i64::from(sum) * i64::from(SKIP) / i64::from(UNIT)) as i32
}

#[test]
fn products_of_halves() {
    // 127², 127 · 64, 0 · 100 and 64 · 2, over 128 and floored.
    assert_eq!(pairwise(&[127, 200, -5, 64, 127, 64, 100, 2]), [126, 63, 0, 1]);
    assert_eq!(pairwise(&[i16::MIN, i16::MAX, i16::MAX, i16::MAX]), [0, 126]);
}

#[test]
fn squares_of_sums() {
    // 724² = 524,176 and 725² = 525,625; one step is 2¹⁹ = 524,288.
    assert_eq!([0, 724, 725, -724, -725].map(squared), [0, 0, 1, 0, 1]);
    // One unit: 8,128² = 66,064,384 = 126.007 steps; 8,160² = 127.002.
    assert_eq!(
        [8128, -8128, 8159, 8160, 100_000, i32::MIN].map(squared),
        [126, 126, 126, 127, 127, 127]
    );
}

#[test]
fn clipped_sums() {
    assert_eq!([-1, 0, 63, 64, 8127, 8128, 9999].map(clipped), [0, 0, 0, 1, 126, 127, 127]);
    assert_eq!([i32::MIN, i32::MAX].map(clipped), [0, 127]);
}

#[test]
fn skips_are_rounded_towards_zero() {
    // 9,600 / 8,128 = 1.18.
    assert_eq!([8128, -8128, 1, -1, 5, -5].map(forwarded), [9600, -9600, 1, -1, 5, -5]);
    assert_eq!([6, -6, 1_000_000].map(forwarded), [7, -7, 1_181_102]);
}

#[test]
fn sums_of_products() {
    let layer = Affine { biases: vec![10, -10], weights: vec![1, -2, 3, 127, -128, 0] };
    // 10 + 5 - 200 + 381 and -10 + 635 - 12,800
    assert_eq!(layer.sums(&[5, 100, 127]), [196, -12_175]);
}

/// fc_0: 100·2 - 50 = 150 and 100·60 + 50·40 = 8,000; the last, 8,128, skips.
/// Squares 0 and 122, clipped 2 and 125.
/// fc_1: 122 + 2·2 + 3·125 - 1 = 500, clipped 7; -100, clipped 0.
/// fc_2: 7·10 - 20 = 50, and 9,600 from the skip sum.
#[test]
fn a_stack_by_hand() {
    let stack = Stack {
        fc_0: Affine { biases: vec![0, 0, 3128], weights: vec![2, -1, 60, 40, 50, 0] },
        fc_1: Affine { biases: vec![-1, -100], weights: vec![9, 1, 2, 3, 0, 0, 0, 0] },
        fc_2: Affine { biases: vec![-20], weights: vec![10, 99] },
    };
    assert_eq!(stack.fc_0.sums(&[100, 50]), [150, 8000, 8128]);
    assert_eq!([squared(150), squared(8000), clipped(150), clipped(8000)], [0, 122, 2, 125]);
    assert_eq!(stack.propagate(&[100, 50]), 50 + 9600);
}

#[test]
fn both_terms_are_added_before_the_quotient() {
    let value = |psqt, positional| Terms { psqt, positional }.value();
    assert_eq!(value(8, 8), 1);
    assert_eq!(value(-17, 2), 0);
    assert_eq!(value(-33, 0), -2);
}
