//! Activation functions: of floats in training, of integers in play.
//!
//! A new one is a variant here; the tensor form stands in `network/model.rs`, that of
//! graphics cards in `network/front/cube/kernels.rs`, and the fast one over 16 bits in
//! `forward.rs`.

use serde::{Deserialize, Serialize};

/// An activation function. The slope of each follows from its output, so that
/// training keeps only the output.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Activation {
    /// `min(max(x, 0), 1)`.
    #[default]
    ClippedRelu,
    /// `min(max(x, 0), 1)²`.
    SquaredClippedRelu,
    /// `x`.
    Identity,
}

impl Activation {
    /// The output for a sum.
    #[inline(always)]
    pub fn of(self, x: f32) -> f32 {
        match self {
            Self::ClippedRelu => x.clamp(0.0, 1.0),
            Self::SquaredClippedRelu => {
                let clipped = x.clamp(0.0, 1.0);
                clipped * clipped
            }
            Self::Identity => x,
        }
    }

    /// The derivative, from the output; zero where it was clipped.
    #[inline(always)]
    pub fn slope_at(self, output: f32) -> f32 {
        let open = output > 0.0 && output < 1.0;
        match self {
            Self::ClippedRelu if open => 1.0,
            Self::SquaredClippedRelu if open => 2.0 * output.sqrt(),
            Self::ClippedRelu | Self::SquaredClippedRelu => 0.0,
            Self::Identity => 1.0,
        }
    }
}

/// Largest activation of a squared clipped ReLU. A square has twice the bits
/// of what is squared; those below this scale are rounded off, so that
/// activations stay in 16 bits.
const SQUARE_MOST: i32 = 1 << 12;

/// Of integers: a clipped sum is at most `qa`, or at most some unit further up.
impl Activation {
    /// The whole output for a clipped sum, before it is rounded to fewer steps.
    #[inline(always)]
    pub(crate) fn of_integer(self, clipped: i32) -> i32 {
        match self {
            Self::SquaredClippedRelu => clipped * clipped,
            Self::ClippedRelu | Self::Identity => clipped,
        }
    }

    /// Most steps that outputs are kept in.
    pub(crate) fn most_steps(self) -> i32 {
        match self {
            Self::SquaredClippedRelu => SQUARE_MOST,
            Self::ClippedRelu | Self::Identity => i32::MAX,
        }
    }

    /// Whether units have to be powers of two, so that outputs are brought back by shifts.
    pub(crate) fn wants_shifts(self) -> bool {
        match self {
            Self::SquaredClippedRelu => true,
            Self::ClippedRelu | Self::Identity => false,
        }
    }

    /// The output for a sum of the second hidden layer, clipped to `unit`, in the same unit.
    #[inline(always)]
    pub(crate) fn in_unit(self, clipped: i64, unit: i64) -> i64 {
        match self {
            // With squares the unit is a power of two, so rescaling is a shift.
            Self::SquaredClippedRelu => (clipped * clipped) >> unit.ilog2(),
            Self::ClippedRelu | Self::Identity => clipped,
        }
    }

    /// As checkpoints have named it from the first.
    pub fn recorded(self) -> &'static str {
        match self {
            Self::ClippedRelu => "ClippedRelu",
            Self::SquaredClippedRelu => "SquaredClippedRelu",
            Self::Identity => "Identity",
        }
    }

    /// What it is called.
    pub fn name(self) -> &'static str {
        match self {
            Self::ClippedRelu => "clipped ReLU",
            Self::SquaredClippedRelu => "squared clipped ReLU",
            Self::Identity => "none",
        }
    }
}

/// The activation function of the hidden layers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
#[serde(rename_all = "kebab-case")]
pub enum HiddenActivation {
    /// `min(max(x, 0), 1)`.
    #[default]
    ClippedRelu,
    /// `min(max(x, 0), 1)²`.
    SquaredClippedRelu,
}

impl HiddenActivation {
    /// As part of a folder name; nothing of the usual one.
    pub(crate) fn slug(self) -> &'static str {
        match self {
            Self::ClippedRelu => "",
            Self::SquaredClippedRelu => "-screlu",
        }
    }
}

impl From<HiddenActivation> for Activation {
    fn from(activation: HiddenActivation) -> Self {
        match activation {
            HiddenActivation::ClippedRelu => Self::ClippedRelu,
            HiddenActivation::SquaredClippedRelu => Self::SquaredClippedRelu,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn slopes_are_those_of_the_curve(x in -2.0f32..3.0) {
            const STEP: f64 = 1e-3;
            prop_assume!((f64::from(x)).abs() > STEP && (f64::from(x) - 1.0).abs() > STEP);
            for activation in
                [Activation::ClippedRelu, Activation::SquaredClippedRelu, Activation::Identity]
            {
                let at = |x: f64| f64::from(activation.of(x as f32));
                let slope = (at(f64::from(x) + STEP) - at(f64::from(x) - STEP)) / (2.0 * STEP);
                let ours = f64::from(activation.slope_at(activation.of(x)));
                prop_assert!((slope - ours).abs() < 3e-3, "{activation:?} at {x}: {ours}, {slope}");
            }
        }
    }
}
