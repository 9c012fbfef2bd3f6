//! Precision of the rows of weights that the forward pass reads.
//!
//! The sums of a row of a batch read some thirty rows of weights, so on a graphics card the first layer
//! is bound by the bytes of these rows. A bfloat16 is the upper half of an `f32`: rounding is an
//! addition, reading back a shift, and no adapter lacks either. Master weights, sums, gradients and
//! the optimiser stay in `f32`; the backward pass reads no weights, so its gradients are those of the
//! rounded ones, passed on to the master weights as if there were no rounding.

use std::fmt;
use std::str::FromStr;

use serde::de::IntoDeserializer;
use serde::de::value::{Error, StrDeserializer};
use serde::{Deserialize, Serialize};

/// Precision in which the forward pass of a training reads the weights of the feature transformer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RowPrecision {
    /// The weights themselves.
    #[default]
    F32,
    /// A copy with eight significant bits, rounded to nearest, ties to even.
    Bf16,
}

impl RowPrecision {
    /// Whether it is the usual one, which keys of jobs do not name.
    pub fn is_f32(&self) -> bool {
        *self == Self::F32
    }

    /// A weight as the forward pass reads it.
    pub fn of(self, weight: f32) -> f32 {
        match self {
            Self::F32 => weight,
            Self::Bf16 => f32::from_bits(upper_half(weight.to_bits()) << 16),
        }
    }

    /// Bytes of the copy of a weight.
    pub fn bytes_of_copy(self) -> usize {
        match self {
            Self::F32 => 0,
            Self::Bf16 => size_of::<u16>(),
        }
    }
}

/// Upper 16 of the bits of an `f32`, rounded; NaN stays NaN.
fn upper_half(bits: u32) -> u32 {
    const INFINITY: u32 = f32::INFINITY.to_bits();
    const QUIET: u32 = 1 << 22;
    if bits & !(1 << 31) > INFINITY {
        return (bits | QUIET) >> 16;
    }
    (bits + 0x7fff + ((bits >> 16) & 1)) >> 16
}

impl fmt::Display for RowPrecision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::F32 => "f32",
            Self::Bf16 => "bf16",
        })
    }
}

impl FromStr for RowPrecision {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self, Error> {
        let name: StrDeserializer<'_, Error> = name.into_deserializer();
        Self::deserialize(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The two values of 16 bits on either side of a weight, towards zero first.
    fn neighbours(weight: f32) -> [f32; 2] {
        let towards_zero = weight.to_bits() >> 16;
        [towards_zero, towards_zero + 1].map(|half| f32::from_bits(half << 16))
    }

    proptest! {
        #[test]
        fn weights_are_rounded_to_the_nearest_half(bits: u32) {
            let weight = f32::from_bits(bits);
            let rounded = RowPrecision::Bf16.of(weight);
            prop_assert_eq!(RowPrecision::F32.of(weight).to_bits(), bits);
            prop_assert_eq!(rounded.is_nan(), weight.is_nan());
            prop_assert_eq!(rounded.to_bits() & 0xffff, 0);
            prop_assert_eq!(RowPrecision::Bf16.of(rounded).to_bits(), rounded.to_bits());
            prop_assert_eq!(RowPrecision::Bf16.of(-weight).to_bits(), (-rounded).to_bits());
            let all = neighbours(weight);
            if weight.is_finite() && all.iter().all(|it| it.is_finite()) {
                let distance = |value: f32| (f64::from(value) - f64::from(weight)).abs();
                let [near, far] = if rounded == all[0] { all } else { [all[1], all[0]] };
                prop_assert_eq!(rounded, near);
                prop_assert!(distance(near) <= distance(far));
                let is_even = (rounded.to_bits() >> 16) & 1 == 0;
                prop_assert!(distance(near) < distance(far) || is_even);
            }
        }
    }

    #[test]
    fn halves_between_two_values_go_to_the_even_one() {
        let of = |bits| RowPrecision::Bf16.of(f32::from_bits(bits)).to_bits();
        assert_eq!(of(0x3f80_8000), 0x3f80_0000);
        assert_eq!(of(0x3f81_8000), 0x3f82_0000);
        assert_eq!(of(0x3f80_8001), 0x3f81_0000);
        assert_eq!(of(0x7f7f_ffff), f32::INFINITY.to_bits());
        assert!(f32::from_bits(of(u32::MAX)).is_nan());
    }

    #[test]
    fn names_are_those_of_the_experiment_file() {
        for (name, precision) in [("f32", RowPrecision::F32), ("bf16", RowPrecision::Bf16)] {
            assert_eq!(name.parse::<RowPrecision>().ok(), Some(precision));
            assert_eq!(precision.to_string(), name);
            assert_eq!(serde_json::to_string(&precision).unwrap(), format!("{name:?}"));
        }
        let error = "f16".parse::<RowPrecision>().unwrap_err().to_string();
        assert!(error.contains("expected `f32` or `bf16`"), "{error}");
    }
}
