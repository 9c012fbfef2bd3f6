//! Activation functions: words of the line, floats in training, integers in play.
//!
//! A new one is a variant here with its properties and its floats; [`integers`] has its integer
//! form. The tensor forms of an elementwise one stand in `network/activation/cube.rs` and
//! `network/front/cpu/between.rs`.

mod integers;

pub(crate) use integers::Activated;

/// An activation function.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Activation {
    /// `min(max(x, 0), 1)`.
    #[default]
    ClippedRelu,
    /// `min(max(x, 0), 1)²`.
    SquaredClippedRelu,
    /// Products of the two halves of a perspective's sums: output `i` of `n / 2` is the product of
    /// the clipped sums `i` and `i + n / 2`. After the feature transformer only.
    Pairwise,
    /// Squares and clipped sums side by side: first `min(x², 1)` of all sums of either sign, then
    /// `min(max(x, 0), 1)` of all. After dense layers only.
    Dual,
    /// `x`, for sums of a head alone.
    Identity,
}

/// Properties that the line of layers and the shapes of tensors need.
struct Properties {
    word: &'static str,
    name: &'static str,
    follows_transformer: bool,
    follows_dense: bool,
    factors: usize,
    copies: usize,
}

impl Activation {
    /// All activations.
    pub const ALL: [Self; 5] =
        [Self::ClippedRelu, Self::SquaredClippedRelu, Self::Pairwise, Self::Dual, Self::Identity];

    const fn properties(self) -> Properties {
        let elementwise = Properties {
            word: "none",
            name: "none",
            follows_transformer: true,
            follows_dense: true,
            factors: 1,
            copies: 1,
        };
        match self {
            Self::ClippedRelu => Properties { word: "crelu", name: "clipped ReLU", ..elementwise },
            Self::SquaredClippedRelu => {
                Properties { word: "screlu", name: "squared clipped ReLU", ..elementwise }
            }
            Self::Pairwise => Properties {
                word: "pairwise",
                name: "pairwise products of clipped ReLU",
                follows_dense: false,
                factors: 2,
                ..elementwise
            },
            Self::Dual => Properties {
                word: "dual",
                name: "squares and clipped ReLU side by side",
                follows_transformer: false,
                copies: 2,
                ..elementwise
            },
            Self::Identity => {
                Properties { follows_transformer: false, follows_dense: false, ..elementwise }
            }
        }
    }

    /// Word in the line of layers.
    pub fn word(self) -> &'static str {
        self.properties().word
    }

    /// Name in sentences.
    pub fn name(self) -> &'static str {
        self.properties().name
    }

    /// Whether a line may have it after the feature transformer.
    pub fn follows_transformer(self) -> bool {
        self.properties().follows_transformer
    }

    /// Whether a line may have it after a dense layer.
    pub fn follows_dense(self) -> bool {
        self.properties().follows_dense
    }

    /// Equal parts of a layer's sums that are combined column by column: 2 where halves are
    /// multiplied, 1 otherwise.
    #[inline(always)]
    pub fn factors(self) -> usize {
        self.properties().factors
    }

    /// Outputs of a sum: 2 where squares stand beside clipped sums, 1 otherwise.
    #[inline(always)]
    pub fn copies(self) -> usize {
        self.properties().copies
    }

    /// Number of outputs of `sums` sums.
    #[inline(always)]
    pub fn outputs(self, sums: usize) -> usize {
        sums / self.factors() * self.copies()
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

    /// The elementwise part: everything but the squares of [`Dual`](Self::Dual) and the products
    /// of [`Pairwise`](Self::Pairwise).
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

    /// The derivative of [`of`](Self::of) from its output, the only number that training keeps;
    /// zero where it was clipped.
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
    fn layers_have_their_declared_outputs() {
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
