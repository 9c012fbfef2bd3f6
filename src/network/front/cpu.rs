//! The front of the network on the processor, of kernels with the ways of
//! `network/cpu.rs`.

pub mod backward;
mod between;
mod forward;
pub(super) mod inverted;
mod layout;
pub(super) mod rows;

use burn::backend::TensorMetadata;
use burn::backend::tensor::{FloatTensor, IntTensor};
use rayon::prelude::*;

use super::active::{ActivePrimitive, EntriesPrimitive};
use super::indices::IndexForm;
use super::{Between, FrontBackend, FrontOutputs, FrontParameters, RowPrecision, Saved};
use crate::buckets::BucketsPrimitive;
use crate::by_bucket::DensePrimitive;
use crate::cpu::dense::Dense;
use crate::cpu::slices::Slices;
use crate::host::HostBackend;
use layout::{Columns, SLICE};
use rows::{Ones, Rows, Values};

impl<B: HostBackend> FrontBackend for B {
    fn front(
        parameters: FrontParameters<Self>,
        active: ActivePrimitive<Self>,
        buckets: BucketsPrimitive<Self>,
        between: Between,
        precision: RowPrecision,
    ) -> FrontOutputs<Self> {
        let parameters = parameters.plain().with_rows_in(precision);
        let entries = active.entries.plain();
        let [count, _] = parameters.dense.bias.shape().dims();
        let slices = buckets.slices(entries.rows() / 2, count, SLICE);
        match entries {
            EntriesPrimitive::Binary { indices, .. } => {
                forward(&parameters, rows_of::<B, _>(&indices, Ones), &slices, between)
            }
            EntriesPrimitive::Valued { indices, values, .. } => {
                let rows = rows_of::<B, _>(&indices, B::values(&values));
                forward(&parameters, rows, &slices, between)
            }
        }
    }

    fn front_backward(
        gradient: FloatTensor<B>,
        saved: Saved<Self>,
        active: ActivePrimitive<Self>,
        buckets: BucketsPrimitive<Self>,
        between: Between,
    ) -> FrontParameters<Self> {
        let (gradient, saved) = (B::plain(gradient), saved.plain());
        let entries = active.entries.plain();
        let [count, _, _] = saved.dense.shape().dims();
        let slices = buckets.slices(entries.rows() / 2, count, SLICE);
        match entries {
            EntriesPrimitive::Binary { indices, .. } => {
                backward(&gradient, &saved, rows_of::<B, _>(&indices, Ones), &slices, between)
            }
            EntriesPrimitive::Valued { indices, values, .. } => {
                let rows = rows_of::<B, _>(&indices, B::values(&values));
                backward(&gradient, &saved, rows, &slices, between)
            }
        }
    }
}

impl<B: HostBackend> FrontParameters<B> {
    fn plain(self) -> Self {
        let Self { weights, bias, dense } = self;
        let DensePrimitive { weights: dense, bias: dense_bias } = dense;
        let [weights, bias, dense, dense_bias] = [weights, bias, dense, dense_bias].map(B::plain);
        Self { weights, bias, dense: DensePrimitive { weights: dense, bias: dense_bias } }
    }
}

impl<B: HostBackend> FrontParameters<B> {
    /// Plain parameters with rows of weights as a precision has them, so that losses of processors
    /// and graphics cards compare; nothing is saved by it here.
    fn with_rows_in(self, precision: RowPrecision) -> Self {
        if precision == RowPrecision::F32 {
            return self;
        }
        let shape: [usize; 2] = self.weights.shape().dims();
        let values = B::values(&self.weights);
        let rounded = values.par_iter().map(|&weight| precision.of(weight)).collect();
        Self { weights: B::tensor(rounded, shape), ..self }
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
    /// # Panics
    /// On indices of half a word, which go to graphics cards alone.
    fn plain(self) -> Self {
        let form = self.form();
        assert_eq!(form, IndexForm::Word, "form of the indices on a processor");
        match self {
            Self::Binary { indices, .. } => {
                Self::Binary { indices: B::plain_indices(indices), form }
            }
            Self::Valued { indices, values, .. } => {
                let (indices, values) = (B::plain_indices(indices), B::plain(values));
                Self::Valued { indices, form, values }
            }
        }
    }

    fn form(&self) -> IndexForm {
        let (Self::Binary { form, .. } | Self::Valued { form, .. }) = self;
        *form
    }

    fn rows(&self) -> usize {
        let (Self::Binary { indices, .. } | Self::Valued { indices, .. }) = self;
        indices.shape()[0]
    }
}

/// [`forward::forward`] of tensors.
fn forward<B: HostBackend, V: Values>(
    parameters: &FrontParameters<B>,
    rows: Rows<'_, V>,
    slices: &Slices,
    between: Between,
) -> FrontOutputs<B> {
    let FrontParameters { weights, bias, dense } = parameters;
    let ([l1], [_, outputs]) = (bias.shape().dims(), dense.bias.shape().dims());
    let dense = Dense { weights: B::values(&dense.weights), bias: B::values(&dense.bias), outputs };
    let forward::Outputs { output, activations } = forward::forward(forward::Inputs {
        weights: B::values(weights),
        bias: B::values(bias),
        dense,
        rows,
        slices,
        activation: between.activation,
    });
    FrontOutputs {
        output: B::tensor(output, [rows.len() / 2, outputs]),
        activations: B::tensor(activations, [2 * slices.room(), l1]),
    }
}

/// [`backward::backward`] of tensors.
fn backward<B: HostBackend, V: Values>(
    gradient: &FloatTensor<B>,
    saved: &Saved<B>,
    rows: Rows<'_, V>,
    slices: &Slices,
    between: Between,
) -> FrontParameters<B> {
    let Saved { activations, dense, features } = saved;
    let [count, inputs, outputs] = dense.shape().dims();
    let [_, l1] = activations.shape().dims();
    let gradients = backward::backward(backward::Inputs {
        gradient: B::values(gradient),
        activations: B::values(activations),
        dense: B::values(dense),
        outputs,
        rows,
        slices,
        features: *features,
        columns: Columns::new(l1, between.activation),
        between,
    });
    FrontParameters {
        weights: B::tensor(gradients.weights, [*features, l1]),
        bias: B::tensor(gradients.bias, [l1]),
        dense: DensePrimitive {
            weights: B::tensor(gradients.dense, [count, inputs, outputs]),
            bias: B::tensor(gradients.dense_bias, [count, outputs]),
        },
    }
}

fn rows_of<B: HostBackend, V: Values>(indices: &IntTensor<B>, values: V) -> Rows<'_, V> {
    Rows { indices: B::indices(indices), values, width: indices.shape()[1] }
}
