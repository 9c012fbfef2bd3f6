//! Float weights from the bytes of a safetensors file, of this program or another.

use std::collections::BTreeMap;
use std::sync::Arc;

use safetensors::tensor::{Dtype, SafeTensors, TensorView};

use super::state::{FloatArray, StateError, from_state};
use super::{FloatsHeader, METADATA};
use features::{ExpressionError, FeatureSet};
use nnue::{Architecture, FloatWeights, Layers};

/// Features, layers and unit of float weights whose file does not have them.
#[derive(Clone, Debug, Default)]
pub struct FloatsDescription {
    pub features: Option<Arc<FeatureSet>>,
    pub layers: Option<Layers>,
    /// Centipawns of one unit of the output; without it the output is in centipawns.
    pub output_unit: Option<f64>,
}

impl FloatsDescription {
    /// Whether it says nothing.
    pub fn is_empty(&self) -> bool {
        let Self { features, layers, output_unit } = self;
        features.is_none() && layers.is_none() && output_unit.is_none()
    }
}

/// Bytes that are no float weights of a net.
#[derive(Debug, thiserror::Error)]
pub enum FloatsContentError {
    #[error("no weights of a net: the file is no safetensors file, or was cut off: {0}")]
    File(String),
    /// An export of `oplus net export --format safetensors`.
    #[error(
        "no weights of a net: these are the integers of one, for other programs; its net file, or \
         an export with --format floats, is what can be read back"
    )]
    Integers,
    #[error("no weights of a net: its metadata `{METADATA}`: {0}")]
    Metadata(serde_json::Error),
    #[error("no weights of a net: its feature expression `{expression}`: {source}")]
    Expression { expression: String, source: Box<ExpressionError> },
    /// Neither file nor request have it.
    #[error(
        "no weights of a net: its metadata `{METADATA}` has no {key}; \
         `oplus net import FILE --features ALL --layers \"256 screlu -> 1\"` adds both"
    )]
    Missing { key: &'static str },
    #[error(
        "the {key} in its metadata are `{file}`, those of --{key} `{request}`; leave --{key} out"
    )]
    Differs { key: &'static str, file: String, request: String },
    #[error("no weights of a net: {0}")]
    State(#[from] StateError),
    #[error("no weights of a net: `{name}` is of {found}; write it in 32-bit floats (`.float()`)")]
    Type { name: String, found: String },
}

/// Bytes of the length of a safetensors header.
const LENGTH_BYTES: usize = 8;

/// Whether bytes begin as a safetensors file.
pub fn recognises(bytes: &[u8]) -> bool {
    let Some((length, rest)) = bytes.split_first_chunk::<LENGTH_BYTES>() else { return false };
    rest.starts_with(b"{") && u64::from_le_bytes(*length) <= rest.len() as u64
}

/// Reads weights and their feature set.
pub fn from_bytes(
    bytes: &[u8],
    description: &FloatsDescription,
) -> Result<(FloatWeights, Arc<FeatureSet>), FloatsContentError> {
    let tensors = SafeTensors::deserialize(bytes)
        .map_err(|error| FloatsContentError::File(error.to_string()))?;
    let FloatsHeader { expression, layers } = header(bytes)?;
    let features = expression.map(|text| parsed(&text)).transpose()?;
    let features = agreed("features", features, description.features.clone(), |set| {
        set.canonical().to_owned()
    })?;
    let layers = agreed("layers", layers, description.layers.clone(), Layers::to_string)?;
    let architecture = Architecture { features: features.size(), layers };
    let weights = from_state(architecture, arrays(&tensors)?)?;
    Ok(match description.output_unit {
        None => (weights, features),
        Some(centipawns) => (weights.with_output_times(centipawns), features),
    })
}

/// The metadata; empty in files of other programs.
fn header(bytes: &[u8]) -> Result<FloatsHeader, FloatsContentError> {
    let (_, metadata) = SafeTensors::read_metadata(bytes)
        .map_err(|error| FloatsContentError::File(error.to_string()))?;
    let Some(header) = metadata.metadata().as_ref().and_then(|all| all.get(METADATA)) else {
        return Ok(FloatsHeader::default());
    };
    let header: serde_json::Value =
        serde_json::from_str(header).map_err(FloatsContentError::Metadata)?;
    if header.get("fingerprint").is_some() {
        return Err(FloatsContentError::Integers);
    }
    serde_json::from_value(header).map_err(FloatsContentError::Metadata)
}

fn parsed(expression: &str) -> Result<Arc<FeatureSet>, FloatsContentError> {
    FeatureSet::parse(expression).map_err(|source| FloatsContentError::Expression {
        expression: expression.to_owned(),
        source,
    })
}

/// The value of the file, or of the request where the file has none.
fn agreed<T>(
    key: &'static str,
    file: Option<T>,
    request: Option<T>,
    text: impl Fn(&T) -> String,
) -> Result<T, FloatsContentError> {
    match (file, request) {
        (Some(file), Some(request)) if text(&file) != text(&request) => {
            let (file, request) = (text(&file), text(&request));
            Err(FloatsContentError::Differs { key, file, request })
        }
        (Some(value), _) | (None, Some(value)) => Ok(value),
        (None, None) => Err(FloatsContentError::Missing { key }),
    }
}

/// The tensors of a file by name.
fn arrays(tensors: &SafeTensors<'_>) -> Result<BTreeMap<String, FloatArray>, FloatsContentError> {
    let array = |(name, view): (&str, TensorView<'_>)| {
        let name = name.to_owned();
        if view.dtype() != Dtype::F32 {
            return Err(FloatsContentError::Type { name, found: format!("{:?}", view.dtype()) });
        }
        let values = view.data().as_chunks().0.iter().copied().map(f32::from_le_bytes).collect();
        Ok((name, FloatArray { shape: view.shape().to_vec(), values }))
    };
    tensors.iter().map(array).collect()
}
