//! Integer forms of activations.
//!
//! Sums are clipped to `0..=top`, perhaps multiplied, and lose `shift` bits. The plain form
//! ([`TransformerScale::activate`], [`HiddenScale::activate`]) defines the numbers; [`Activated`]
//! is the 16-bit form of the search, equal to the bit.

use super::Activation;
use crate::digits::Base;
use crate::net::BYTE_UNIT;
use crate::scales::{HiddenScale, Rounding, TransformerScale};
use crate::simd::Squaring;

/// Ranges of a feature transformer's sums and activations.
struct Range {
    /// Largest scale of the quantiser.
    one: i32,
    /// Largest clip of the quantiser.
    top: i32,
    /// Largest clip with which no product leaves its integers.
    safe_top: i32,
    /// Units of an activation in a layer of 16-bit numbers.
    word_unit: i32,
    /// Whether two clipped sums are multiplied.
    is_product: bool,
    /// Bits of the unsigned integers in which activations are rounded.
    bits: u32,
}

/// One output of a dense layer's sum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Clipped,
    /// Square of the sum clipped to `0..=top`.
    Square,
    /// Square of the sum clipped to `-top..=top`.
    SignedSquare,
}

impl Activation {
    const fn range(self) -> Range {
        let most = i16::MAX as i32;
        let clipped = Range {
            one: most,
            top: most,
            safe_top: most,
            word_unit: most,
            is_product: false,
            bits: u16::BITS,
        };
        match self {
            Self::ClippedRelu | Self::Dual | Self::Identity => clipped,
            // A square has twice the bits of its sum; 12 of them are kept in 16-bit layers.
            Self::SquaredClippedRelu => {
                let (safe_top, word_unit, bits) = (1 << 10, 1 << 12, u32::BITS);
                Range { safe_top, word_unit, is_product: true, bits, ..clipped }
            }
            // Factors of eight bits, so that products have 16, and activations of seven.
            Self::Pairwise => Range {
                one: 1 << 8,
                top: (1 << 8) - 1,
                safe_top: 1 << 8,
                word_unit: BYTE_UNIT,
                is_product: true,
                ..clipped
            },
        }
    }

    /// Outputs of a dense layer, each for all its sums.
    fn parts(self) -> &'static [Part] {
        match self {
            Self::ClippedRelu | Self::Pairwise | Self::Identity => &[Part::Clipped],
            Self::SquaredClippedRelu => &[Part::Square],
            Self::Dual => &[Part::SignedSquare, Part::Clipped],
        }
    }

    /// Whether a dense layer's outputs have squares.
    pub fn has_squares(self) -> bool {
        self.parts().iter().any(|part| *part != Part::Clipped)
    }

    /// Whether units must be powers of two, so that shifts scale products back.
    pub(crate) fn wants_shifts(self) -> bool {
        self.range().is_product || self.has_squares()
    }

    /// The scale of a feature transformer at `one` units whose activations are bytes.
    pub(crate) fn byte_scale(self, one: i32, base: Option<Base>) -> TransformerScale {
        self.scale(one, BYTE_UNIT, base)
    }

    /// The same with activations of the full 16-bit precision.
    pub(crate) fn word_scale(self, one: i32, base: Option<Base>) -> TransformerScale {
        self.scale(one, self.range().word_unit, base)
    }

    fn scale(self, one: i32, unit: i32, base: Option<Base>) -> TransformerScale {
        let Range { one: most, top, is_product, .. } = self.range();
        let one = one.min(most);
        let long = if is_product { one * one } else { one };
        let shift = (long / unit).max(1).ilog2();
        // A clipped sum that the shift scales exactly.
        let one = if is_product { one } else { one.min(unit << shift) };
        TransformerScale { one, top: one.min(top), shift, base }
    }

    /// Units of a dense layer's outputs, the first and the last of its parts, from those of
    /// clipped sums and of squares.
    pub(crate) fn units(self, clipped: f64, squared: f64) -> [f64; 2] {
        let unit = |part: Option<&Part>| match part {
            Some(Part::Square | Part::SignedSquare) => squared,
            Some(Part::Clipped) | None => clipped,
        };
        [unit(self.parts().first()), unit(self.parts().last())]
    }

    /// The activation of a feature transformer as a formula of exports, before the shift: `sum`
    /// names a sum, `other` its factor, `top` the clip.
    pub fn formula(self, sum: &str, other: &str, top: &str) -> String {
        let clipped = |sum: &str| format!("clamp({sum}, 0, {top})");
        match self {
            Self::ClippedRelu | Self::Dual | Self::Identity => clipped(sum),
            Self::SquaredClippedRelu => format!("{} squared", clipped(sum)),
            Self::Pairwise => format!("{} * {}", clipped(sum), clipped(other)),
        }
    }

    /// The outputs of a dense layer as formulas of exports: `sum` names a sum, `top` the clip,
    /// `square` the bits that squares lose; `cut` writes the shift of a clipped sum.
    pub fn dense_formulas(
        self,
        sum: &str,
        top: &str,
        square: &str,
        cut: impl Fn(String) -> String,
    ) -> Vec<String> {
        let formula = |part: &Part| {
            let squared = |least: &str| {
                format!("(clamp({sum}, {least}, {top}) squared) >> {square}, in 64 bits")
            };
            match part {
                Part::Clipped => cut(format!("clamp({sum}, 0, {top})")),
                Part::Square => squared("0"),
                Part::SignedSquare => squared(&format!("-{top}")),
            }
        };
        self.parts().iter().map(formula).collect()
    }
}

impl TransformerScale {
    /// The largest number before the shift, of sums up to `most`.
    fn long(activation: Activation, most: i64) -> i64 {
        if activation.range().is_product { most * most } else { most }
    }

    /// Integers per unit of activation.
    pub(crate) fn unit(self, activation: Activation) -> f64 {
        Self::long(activation, self.one.into()) as f64 / f64::from(1_u32 << self.shift)
    }

    /// The largest activation.
    pub fn most(self, activation: Activation, rounding: Rounding) -> i32 {
        let long = Self::long(activation, self.top.into());
        ((long + i64::from(rounding.half(self.shift))) >> self.shift) as i32
    }

    /// Whether no number overflows and activations keep some bits.
    pub(crate) fn is_sound(self, activation: Activation, rounding: Rounding) -> bool {
        let Self { one, top, shift, .. } = self;
        let Range { safe_top, bits, .. } = activation.range();
        let largest = || Self::long(activation, top.into()) + i64::from(rounding.half(shift));
        (1..=i32::from(i16::MAX)).contains(&one)
            && (1..=safe_top).contains(&top)
            && shift < bits.min(24)
            && largest() < 1 << bits
            && self.most(activation, rounding) > 0
    }

    /// The activations of a perspective's sums, as inputs of the dense layer.
    pub(crate) fn activate(
        self,
        sums: &[i32],
        activation: Activation,
        rounding: Rounding,
    ) -> Vec<i32> {
        let clipped: Vec<i32> = sums.iter().map(|&sum| sum.clamp(0, self.top)).collect();
        let cut = |long: i32| (long + rounding.half(self.shift)) >> self.shift;
        match activation {
            Activation::ClippedRelu | Activation::Dual | Activation::Identity => {
                clipped.into_iter().map(cut).collect()
            }
            Activation::SquaredClippedRelu => clipped.iter().map(|a| cut(a * a)).collect(),
            Activation::Pairwise => {
                let (first, second) = clipped.split_at(clipped.len() / 2);
                first.iter().zip(second).map(|(a, b)| cut(a * b)).collect()
            }
        }
    }
}

impl HiddenScale {
    /// Bits that a square loses, to be in the unit of an activation.
    #[inline(always)]
    pub fn square_shift(self) -> u32 {
        (self.top as u32 + 1).ilog2() + self.shift
    }

    /// The largest activation.
    pub(crate) fn most(self, rounding: Rounding) -> i32 {
        self.clipped(self.top, rounding)
    }

    /// Whether no number overflows and activations keep some bits.
    pub(crate) fn is_sound(self, activation: Activation) -> bool {
        let Self { weights, top, shift } = self;
        let power = |n: i32| n.count_ones() == 1;
        let in_range = (1..=32_767).contains(&weights) && (1..1 << 30).contains(&top) && shift < 30;
        in_range && top >> shift > 0 && (!activation.wants_shifts() || power(top) || power(top + 1))
    }

    #[inline(always)]
    fn clipped(self, sum: i32, rounding: Rounding) -> i32 {
        let clipped = i64::from(sum.clamp(0, self.top));
        ((clipped + i64::from(rounding.half(self.shift))) >> self.shift) as i32
    }

    #[inline(always)]
    fn squared(self, sum: i32, least: i32) -> i32 {
        let clipped = i64::from(sum.clamp(least, self.top));
        ((clipped * clipped) >> self.square_shift()) as i32
    }

    /// The activations of a layer's sums, as inputs of the layer above.
    #[inline(always)]
    pub(crate) fn activate(
        self,
        sums: &[i32],
        activation: Activation,
        rounding: Rounding,
        out: &mut [i32],
    ) {
        for (part, out) in activation.parts().iter().zip(out.chunks_exact_mut(sums.len())) {
            match part {
                Part::Clipped => {
                    for (out, &sum) in out.iter_mut().zip(sums) {
                        *out = self.clipped(sum, rounding);
                    }
                }
                Part::Square => {
                    for (out, &sum) in out.iter_mut().zip(sums) {
                        *out = self.squared(sum, 0);
                    }
                }
                Part::SignedSquare => {
                    for (out, &sum) in out.iter_mut().zip(sums) {
                        *out = self.squared(sum, -self.top);
                    }
                }
            }
        }
    }
}

/// Activation of accumulators as inputs of the lowest dense layer, in 16 bits.
#[derive(Clone, Copy)]
pub(crate) struct Activated {
    activation: Activation,
    /// Clip: at most 2¹⁵ − 1, so that squares are i32; of products at most 255, so that they
    /// are u16.
    top: i16,
    /// Bits shifted out.
    shift: u32,
    /// Added before the shift.
    half: i32,
}

impl Activated {
    #[inline(always)]
    pub(crate) fn new(activation: Activation, scale: TransformerScale, rounding: Rounding) -> Self {
        let TransformerScale { top, shift, .. } = scale;
        Self { activation, top: top as i16, shift, half: rounding.half(shift) }
    }

    /// Outputs of `sums` sums.
    #[inline(always)]
    pub(crate) fn outputs(self, sums: usize) -> usize {
        self.activation.outputs(sums)
    }

    /// The squaring, if the activation is one; `None` for other activations.
    #[inline(always)]
    pub(crate) fn squaring(self) -> Option<Squaring> {
        let Self { activation, top, shift, half } = self;
        (activation == Activation::SquaredClippedRelu).then_some(Squaring { top, shift, half })
    }

    /// Writes the activations of `sums`, converted by `number`.
    #[inline(always)]
    pub(crate) fn write<T>(self, out: &mut [T], sums: &[i16], number: impl Fn(i32) -> T) {
        let Self { activation, top, shift, half } = self;
        match activation {
            Activation::ClippedRelu | Activation::Dual | Activation::Identity => {
                for (out, &sum) in out.iter_mut().zip(sums) {
                    let clipped = sum.clamp(0, top) as u16;
                    *out = number(i32::from((clipped + half as u16) >> shift));
                }
            }
            Activation::SquaredClippedRelu => {
                let squaring = Squaring { top, shift, half };
                for (out, &sum) in out.iter_mut().zip(sums) {
                    *out = number(squaring.of(sum));
                }
            }
            Activation::Pairwise => {
                let (first, second) = sums.split_at(out.len());
                for ((out, &a), &b) in out.iter_mut().zip(first).zip(second) {
                    // In 16 bits, so that a register holds twice as many.
                    let [a, b] = [a, b].map(|sum| sum.clamp(0, top) as u16);
                    *out = number(i32::from((a * b + half as u16) >> shift));
                }
            }
        }
    }
}
