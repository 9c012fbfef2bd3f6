//! Float weights from the bytes of a safetensors file, of this program or another.

use std::sync::Arc;

use safetensors::tensor::{Dtype, SafeTensors, TensorView};

use super::part::Part;
use super::{FloatsHeader, METADATA};
use features::{ExpressionError, FeatureSet};
use nnue::{Architecture, DenseWeights, FloatWeights, Layers};

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
    #[error(
        "no weights of a net: the layers `{layers}` have a tensor `{name}`, the file has {found}"
    )]
    NoTensor { layers: String, name: String, found: String },
    #[error(
        "no weights of a net: the file has a tensor `{name}`, the layers `{layers}` have {expected}"
    )]
    OtherTensor { layers: String, name: String, expected: String },
    #[error("no weights of a net: `{name}` is of {found}; write it in 32-bit floats (`.float()`)")]
    Type { name: String, found: String },
    #[error("no weights of a net: `{name}` has the shape {found:?}, {expected:?} is that of the layers{}", advice(.found, .expected))]
    Shape { name: String, found: Vec<usize>, expected: Vec<usize> },
}

fn advice(found: &[usize], expected: &[usize]) -> &'static str {
    match (found, expected) {
        ([a, b], [c, d]) if (a, b) == (d, c) => {
            "; transpose it: a row is a feature, in `nn.Linear` a column (`.t().contiguous()`)"
        }
        _ => "",
    }
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
    let file =
        Tensors { tensors, architecture: Architecture { features: features.size(), layers } };
    let weights = file.weights()?;
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

/// The tensors of a file, and the net that they are to make.
struct Tensors<'a> {
    tensors: SafeTensors<'a>,
    architecture: Architecture,
}

impl Tensors<'_> {
    fn weights(self) -> Result<FloatWeights, FloatsContentError> {
        let parts = Part::of(&self.architecture.layers);
        self.check_names(&parts)?;
        let take = |part: Part| match parts.contains(&part) {
            true => self.values(part),
            false => Ok(Vec::new()),
        };
        let dense = (0..self.architecture.layers.dense().len()).map(|place| {
            Ok(DenseWeights {
                weights: take(Part::DenseWeight(place))?,
                bias: take(Part::DenseBias(place))?,
            })
        });
        Ok(FloatWeights {
            dense: dense.collect::<Result<_, FloatsContentError>>()?,
            ft_weights: take(Part::FtWeight)?,
            ft_bias: take(Part::FtBias)?,
            psqt: take(Part::Psqt)?,
            skip: take(Part::Skip)?.first().copied().unwrap_or(0.0),
            architecture: self.architecture,
        })
    }

    /// Rejects tensors that the layers do not have; those of earlier versions may be empty.
    fn check_names(&self, parts: &[Part]) -> Result<(), FloatsContentError> {
        let known: Vec<String> =
            parts.iter().flat_map(|part| [part.name(), part.flat_name()]).collect();
        let is_other = |(name, view): &(&str, TensorView<'_>)| {
            !known.iter().any(|known| known == name) && !is_unused(name, view)
        };
        match self.tensors.iter().find(is_other) {
            None => Ok(()),
            Some((name, _)) => Err(FloatsContentError::OtherTensor {
                layers: self.architecture.layers.to_string(),
                name: name.to_owned(),
                expected: listed(parts.iter().map(|part| part.name())),
            }),
        }
    }

    /// The numbers of a tensor by its name, or by that of earlier versions.
    fn values(&self, part: Part) -> Result<Vec<f32>, FloatsContentError> {
        let shape = part.shape(&self.architecture);
        let flat = vec![shape.iter().product::<usize>()];
        let named = self.tensors.tensor(&part.name()).ok().map(|view| (part.name(), view));
        let view = named.or_else(|| {
            let name = part.flat_name();
            self.tensors.tensor(&name).ok().map(|view| (name, view))
        });
        let (name, view) = view.ok_or_else(|| FloatsContentError::NoTensor {
            layers: self.architecture.layers.to_string(),
            name: part.name(),
            found: listed(self.tensors.names().into_iter().map(str::to_owned)),
        })?;
        if view.dtype() != Dtype::F32 {
            return Err(FloatsContentError::Type { name, found: format!("{:?}", view.dtype()) });
        }
        // PyTorch's layers have no dimension of buckets.
        let is_only_bucket = self.architecture.layers.buckets().count() == 1
            && matches!(part, Part::DenseWeight(_) | Part::DenseBias(_))
            && view.shape() == &shape[1..];
        let is_scalar = part == Part::Skip && view.shape().is_empty();
        if view.shape() != shape && view.shape() != flat && !is_only_bucket && !is_scalar {
            let found = view.shape().to_vec();
            return Err(FloatsContentError::Shape { name, found, expected: shape });
        }
        Ok(view.data().as_chunks().0.iter().copied().map(f32::from_le_bytes).collect())
    }
}

/// Whether a tensor is one of an earlier version for layers that a net does not have.
fn is_unused(name: &str, view: &TensorView<'_>) -> bool {
    let is_empty = view.shape().contains(&0);
    name == Part::Skip.flat_name() || is_empty && matches!(name, "ft_weights" | "ft_bias" | "psqt")
}

/// `ft.bias, ft.weight`
fn listed(names: impl Iterator<Item = String>) -> String {
    let mut names: Vec<String> = names.collect();
    names.sort_unstable();
    names.join(", ")
}
