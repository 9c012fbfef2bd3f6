//! The nets of Lombardo's thesis, *Feature set analysis for chess NNUE
//! networks* (UBA 2024): its `.nn` files become nets of ours.
//!
//! The feature set of such a file is one of our expressions with its concepts
//! in the order in which the thesis's program counts ([`BLOCKS`]), so weights
//! need no reordering. Its activation is ours, its output is in centipawns.
//!
//! Its program floors twice where ours keeps fractions: an activation of the
//! second layer to 1/127, the output to a centipawn. Each floor takes half a
//! unit on average; [`ThesisNet::weights`] takes that half from the biases,
//! which leaves the means equal. At the scales of the file all weights stay
//! the integers they are.

use std::sync::Arc;

use serde_json::Value;

use features::FeatureSet;
use nnue::Activation;
use nnue::Net;
use nnue::{Architecture, Buckets, Hidden, Layers, Transformer};
use nnue::{DenseWeights, FloatWeights};
use nnue::{HiddenScale, Mix, Rounding, Scales, TransformerScale};
use nnue::{QuantiseError, quantise_at};

mod read;

pub use read::ThesisError;

#[cfg(test)]
mod tests;

/// Name of each feature block of the thesis's program, and the expression that
/// has its index order. `ph` runs along files and `pv` along ranks (the text
/// of the thesis has the two names the other way round), and only there the
/// colour bit is reversed.
pub const BLOCKS: [(&str, &str); 9] = [
    ("all", "piece(FILES * RANKS * ROLES * COLORS)"),
    ("h", "piece(FILES * ROLES * COLORS)"),
    ("v", "piece(RANKS * ROLES * COLORS)"),
    ("d1", "piece(DIAGS1 * ROLES * COLORS)"),
    ("d2", "piece(DIAGS2 * ROLES * COLORS)"),
    ("ph", "pair(FILES * ROLES * {other, own} * ROLES * {other, own})"),
    ("pv", "pair(RANKS * ROLES * {other, own} * ROLES * {other, own})"),
    ("mb", "mobility(SQUARES * ROLES * COLORS)"),
    (
        "mc",
        "mobility({pawn} * COUNTS(8) * COLORS) + mobility({knight} * COUNTS(15) * COLORS) \
         + mobility({bishop} * COUNTS(16) * COLORS) + mobility({rook} * COUNTS(25) * COLORS) \
         + mobility({queen} * COUNTS(25) * COLORS) + mobility({king} * COUNTS(8) * COLORS)",
    ),
];

/// The name of a block in older files, and its present name.
const OLD_NAME: (&str, &str) = ("hv", "all");

/// Origin of such files, for the provenance of a net.
pub(crate) const SOURCE: &str =
    "Lombardo, Feature set analysis for chess NNUE networks, thesis, UBA 2024";

/// Integers per unit of the feature transformer, in every file of the thesis.
const QA: i32 = 127;
/// Integers per unit of the second layer's weights.
const QB: i32 = 64;
/// Integers per centipawn of the output's weights.
const QC: i32 = 16;

/// The same scales in our form.
fn scales() -> Scales {
    Scales {
        transformer: Some(TransformerScale { one: QA, top: QA, shift: 0, base: None }),
        hidden: vec![HiddenScale { weights: QB, top: QA * QB, shift: 0 }],
        output: QC,
        skip: None,
        psqt: None,
        mix: Mix::of_output(i64::from(QA * QB * QC)),
        rounding: Rounding::Nearest,
    }
}

/// A net of the thesis as in its file: integers, in the order of the file.
#[derive(Clone, Debug)]
pub struct ThesisNet {
    /// Blocks joined by `+`, as the file names them.
    set: String,
    /// The same as an expression, index by index.
    features: Arc<FeatureSet>,
    architecture: Architecture,
    /// `[features][l1]`, 127 per unit.
    ft_weights: Vec<i16>,
    /// `[l1]`, 127 per unit.
    ft_bias: Vec<i16>,
    /// `[l2][2 * l1]`, 64 per unit; the first `l1` inputs are the side to move's.
    l2_weights: Vec<i8>,
    /// `[l2]`, 64 · 127 per unit.
    l2_bias: Vec<i32>,
    /// `[l2]`, 16 per centipawn and 1/127 of activation.
    out_weights: Vec<i8>,
    /// 16 per centipawn.
    out_bias: i32,
}

/// The layers of every net of the thesis.
fn layers(l1: usize, l2: usize) -> Layers {
    let activation = Activation::ClippedRelu;
    let hidden = Hidden { neurons: l2, activation, addition: None };
    Layers::of_any_size(Transformer { width: l1, activation }, vec![hidden], Buckets::ONE, false)
}

impl ThesisNet {
    /// The feature set as the file names it: blocks joined by `+`.
    pub fn set(&self) -> &str {
        &self.set
    }

    /// The feature set, in the index order of the file.
    pub fn features(&self) -> &Arc<FeatureSet> {
        &self.features
    }

    pub fn architecture(&self) -> &Architecture {
        &self.architecture
    }

    /// The weights in units of activation and centipawns. The biases compensate the mean loss of
    /// the floors in the thesis's program.
    pub fn weights(&self) -> FloatWeights {
        let activation = QA as f32;
        let hidden_unit = f64::from(QA * QB);
        // h = floor(z / 64) and eval = floor(o / 16) are z / 64 and o / 16 less
        // half, rounded to whole numbers.
        let (hidden_half, out_half) = (f64::from(QB) / 2.0, f64::from(QC) / 2.0);
        let divided = |values: &[i16]| values.iter().map(|&w| f32::from(w) / activation).collect();
        let hidden_bias = |&b: &i32| ((f64::from(b) - hidden_half) / hidden_unit) as f32;
        let out_weight = |&w: &i8| f32::from(w) * activation / QC as f32;
        let second = DenseWeights {
            weights: self.l2_weights.iter().map(|&w| f32::from(w) / QB as f32).collect(),
            bias: self.l2_bias.iter().map(hidden_bias).collect(),
        };
        let output = DenseWeights {
            weights: self.out_weights.iter().map(out_weight).collect(),
            bias: vec![((f64::from(self.out_bias) - out_half) / f64::from(QC)) as f32],
        };
        FloatWeights {
            architecture: self.architecture.clone(),
            ft_weights: divided(&self.ft_weights),
            ft_bias: divided(&self.ft_bias),
            psqt: Vec::new(),
            dense: vec![second, output],
            skip: 0.0,
        }
    }

    /// The net of ours with the integers and scales of the file: its accumulators equal those of
    /// the thesis's program in every position.
    pub(crate) fn to_net(&self, provenance: Value) -> Result<Net, QuantiseError> {
        quantise_at(scales(), &self.weights(), &self.features, provenance)
    }
}
