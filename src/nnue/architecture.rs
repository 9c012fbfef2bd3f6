//! The layers of a net.
//!
//! ```text
//! Linear   output = f(own) − f(other), one weight per feature
//! One      (features → L1)×2 → 1
//! Two      (features → L1)×2 → L2 → 1
//! ```
//!
//! Above the feature transformer of `One` and `Two` all layers may exist
//! several times, once per [output bucket](Buckets); a position uses those of
//! its number of pieces.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::activation::{Activation, HiddenActivation};

/// Layer sizes are multiples of this, for the vector registers of trainer and
/// engine.
const LAYER_MULTIPLE: usize = 8;

/// Layers have no more neurons than this: the engine counts the inputs of a
/// layer, twice as many, in 16 bits.
pub(crate) const LAYER_MOST: usize = 1 << 15;

/// Inputs and layers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Architecture {
    /// Inputs: size of the feature set.
    pub features: usize,
    /// What comes after them.
    pub layers: Layers,
}

/// The layers above the features.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Layers {
    /// One weight per feature: what the own side sees counts for it, what the
    /// other side sees counts against it. Without bias, since it would cancel.
    Linear,
    /// One hidden layer: (features → l1)×2 → 1.
    One {
        /// Feature transformer outputs per perspective.
        l1: usize,
        /// After the feature transformer.
        activation: HiddenActivation,
        /// Copies of the output layer.
        buckets: Buckets,
    },
    /// Two hidden layers: (features → l1)×2 → l2 → 1.
    Two {
        /// Feature transformer outputs per perspective.
        l1: usize,
        /// Second hidden layer.
        l2: usize,
        /// After both hidden layers.
        activation: HiddenActivation,
        /// Copies of the second hidden layer and the output layer.
        buckets: Buckets,
    },
}

/// How many output buckets a net has: 1 to 32.
///
/// A position with so many pieces uses bucket `(pieces − 1) · buckets / 32`,
/// rounded down. With 8 buckets that is Stockfish's `(pieces − 1) / 4`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "usize", into = "usize")]
pub struct Buckets(u8);

impl Buckets {
    /// The same layers for every position.
    pub const ONE: Self = Self(1);

    /// Most buckets: one per number of pieces.
    pub const MOST: usize = 32;

    /// How many there are.
    #[inline]
    pub fn count(self) -> usize {
        usize::from(self.0)
    }

    /// The bucket of a position with so many pieces, below [`count`](Self::count).
    #[inline]
    pub fn of(self, pieces: usize) -> usize {
        (pieces.clamp(1, Self::MOST) - 1) * self.count() / Self::MOST
    }
}

impl Default for Buckets {
    fn default() -> Self {
        Self::ONE
    }
}

impl TryFrom<usize> for Buckets {
    type Error = LayersError;

    fn try_from(count: usize) -> Result<Self, LayersError> {
        match u8::try_from(count) {
            Ok(few @ 1..=32) => Ok(Self(few)),
            _ => Err(LayersError::Buckets { count }),
        }
    }
}

impl From<Buckets> for usize {
    fn from(buckets: Buckets) -> usize {
        buckets.count()
    }
}

/// Layers that the trainer or the engine cannot have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the messages name the fields")]
pub enum LayersError {
    /// A layer of a size that the kernels do not have.
    #[error("{key} = {size} is not a multiple of {LAYER_MULTIPLE}; the nearest is {nearest}")]
    Size { key: &'static str, size: usize, nearest: usize },
    /// A layer of more neurons than the engine can count.
    #[error("{key} = {size}: a layer has at most {LAYER_MOST} neurons")]
    Large { key: &'static str, size: usize },
    /// Too many buckets, or none.
    #[error("buckets = {count}: a net has 1 to {} output buckets", Buckets::MOST)]
    Buckets { count: usize },
}

impl LayersError {
    /// The key that is wrong.
    pub fn key(&self) -> &'static str {
        match self {
            Self::Size { key, .. } | Self::Large { key, .. } => key,
            Self::Buckets { .. } => "buckets",
        }
    }

    /// What else there is, for people.
    pub fn help(&self) -> &'static str {
        match self {
            Self::Size { key: "l1", .. } | Self::Large { key: "l1", .. } => {
                "8, 16, 32 … 512 are usual; 0 is the linear model, without hidden layers"
            }
            Self::Size { .. } | Self::Large { .. } => {
                "8, 16, 32 are usual; 0 leaves the second hidden layer out"
            }
            Self::Buckets { .. } => "8 is usual, 1 uses the same layers for every position",
        }
    }
}

impl Layers {
    /// Layers from sizes as people write them: an `l1` of 0 is the linear
    /// model, for which the rest means nothing, and an `l2` of 0 leaves the
    /// second hidden layer out.
    ///
    /// # Errors
    /// See [`check`](Self::check).
    pub fn new(
        l1: usize,
        l2: usize,
        activation: HiddenActivation,
        buckets: usize,
    ) -> Result<Self, LayersError> {
        let buckets = Buckets::try_from(buckets)?;
        if l2 > 0 {
            check_size("l2", l2)?;
        }
        let layers = match (l1, l2) {
            (0, _) => Self::Linear,
            (_, 0) => Self::One { l1, activation, buckets },
            _ => Self::Two { l1, l2, activation, buckets },
        };
        layers.check()
    }

    /// The layers, if trainer and engine have kernels for their sizes.
    ///
    /// # Errors
    /// If a size is 0 or not a multiple of 8, or more than 32,768.
    pub fn check(self) -> Result<Self, LayersError> {
        match self {
            Self::Linear => {}
            Self::One { l1, .. } => check_size("l1", l1)?,
            Self::Two { l1, l2, .. } => {
                check_size("l1", l1)?;
                check_size("l2", l2)?;
            }
        }
        Ok(self)
    }

    /// Columns of the feature transformer.
    pub fn width(self) -> usize {
        match self {
            Self::Linear => 1,
            Self::One { l1, .. } | Self::Two { l1, .. } => l1,
        }
    }

    /// Neurons of the second hidden layer; 0 without one.
    pub fn l2(self) -> usize {
        match self {
            Self::Linear | Self::One { .. } => 0,
            Self::Two { l2, .. } => l2,
        }
    }

    /// Feature transformer outputs per perspective as people write them: 0 for
    /// the linear model.
    pub fn l1(self) -> usize {
        match self {
            Self::Linear => 0,
            Self::One { l1, .. } | Self::Two { l1, .. } => l1,
        }
    }

    /// After the feature transformer.
    pub fn activation(self) -> Activation {
        match self {
            Self::Linear => Activation::Identity,
            Self::One { activation, .. } | Self::Two { activation, .. } => activation.into(),
        }
    }

    /// After the hidden layers; the default where there is none.
    pub fn hidden_activation(self) -> HiddenActivation {
        match self {
            Self::Linear => HiddenActivation::default(),
            Self::One { activation, .. } | Self::Two { activation, .. } => activation,
        }
    }

    /// Copies of the upper layers.
    pub fn buckets(self) -> Buckets {
        match self {
            Self::Linear => Buckets::ONE,
            Self::One { buckets, .. } | Self::Two { buckets, .. } => buckets,
        }
    }

    /// Outputs, for one bucket, of the dense layer that reads the feature
    /// transformer; 0 in the linear model, which has no such layer to learn.
    pub fn dense_outputs(self) -> usize {
        match self {
            Self::Linear => 0,
            Self::One { .. } => 1,
            Self::Two { l2, .. } => l2,
        }
    }

    /// As part of a folder name: `512-32`, `128-screlu-b8`, `linear`.
    pub fn slug(self) -> String {
        let (sizes, activation, buckets) = match self {
            Self::Linear => return "linear".to_owned(),
            Self::One { l1, activation, buckets } => (l1.to_string(), activation, buckets),
            Self::Two { l1, l2, activation, buckets } => {
                (format!("{l1}-{l2}"), activation, buckets)
            }
        };
        let activation = activation.slug();
        match buckets.count() {
            1 => format!("{sizes}{activation}"),
            count => format!("{sizes}{activation}-b{count}"),
        }
    }

    /// What is not said by the sizes.
    fn details(self) -> String {
        let activation = match self.activation() {
            usual if usual == HiddenActivation::default().into() => String::new(),
            Activation::Identity => String::new(),
            other => format!(", {}", other.name()),
        };
        match self.buckets().count() {
            1 => activation,
            count => format!("{activation}, {count} output buckets"),
        }
    }
}

fn check_size(key: &'static str, size: usize) -> Result<(), LayersError> {
    if size > LAYER_MOST {
        return Err(LayersError::Large { key, size });
    }
    if size > 0 && size.is_multiple_of(LAYER_MULTIPLE) {
        return Ok(());
    }
    let up = size.saturating_add(LAYER_MULTIPLE / 2) / LAYER_MULTIPLE;
    Err(LayersError::Size { key, size, nearest: up.max(1) * LAYER_MULTIPLE })
}

/// `512×2→32`, `128×2→1, squared clipped ReLU`, `linear`.
impl fmt::Display for Layers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Linear => write!(f, "linear"),
            Self::One { l1, .. } => write!(f, "{l1}×2→1{}", self.details()),
            Self::Two { l1, l2, .. } => write!(f, "{l1}×2→{l2}{}", self.details()),
        }
    }
}

impl Architecture {
    /// Number of weights and biases.
    pub fn parameters(&self) -> usize {
        let Self { features, layers } = *self;
        let width = layers.width();
        let dense = (2 * width + 1) * layers.dense_outputs();
        match layers {
            Layers::Linear => features,
            Layers::One { buckets, .. } => (features + 1) * width + dense * buckets.count(),
            Layers::Two { l2, buckets, .. } => {
                (features + 1) * width + (dense + l2 + 1) * buckets.count()
            }
        }
    }
}

impl fmt::Display for Architecture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { features, layers } = self;
        match layers {
            Layers::Linear => write!(f, "{features} → 1, own side less other side"),
            Layers::One { l1, .. } => write!(f, "({features} → {l1})×2 → 1{}", layers.details()),
            Layers::Two { l1, l2, .. } => {
                write!(f, "({features} → {l1})×2 → {l2} → 1{}", layers.details())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eight_buckets_are_those_of_stockfish() {
        let eight = Buckets::try_from(8).unwrap();
        for pieces in 1..=32 {
            assert_eq!(eight.of(pieces), (pieces - 1) / 4, "{pieces} pieces");
        }
    }

    #[test]
    fn every_bucket_is_used_and_more_pieces_never_go_back() {
        for count in 1..=Buckets::MOST {
            let buckets = Buckets::try_from(count).unwrap();
            let of: Vec<usize> = (1..=32).map(|pieces| buckets.of(pieces)).collect();
            assert!(of.is_sorted(), "{of:?}");
            assert_eq!((of[0], of[31]), (0, count - 1));
            assert!((0..count).all(|bucket| of.contains(&bucket)), "{of:?}");
        }
        assert_eq!(Buckets::try_from(32).unwrap().of(0), 0);
        assert_eq!(Buckets::try_from(0), Err(LayersError::Buckets { count: 0 }));
        assert_eq!(Buckets::try_from(33), Err(LayersError::Buckets { count: 33 }));
    }

    #[test]
    fn sizes_say_which_layers_there_are() {
        let new = |l1, l2, buckets| Layers::new(l1, l2, HiddenActivation::default(), buckets);
        let (activation, buckets) = (HiddenActivation::ClippedRelu, Buckets::ONE);
        assert_eq!(new(0, 32, 1), Ok(Layers::Linear));
        assert_eq!(new(64, 0, 1), Ok(Layers::One { l1: 64, activation, buckets }));
        assert_eq!(new(64, 16, 1), Ok(Layers::Two { l1: 64, l2: 16, activation, buckets }));
        assert_eq!(new(20, 8, 1), Err(LayersError::Size { key: "l1", size: 20, nearest: 24 }));
        assert_eq!(new(64, 3, 1), Err(LayersError::Size { key: "l2", size: 3, nearest: 8 }));
        assert_eq!(new(64, 8, 0), Err(LayersError::Buckets { count: 0 }));
        assert_eq!(new(40_000, 8, 1), Err(LayersError::Large { key: "l1", size: 40_000 }));
        let empty = Layers::Two { l1: 0, l2: 8, activation, buckets };
        assert_eq!(empty.check().unwrap_err().key(), "l1");
    }

    #[test]
    fn names_tell_layers_apart() {
        let squared = HiddenActivation::SquaredClippedRelu;
        let two = Layers::new(64, 16, squared, 8).unwrap();
        assert_eq!(two.slug(), "64-16-screlu-b8");
        assert_eq!(two.to_string(), "64×2→16, squared clipped ReLU, 8 output buckets");
        let one = Layers::new(64, 0, HiddenActivation::ClippedRelu, 1).unwrap();
        assert_eq!((one.slug(), one.to_string()), ("64".to_owned(), "64×2→1".to_owned()));
        let architecture = Architecture { features: 768, layers: one };
        assert_eq!(architecture.to_string(), "(768 → 64)×2 → 1");
        assert_eq!(architecture.parameters(), 769 * 64 + 129);
    }
}
