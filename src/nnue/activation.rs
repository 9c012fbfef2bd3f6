//! Activation functions: of floats in training, of integers in play.
//!
//! A new one is a variant here: its word in the line of layers, what it makes of floats
//! and how steep it is, and what it makes of integers (`integers`). The tensor forms stand
//! in `network/activation.rs` and `network/front`.

/// An activation function: what a layer makes of its sums.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Activation {
    /// `min(max(x, 0), 1)`.
    #[default]
    ClippedRelu,
    /// `min(max(x, 0), 1)²`.
    SquaredClippedRelu,
    /// Products of the two halves of a perspective's sums: output `i` of `n / 2` is that of
    /// the clipped sums `i` and `i + n / 2`. After the feature transformer only.
    Pairwise,
    /// Squares and clipped sums side by side: first `min(x², 1)` of all sums, whatever
    /// their sign, then `min(max(x, 0), 1)` of all. Twice as many outputs as sums. After
    /// dense layers only.
    Dual,
    /// `x`, of a head that only adds up.
    Identity,
}

impl Activation {
    /// How many outputs so many sums give.
    pub fn outputs(self, sums: usize) -> usize {
        match self {
            Self::ClippedRelu | Self::SquaredClippedRelu | Self::Identity => sums,
            Self::Pairwise => sums / 2,
            Self::Dual => 2 * sums,
        }
    }

    /// The outputs for the sums of a layer, or of one perspective.
    pub fn of_layer(self, sums: &[f32]) -> Vec<f32> {
        match self {
            Self::ClippedRelu | Self::SquaredClippedRelu | Self::Identity => {
                sums.iter().map(|&sum| self.of(sum)).collect()
            }
            Self::Pairwise => {
                let (first, second) = sums.split_at(sums.len() / 2);
                first.iter().zip(second).map(|(&a, &b)| self.of(a) * self.of(b)).collect()
            }
            Self::Dual => {
                let squares = sums.iter().map(|&sum| (sum * sum).clamp(0.0, 1.0));
                squares.chain(sums.iter().map(|&sum| self.of(sum))).collect()
            }
        }
    }

    /// What is done to a sum by itself: all there is but the squares of
    /// [`Dual`](Self::Dual) and the products of [`Pairwise`](Self::Pairwise).
    #[inline(always)]
    pub fn of(self, x: f32) -> f32 {
        match self {
            Self::ClippedRelu | Self::Pairwise | Self::Dual => x.clamp(0.0, 1.0),
            Self::SquaredClippedRelu => {
                let clipped = x.clamp(0.0, 1.0);
                clipped * clipped
            }
            Self::Identity => x,
        }
    }

    /// The derivative of [`of`](Self::of), from its output, so that training keeps only
    /// that; zero where it was clipped.
    #[inline(always)]
    pub fn slope_at(self, output: f32) -> f32 {
        let open = output > 0.0 && output < 1.0;
        match self {
            Self::ClippedRelu | Self::Pairwise | Self::Dual if open => 1.0,
            Self::SquaredClippedRelu if open => 2.0 * output.sqrt(),
            Self::Identity => 1.0,
            Self::ClippedRelu | Self::SquaredClippedRelu | Self::Pairwise | Self::Dual => 0.0,
        }
    }
}

/// Of integers: what a clipped sum becomes before it is cut to fewer bits.
impl Activation {
    /// Twice as many bits as a sum has, where sums are multiplied.
    pub(crate) fn is_product(self) -> bool {
        match self {
            Self::SquaredClippedRelu | Self::Pairwise => true,
            Self::ClippedRelu | Self::Dual | Self::Identity => false,
        }
    }

    /// Whether units have to be powers of two, so that products are brought back by shifts.
    pub(crate) fn wants_shifts(self) -> bool {
        match self {
            Self::SquaredClippedRelu | Self::Pairwise | Self::Dual => true,
            Self::ClippedRelu | Self::Identity => false,
        }
    }

    /// In a line.
    pub fn word(self) -> &'static str {
        match self {
            Self::ClippedRelu => "crelu",
            Self::SquaredClippedRelu => "screlu",
            Self::Pairwise => "pairwise",
            Self::Dual => "dual",
            Self::Identity => "none",
        }
    }

    /// What it is called.
    pub fn name(self) -> &'static str {
        match self {
            Self::ClippedRelu => "clipped ReLU",
            Self::SquaredClippedRelu => "squared clipped ReLU",
            Self::Pairwise => "pairwise products of clipped ReLU",
            Self::Dual => "squares and clipped ReLU side by side",
            Self::Identity => "none",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const BY_ITSELF: [Activation; 3] =
        [Activation::ClippedRelu, Activation::SquaredClippedRelu, Activation::Identity];

    proptest! {
        #[test]
        fn slopes_are_those_of_the_curve(x in -2.0f32..3.0) {
            const STEP: f64 = 1e-3;
            prop_assume!((f64::from(x)).abs() > STEP && (f64::from(x) - 1.0).abs() > STEP);
            for activation in BY_ITSELF {
                let at = |x: f64| f64::from(activation.of(x as f32));
                let slope = (at(f64::from(x) + STEP) - at(f64::from(x) - STEP)) / (2.0 * STEP);
                let ours = f64::from(activation.slope_at(activation.of(x)));
                prop_assert!((slope - ours).abs() < 3e-3, "{activation:?} at {x}: {ours}, {slope}");
            }
        }
    }

    #[test]
    fn layers_have_the_outputs_that_they_say() {
        let sums = [-0.5, 0.25, 0.5, 3.0];
        for activation in [Activation::Pairwise, Activation::Dual].into_iter().chain(BY_ITSELF) {
            assert_eq!(activation.of_layer(&sums).len(), activation.outputs(sums.len()));
        }
        assert_eq!(Activation::Pairwise.of_layer(&sums), [0.0, 0.25]);
        assert_eq!(
            Activation::Dual.of_layer(&sums),
            [0.25, 0.0625, 0.25, 1.0, 0.0, 0.25, 0.5, 1.0]
        );
        assert_eq!(Activation::SquaredClippedRelu.of_layer(&sums), [0.0, 0.0625, 0.25, 1.0]);
    }
}
