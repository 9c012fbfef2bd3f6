//! The layers of a net, as one line of text.
//!
//! ```text
//! 1                                                        one weight per feature
//! 128 screlu -> 1, buckets 8                               (features → 128)×2 → 1
//! 512 -> 32 -> 1                                           (features → 512)×2 → 32 → 1
//! 1024 pairwise -> 15 dual + skip -> 32 -> 1, buckets 8, psqt
//! ```
//!
//! The first number is the width of the feature transformer, which sees the features from either
//! side; the others are dense layers, up to three with the output `1`. All code that depends on a
//! net's shape (trainer, float reference, quantiser, integer inference, file, exports) walks
//! [`Layers`], and none spells a shape out. The grammar is in [`line`], the selection of upper
//! layers in [`buckets`].

mod addition;
mod buckets;
mod line;
#[cfg(test)]
mod tests;

use std::fmt;
use std::hash::{Hash, Hasher};

use serde::{Deserialize, Serialize};

use super::activation::Activation;
pub use addition::Addition;
pub use buckets::{BucketSet, Buckets};
pub use line::LayersError;

/// Layer sizes are multiples of this, for the vector registers of trainer and engine.
pub(crate) const LAYER_MULTIPLE: usize = 8;

/// Most neurons of a layer: the engine counts the inputs of a layer, twice as many, in 16 bits.
pub(crate) const LAYER_MOST: usize = 1 << 15;

/// Dense layers below the output at most.
pub(crate) const MOST_HIDDEN: usize = 2;

/// Inputs and layers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Architecture {
    /// Inputs: size of the feature set.
    pub features: usize,
    /// Layers above them.
    pub layers: Layers,
}

/// The layers above the features. Written and read as a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layers {
    transformer: Option<Transformer>,
    hidden: Vec<Hidden>,
    buckets: Buckets,
    /// Whether there are PSQT weights. A net without a feature transformer has nothing else.
    psqt: bool,
}

/// The feature transformer: a row of weights per feature, shared by both perspectives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Transformer {
    /// Sums per perspective.
    pub width: usize,
    /// Activation of the sums.
    pub activation: Activation,
}

/// A dense layer below the output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Hidden {
    /// Neurons whose sums are activated.
    pub neurons: usize,
    /// Activation of their sums.
    pub activation: Activation,
    /// Neurons behind them that the layer above does not read.
    pub addition: Option<Addition>,
}

impl Hidden {
    /// Neurons, those of an addition among them.
    pub fn sums(&self) -> usize {
        self.neurons + self.addition.map_or(0, Addition::neurons)
    }

    /// Inputs of the layer above.
    pub fn outputs(&self) -> usize {
        self.activation.outputs(self.neurons)
    }
}

/// The matrix of a dense layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DenseShape {
    /// Number of inputs.
    pub inputs: usize,
    /// Its neurons: 1 of the output.
    pub sums: usize,
}

impl Layers {
    /// The linear model: one weight per feature; own features count for the side, the other side's
    /// against it.
    pub fn linear() -> Self {
        Self { transformer: None, hidden: Vec::new(), buckets: Buckets::ONE, psqt: true }
    }

    /// Layers of sizes outside of the grammar, for imported nets.
    pub fn of_any_size(
        transformer: Transformer,
        hidden: Vec<Hidden>,
        buckets: Buckets,
        psqt: bool,
    ) -> Self {
        Self { transformer: Some(transformer), hidden, buckets, psqt }
    }

    /// The feature transformer; `None` in the linear model.
    pub fn transformer(&self) -> Option<Transformer> {
        self.transformer
    }

    /// The dense layers below the output, the lowest first.
    pub fn hidden(&self) -> &[Hidden] {
        &self.hidden
    }

    /// The buckets of the upper layers.
    pub fn buckets(&self) -> &Buckets {
        &self.buckets
    }

    /// Whether the net has PSQT weights, one per feature and bucket.
    pub fn has_psqt(&self) -> bool {
        self.psqt
    }

    /// Whether PSQT weights are all there is.
    pub fn is_linear(&self) -> bool {
        self.transformer.is_none()
    }

    /// Sums of the feature transformer per perspective; 0 in the linear model.
    pub fn width(&self) -> usize {
        self.transformer.map_or(0, |transformer| transformer.width)
    }

    /// Activation of the feature transformer; [`Identity`](Activation::Identity) in the linear model.
    pub fn activation(&self) -> Activation {
        self.transformer.map_or(Activation::Identity, |transformer| transformer.activation)
    }

    /// PSQT weights of a feature: one per bucket, or none.
    pub fn psqt_columns(&self) -> usize {
        if self.psqt { self.buckets.count() } else { 0 }
    }

    /// Inputs of the lowest dense layer from one perspective.
    pub fn outputs_per_side(&self) -> usize {
        self.transformer.map_or(0, |transformer| transformer.activation.outputs(transformer.width))
    }

    /// The dense layers, the output last; none in the linear model.
    pub fn dense(&self) -> Vec<DenseShape> {
        let Some(_) = self.transformer else { return Vec::new() };
        let mut inputs = 2 * self.outputs_per_side();
        let mut shapes = Vec::new();
        for hidden in &self.hidden {
            shapes.push(DenseShape { inputs, sums: hidden.sums() });
            inputs = hidden.outputs();
        }
        shapes.push(DenseShape { inputs, sums: 1 });
        shapes
    }

    /// The addition of the line and its dense layer, counted from the lowest.
    pub fn addition(&self) -> Option<(usize, Addition)> {
        let places = self.hidden.iter().enumerate();
        places.filter_map(|(place, hidden)| Some((place, hidden.addition?))).next()
    }

    /// The line in a sentence: `linear` for the `1` of a linear model.
    pub fn name(&self) -> String {
        let line = self.to_string();
        if self.is_linear() { line.replacen('1', "linear", 1) } else { line }
    }

    /// As part of a folder name: `512-32`, `128-screlu-b8`, `linear`.
    pub fn slug(&self) -> String {
        let activation = |it: Activation| written("-", it);
        let mut slug = match self.transformer {
            None => "linear".to_owned(),
            Some(it) => format!("{}{}", it.width, activation(it.activation)),
        };
        for hidden in &self.hidden {
            slug += &format!("-{}{}", hidden.neurons, activation(hidden.activation));
            slug += &hidden.addition.map_or(String::new(), |it| format!("-{}", it.word()));
        }
        slug += &self.buckets.slug();
        slug + if self.psqt && !self.is_linear() { "-psqt" } else { "" }
    }
}

/// The word of an activation behind a sign; empty for the default.
fn written(sign: &str, activation: Activation) -> String {
    let is_default = activation == Activation::default();
    if is_default { String::new() } else { format!("{sign}{}", activation.word()) }
}

impl Default for Layers {
    /// `512 -> 32 -> 1`, the net of the thesis.
    fn default() -> Self {
        let activation = Activation::ClippedRelu;
        Self {
            transformer: Some(Transformer { width: 512, activation }),
            hidden: vec![Hidden { neurons: 32, activation, addition: None }],
            buckets: Buckets::ONE,
            psqt: false,
        }
    }
}

impl Hash for Layers {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.to_string().hash(state);
    }
}

impl From<Layers> for String {
    fn from(layers: Layers) -> String {
        layers.to_string()
    }
}

impl Serialize for Layers {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Layers {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let line = String::deserialize(deserializer)?;
        line.parse().map_err(|error: LayersError| serde::de::Error::custom(error.in_one_line()))
    }
}

impl Architecture {
    /// Number of weights and biases.
    pub fn parameters(&self) -> usize {
        let Self { features, layers } = self;
        let upper: usize = layers.dense().iter().map(|it| (it.inputs + 1) * it.sums).sum();
        (features + 1) * layers.width()
            + features * layers.psqt_columns()
            + upper * layers.buckets().count()
    }
}

/// `768 -> (512 -> 32 -> 1)`: inputs and the line.
impl fmt::Display for Architecture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} features, layers {}", self.features, self.layers)
    }
}
