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

use burn::backend::Flex;
use burn::backend::TensorMetadata;
use burn::backend::flex::FlexTensor;
use burn::backend::tensor::{FloatTensor, IntTensor};
use burn::tensor::TensorData;

use super::SparseBackend;

/// Columns that a task sums at a time, where L1 is a multiple of it.
pub const TILE: usize = 64;

/// Columns at a time for the other sizes; every L1 is a multiple of it.
pub const NARROW_TILE: usize = 8;

/// The active features of each row, borrowed from an index tensor.
#[derive(Clone, Copy, Debug)]
pub struct Rows<'a> {
    /// `rows × width`, features first, then [`super::PADDING`].
    pub indices: &'a [i32],
    /// Entries per row.
    pub width: usize,
}

impl<'a> Rows<'a> {
    /// Number of rows.
    pub fn len(&self) -> usize {
        self.indices.len() / self.width
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.indices.is_empty()
    }

    /// The features of one row with their padding.
    #[inline]
    pub fn row(&self, row: usize) -> &'a [i32] {
        &self.indices[row * self.width..][..self.width]
    }

    /// Consecutive rows.
    pub fn slice(&self, start: usize, len: usize) -> Self {
        let indices = &self.indices[start * self.width..][..len * self.width];
        Self { indices, width: self.width }
    }
}

impl SparseBackend for Flex {
    fn transform(
        weights: FloatTensor<Self>,
        bias: FloatTensor<Self>,
        indices: IntTensor<Self>,
    ) -> FloatTensor<Self> {
        let (weights, bias) = (weights.to_contiguous(), bias.to_contiguous());
        let indices = indices.to_contiguous();
        let rows = rows_of(&indices);
        let output = forward::transform(weights.storage(), bias.storage(), rows);
        tensor(output, [rows.len(), bias.shape()[0]])
    }

    fn transform_backward(
        gradient: FloatTensor<Self>,
        output: FloatTensor<Self>,
        indices: IntTensor<Self>,
        features: usize,
    ) -> (FloatTensor<Self>, FloatTensor<Self>) {
        let l1 = output.shape()[1];
        let (gradient, output) = (gradient.to_contiguous(), output.to_contiguous());
        let indices = indices.to_contiguous();
        let (of_weights, of_bias) = backward::gradients(backward::Inputs {
            gradient: gradient.storage(),
            output: output.storage(),
            rows: rows_of(&indices),
            features,
            l1,
        });
        (tensor(of_weights, [features, l1]), tensor(of_bias, [l1]))
    }
}

fn rows_of(indices: &FlexTensor) -> Rows<'_> {
    Rows { indices: indices.storage(), width: indices.shape()[1] }
}

fn tensor<const D: usize>(values: Vec<f32>, shape: [usize; D]) -> FlexTensor {
    FlexTensor::from_data(TensorData::new(values, shape))
}
