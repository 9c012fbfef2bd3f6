//! The front of the network on the processor.
//!
//! Every output value is summed in one fixed order, whatever the number of
//! threads and the width of the vectors, so the result is the same to the bit
//! on processors of one type. The loops over columns have a length known to the
//! compiler, wide enough to fill vector registers and small enough that sums
//! never leave them; `multiversion` compiles them for each instruction set.
//! Where several rows of sums are to stay in registers that is asked too much
//! of a compiler, and `pulp`'s vectors say it ([`dense`]).

pub mod backward;
pub mod buffer;
pub mod dense;
pub mod forward;
pub mod inverted;
pub mod layout;

pub mod rows;

use burn::backend::Flex;
use burn::backend::TensorMetadata;
use burn::backend::flex::FlexTensor;
use burn::tensor::TensorData;

use super::active::ActivePrimitive;
use super::{FrontBackend, FrontGradients, FrontOutputs, FrontParameters, Saved};
use crate::nnue::Activation;
use rows::{Ones, Rows, Values};

impl FrontBackend for Flex {
    fn front(
        parameters: FrontParameters<Self>,
        active: ActivePrimitive<Self>,
        activation: Activation,
    ) -> FrontOutputs<Self> {
        let parameters = parameters.into_contiguous();
        match active.into_contiguous() {
            ActivePrimitive::Binary { indices } => {
                forward(&parameters, rows_of(&indices, Ones), activation)
            }
            ActivePrimitive::Valued { indices, values } => {
                forward(&parameters, rows_of(&indices, values.storage::<f32>()), activation)
            }
        }
    }

    fn front_backward(
        gradient: FlexTensor,
        saved: Saved<Self>,
        active: ActivePrimitive<Self>,
        activation: Activation,
    ) -> FrontGradients<Self> {
        let (gradient, saved) = (gradient.to_contiguous(), saved.into_contiguous());
        match active.into_contiguous() {
            ActivePrimitive::Binary { indices } => {
                backward(&gradient, &saved, rows_of(&indices, Ones), activation)
            }
            ActivePrimitive::Valued { indices, values } => {
                let rows = rows_of(&indices, values.storage::<f32>());
                backward(&gradient, &saved, rows, activation)
            }
        }
    }
}

impl FrontParameters<Flex> {
    fn into_contiguous(self) -> Self {
        let Self { weights, bias, dense } = self;
        let [weights, bias, dense] = [weights, bias, dense].map(|tensor| tensor.to_contiguous());
        Self { weights, bias, dense }
    }
}

impl Saved<Flex> {
    fn into_contiguous(self) -> Self {
        let Self { activations, dense, features } = self;
        let [activations, dense] = [activations, dense].map(|tensor| tensor.to_contiguous());
        Self { activations, dense, features }
    }
}

impl ActivePrimitive<Flex> {
    fn into_contiguous(self) -> Self {
        match self {
            Self::Binary { indices } => Self::Binary { indices: indices.to_contiguous() },
            Self::Valued { indices, values } => {
                Self::Valued { indices: indices.to_contiguous(), values: values.to_contiguous() }
            }
        }
    }
}

/// [`forward::forward`] of tensors.
fn forward<V: Values>(
    parameters: &FrontParameters<Flex>,
    rows: Rows<'_, V>,
    activation: Activation,
) -> FrontOutputs<Flex> {
    let FrontParameters { weights, bias, dense } = parameters;
    let forward::Outputs { output, activations } = forward::forward(forward::Inputs {
        weights: weights.storage(),
        bias: bias.storage(),
        dense: dense.storage(),
        rows,
        activation,
    });
    FrontOutputs {
        output: tensor(output, [rows.len() / 2, dense.shape()[1]]),
        activations: tensor(activations, [rows.len(), bias.shape()[0]]),
    }
}

/// [`backward::backward`] of tensors.
fn backward<V: Values>(
    gradient: &FlexTensor,
    saved: &Saved<Flex>,
    rows: Rows<'_, V>,
    activation: Activation,
) -> FrontGradients<Flex> {
    let Saved { activations, dense, features } = saved;
    let (l1, outputs) = (dense.shape()[0] / 2, dense.shape()[1]);
    let gradients = backward::backward(backward::Inputs {
        gradient: gradient.storage(),
        activations: activations.storage(),
        dense: dense.storage(),
        rows,
        features: *features,
        l1,
        activation,
    });
    FrontGradients {
        weights: tensor(gradients.weights, [*features, l1]),
        bias: tensor(gradients.bias, [l1]),
        dense: tensor(gradients.dense, [2 * l1, outputs]),
    }
}

fn rows_of<'a, V: Values>(indices: &'a FlexTensor, values: V) -> Rows<'a, V> {
    Rows { indices: indices.storage(), values, width: indices.shape()[1] }
}

fn tensor<const D: usize>(values: Vec<f32>, shape: [usize; D]) -> FlexTensor {
    FlexTensor::from_data(TensorData::new(values, shape))
}
