//! The front of the network on the processor.
//!
//! Every output value is summed in one fixed order, whatever the number of
//! threads and the width of the vectors, so the result is the same to the bit
//! on processors of one type. The loops over columns have a length known to the
//! compiler, wide enough to fill vector registers and small enough that sums
//! never leave them; `multiversion` compiles them for each instruction set.
//! Where several rows of sums are to stay in registers, which compilers do not
//! manage, `pulp`'s vectors are used explicitly (`dense`).

pub mod backward;
mod dense;
mod forward;
pub(super) mod inverted;
mod layout;
pub(super) mod rows;

use burn::backend::TensorMetadata;
use burn::backend::tensor::{FloatTensor, IntTensor};

use super::active::{ActivePrimitive, EntriesPrimitive};
use super::{FrontBackend, FrontGradients, FrontOutputs, FrontParameters, Saved};
use crate::host::HostBackend;
use nnue::Activation;
use rows::{Ones, Rows, Values};

impl<B: HostBackend> FrontBackend for B {
    fn front(
        parameters: FrontParameters<Self>,
        active: ActivePrimitive<Self>,
        activation: Activation,
    ) -> FrontOutputs<Self> {
        let parameters = parameters.plain();
        match active.entries.plain() {
            EntriesPrimitive::Binary { indices } => {
                forward(&parameters, rows_of::<B, _>(&indices, Ones), activation)
            }
            EntriesPrimitive::Valued { indices, values } => {
                forward(&parameters, rows_of::<B, _>(&indices, B::values(&values)), activation)
            }
        }
    }

    fn front_backward(
        gradient: FloatTensor<B>,
        saved: Saved<Self>,
        active: ActivePrimitive<Self>,
        activation: Activation,
    ) -> FrontGradients<Self> {
        let (gradient, saved) = (B::plain(gradient), saved.plain());
        match active.entries.plain() {
            EntriesPrimitive::Binary { indices } => {
                backward(&gradient, &saved, rows_of::<B, _>(&indices, Ones), activation)
            }
            EntriesPrimitive::Valued { indices, values } => {
                let rows = rows_of::<B, _>(&indices, B::values(&values));
                backward(&gradient, &saved, rows, activation)
            }
        }
    }
}

impl<B: HostBackend> FrontParameters<B> {
    fn plain(self) -> Self {
        let Self { weights, bias, dense } = self;
        let [weights, bias, dense] = [weights, bias, dense].map(B::plain);
        Self { weights, bias, dense }
    }
}

impl<B: HostBackend> Saved<B> {
    fn plain(self) -> Self {
        let Self { activations, dense, features } = self;
        let [activations, dense] = [activations, dense].map(B::plain);
        Self { activations, dense, features }
    }
}

impl<B: HostBackend> EntriesPrimitive<B> {
    fn plain(self) -> Self {
        match self {
            Self::Binary { indices } => Self::Binary { indices: B::plain_indices(indices) },
            Self::Valued { indices, values } => {
                Self::Valued { indices: B::plain_indices(indices), values: B::plain(values) }
            }
        }
    }
}

/// [`forward::forward`] of tensors.
fn forward<B: HostBackend, V: Values>(
    parameters: &FrontParameters<B>,
    rows: Rows<'_, V>,
    activation: Activation,
) -> FrontOutputs<B> {
    let FrontParameters { weights, bias, dense } = parameters;
    let forward::Outputs { output, activations } = forward::forward(forward::Inputs {
        weights: B::values(weights),
        bias: B::values(bias),
        dense: B::values(dense),
        rows,
        activation,
    });
    FrontOutputs {
        output: B::tensor(output, [rows.len() / 2, dense.shape()[1]]),
        activations: B::tensor(activations, [rows.len(), bias.shape()[0]]),
    }
}

/// [`backward::backward`] of tensors.
fn backward<B: HostBackend, V: Values>(
    gradient: &FloatTensor<B>,
    saved: &Saved<B>,
    rows: Rows<'_, V>,
    activation: Activation,
) -> FrontGradients<B> {
    let Saved { activations, dense, features } = saved;
    let (l1, outputs) = (dense.shape()[0] / 2, dense.shape()[1]);
    let gradients = backward::backward(backward::Inputs {
        gradient: B::values(gradient),
        activations: B::values(activations),
        dense: B::values(dense),
        rows,
        features: *features,
        l1,
        activation,
    });
    FrontGradients {
        weights: B::tensor(gradients.weights, [*features, l1]),
        bias: B::tensor(gradients.bias, [l1]),
        dense: B::tensor(gradients.dense, [2 * l1, outputs]),
    }
}

fn rows_of<B: HostBackend, V: Values>(indices: &IntTensor<B>, values: V) -> Rows<'_, V> {
    Rows { indices: B::indices(indices), values, width: indices.shape()[1] }
}
