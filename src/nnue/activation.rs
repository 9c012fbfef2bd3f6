//! Activation functions.

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
