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

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::activation::HiddenActivation;
use super::architecture::{Architecture, Buckets, Layers};
use super::net::{Net, Scales};
use super::provenance;
use super::quantise::{QuantiseError, quantise_at};
use super::weights::FloatWeights;
use base::files;
use features::FeatureSet;

mod read;

pub use read::ThesisError;

#[cfg(test)]
mod indices;
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

/// The name that older files have for a block, and its present name.
const OLD_NAME: (&str, &str) = ("hv", "all");

/// Where such files come from, for the provenance of a net.
const SOURCE: &str = "Lombardo, Feature set analysis for chess NNUE networks, thesis, UBA 2024";

/// Integers per unit in every file of the thesis.
const SCALES: Scales = Scales { qa: 127, qb: 64, qc: 16, base: None, shift: 0 };

/// A net of the thesis as its file has it: integers, in the order of the file.
#[derive(Clone, Debug)]
pub struct ThesisNet {
    /// Blocks joined by `+`, as the file names them.
    set: String,
    /// The same in our algebra, index by index.
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

/// The layers that every net of the thesis has.
fn layers(l1: usize, l2: usize) -> Layers {
    let (activation, buckets) = (HiddenActivation::ClippedRelu, Buckets::ONE);
    Layers::Two { l1, l2, activation, buckets }
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

    /// Which layers there are.
    pub fn architecture(&self) -> Architecture {
        self.architecture
    }

    /// The weights in units of activation and centipawns, the halves that the
    /// thesis's program loses to its floors taken off the biases.
    pub fn weights(&self) -> FloatWeights {
        let Scales { qa, qb, qc, .. } = SCALES;
        let activation = qa as f32;
        let hidden_unit = f64::from(qa * qb);
        // h = floor(z / 64) and eval = floor(o / 16) are z / 64 and o / 16 less
        // half, rounded to whole numbers.
        let (hidden_half, out_half) = (f64::from(qb) / 2.0, f64::from(qc) / 2.0);
        let divided = |values: &[i16]| values.iter().map(|&w| f32::from(w) / activation).collect();
        let hidden_bias = |&b: &i32| ((f64::from(b) - hidden_half) / hidden_unit) as f32;
        FloatWeights {
            architecture: self.architecture,
            ft_weights: divided(&self.ft_weights),
            ft_bias: divided(&self.ft_bias),
            dense_weights: self.l2_weights.iter().map(|&w| f32::from(w) / qb as f32).collect(),
            dense_bias: self.l2_bias.iter().map(hidden_bias).collect(),
            out_weights: self
                .out_weights
                .iter()
                .map(|&w| f32::from(w) * activation / qc as f32)
                .collect(),
            out_bias: vec![((f64::from(self.out_bias) - out_half) / f64::from(qc)) as f32],
        }
    }
}

/// A net file of the thesis that could not be imported.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages name the fields")]
pub enum ImportError {
    /// The file cannot be read.
    #[error("{}: cannot be read", path.display())]
    Io { path: PathBuf, source: io::Error },
    /// The content is not that of such a file.
    #[error("{}: not imported", path.display())]
    Content { path: PathBuf, source: ThesisError },
    /// Weights that cannot be quantised.
    #[error("{}: not imported", path.display())]
    Quantise { path: PathBuf, source: QuantiseError },
}

/// No net of the thesis is longer.
const MOST_BYTES: u64 = 1 << 30;

/// Reads a net file of the thesis into a net of ours.
///
/// It keeps the integers and scales of the file, so that its accumulators are,
/// in every position, those of the thesis's program.
pub fn import(path: &Path) -> Result<Net, ImportError> {
    let path = path.to_owned();
    let bytes = match files::read(&path, MOST_BYTES) {
        Ok(bytes) => bytes,
        Err(source) => return Err(ImportError::Io { path, source }),
    };
    let net = match ThesisNet::from_bytes(&bytes) {
        Ok(net) => net,
        Err(source) => return Err(ImportError::Content { path, source }),
    };
    let provenance = provenance::now_with(serde_json::json!({
        "imported": {
            "file": path.file_name().unwrap_or_default().to_string_lossy(),
            "blake3": blake3::hash(&bytes).to_string(),
            "set": net.set(),
            "source": SOURCE,
        },
    }));
    quantise_at(SCALES, &net.weights(), net.features(), provenance)
        .map_err(|source| ImportError::Quantise { path, source })
}
