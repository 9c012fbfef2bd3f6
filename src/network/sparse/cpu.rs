//! The feature transformer on the processor.
//!
//! Every output value is summed in one fixed order, whatever the number of
//! threads and the width of the vectors, so the result is the same to the bit.
//! The loops are written over fixed-size lanes of [`TILE`] columns: wide
//! enough to fill vector registers, compiled for each instruction set by
//! `multiversion`, and small enough that sums never leave the registers.

pub mod backward;
pub mod forward;
pub mod inverted;
pub mod rows;

use burn::backend::Flex;
use burn::backend::TensorMetadata;
use burn::backend::flex::FlexTensor;
use burn::backend::tensor::FloatTensor;
use burn::tensor::TensorData;

use super::SparseBackend;
use super::active::ActivePrimitive;
use rows::{Ones, Rows, Values};

/// Columns that a task sums at a time, where L1 is a multiple of it.
pub const TILE: usize = 64;

/// Columns at a time for the other sizes; every L1 is a multiple of it.
pub const NARROW_TILE: usize = 8;

impl SparseBackend for Flex {
    fn transform(
        weights: FloatTensor<Self>,
        bias: FloatTensor<Self>,
        active: ActivePrimitive<Self>,
    ) -> FloatTensor<Self> {
        match active.into_contiguous() {
            ActivePrimitive::Binary { indices } => {
                transform(&weights, &bias, rows_of(&indices, Ones))
            }
            ActivePrimitive::Valued { indices, values } => {
                transform(&weights, &bias, rows_of(&indices, values.storage::<f32>()))
            }
        }
    }

    fn transform_backward(
        gradient: FloatTensor<Self>,
        output: FloatTensor<Self>,
        active: ActivePrimitive<Self>,
        features: usize,
    ) -> (FloatTensor<Self>, FloatTensor<Self>) {
        match active.into_contiguous() {
            ActivePrimitive::Binary { indices } => {
                gradients(&gradient, &output, rows_of(&indices, Ones), features)
            }
            ActivePrimitive::Valued { indices, values } => {
                gradients(&gradient, &output, rows_of(&indices, values.storage::<f32>()), features)
            }
        }
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

/// [`forward::transform`] of tensors.
fn transform<V: Values>(weights: &FlexTensor, bias: &FlexTensor, rows: Rows<'_, V>) -> FlexTensor {
    let (weights, bias) = (weights.to_contiguous(), bias.to_contiguous());
    let output = forward::transform(weights.storage(), bias.storage(), rows);
    tensor(output, [rows.len(), bias.shape()[0]])
}

/// [`backward::gradients`] of tensors.
fn gradients<V: Values>(
    gradient: &FlexTensor,
    output: &FlexTensor,
    rows: Rows<'_, V>,
    features: usize,
) -> (FlexTensor, FlexTensor) {
    let l1 = output.shape()[1];
    let (gradient, output) = (gradient.to_contiguous(), output.to_contiguous());
    let (of_weights, of_bias) = backward::gradients(backward::Inputs {
        gradient: gradient.storage(),
        output: output.storage(),
        rows,
        features,
        l1,
    });
    (tensor(of_weights, [features, l1]), tensor(of_bias, [l1]))
}

fn rows_of<'a, V: Values>(indices: &'a FlexTensor, values: V) -> Rows<'a, V> {
    Rows { indices: indices.storage(), values, width: indices.shape()[1] }
}

fn tensor<const D: usize>(values: Vec<f32>, shape: [usize; D]) -> FlexTensor {
    FlexTensor::from_data(TensorData::new(values, shape))
}
