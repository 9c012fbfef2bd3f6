//! Float weights from tensors by name: those of a file, or of a state of PyTorch.

use std::collections::BTreeMap;

use super::tensor::FloatTensor;
use nnue::{Architecture, DenseWeights, FloatWeights};

/// A tensor of floats.
#[derive(Clone, Debug, PartialEq)]
pub struct FloatArray {
    pub shape: Vec<usize>,
    /// The last dimension varies fastest.
    pub values: Vec<f32>,
}

/// Tensors that do not make the weights of some layers.
#[derive(Debug, thiserror::Error)]
pub enum StateError {
    #[error("the layers `{layers}` have a tensor `{name}` {expected:?}, found only {found}")]
    Missing { layers: String, name: String, expected: Vec<usize>, found: String },
    #[error("found a tensor `{name}`, the layers `{layers}` have only {expected}")]
    Unknown { layers: String, name: String, expected: String },
    #[error(
        "`{name}` has the shape {found:?}, {expected:?} is that of the set and the layers{}",
        advice(.found, .expected)
    )]
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

/// The weights of a net from its tensors, in the unit of their output.
///
/// # Errors
/// A tensor that is missing, that the layers do not have, or of another shape.
pub fn from_state(
    architecture: Architecture,
    tensors: BTreeMap<String, FloatArray>,
) -> Result<FloatWeights, StateError> {
    let needed = FloatTensor::of(&architecture.layers);
    let found: Vec<&str> = tensors.keys().map(String::as_str).collect();
    let mut state = State { found: found.join(", "), tensors, architecture };
    state.check_names(&needed)?;
    let mut take = |tensor: FloatTensor| match needed.contains(&tensor) {
        true => state.take(tensor),
        false => Ok(Vec::new()),
    };
    let ft_weights = take(FloatTensor::FtWeight)?;
    let ft_bias = take(FloatTensor::FtBias)?;
    let psqt = take(FloatTensor::Psqt)?;
    let skip = take(FloatTensor::Skip)?.first().copied().unwrap_or(0.0);
    let dense = (0..state.architecture.layers.dense().len()).map(|place| {
        let weights = state.take(FloatTensor::DenseWeight(place))?;
        Ok(DenseWeights { weights, bias: state.take(FloatTensor::DenseBias(place))? })
    });
    let dense = dense.collect::<Result<_, StateError>>()?;
    Ok(FloatWeights { ft_weights, ft_bias, psqt, skip, dense, architecture: state.architecture })
}

/// Tensors by name, as they are taken out.
struct State {
    tensors: BTreeMap<String, FloatArray>,
    /// Names of all tensors at first.
    found: String,
    architecture: Architecture,
}

impl State {
    /// Rejects tensors that the layers do not have.
    fn check_names(&self, needed: &[FloatTensor]) -> Result<(), StateError> {
        let known: Vec<String> = needed.iter().map(|tensor| tensor.name()).collect();
        match self.tensors.keys().find(|name| !known.contains(name)) {
            None => Ok(()),
            Some(name) => Err(StateError::Unknown {
                layers: self.architecture.layers.to_string(),
                name: name.clone(),
                expected: known.join(", "),
            }),
        }
    }

    fn take(&mut self, tensor: FloatTensor) -> Result<Vec<f32>, StateError> {
        let (name, expected) = (tensor.name(), tensor.shape(&self.architecture));
        let Some(FloatArray { shape, values }) = self.tensors.remove(&name) else {
            let (layers, found) = (self.architecture.layers.to_string(), self.found.clone());
            return Err(StateError::Missing { layers, name, expected, found });
        };
        match tensor.accepts(&shape, &self.architecture) {
            true => Ok(values),
            false => Err(StateError::Shape { name, found: shape, expected }),
        }
    }
}
