//! The active features of a batch, with or without values.

use burn::backend::autodiff::Autodiff;
use burn::backend::autodiff::checkpoint::strategy::CheckpointStrategy;
use burn::backend::tensor::{FloatTensor, IntTensor};
use burn::backend::{Backend, Dispatch, ExtensionType};
use burn::tensor::{Int, Tensor};

/// The active features of each row of a batch, and of a valued set the value
/// of each.
#[derive(Clone, Debug)]
pub struct ActiveFeatures {
    indices: Tensor<2, Int>,
    values: Option<Tensor<2>>,
}

impl ActiveFeatures {
    /// `indices [rows, width]`: each row's features first and then
    /// [`PADDING`](super::PADDING). `values`, of the same shape, says what the
    /// weights of each are multiplied by; what stands beside padding is not
    /// read. A binary set has no values: all of them are 1.
    ///
    /// # Panics
    /// If the shapes differ.
    pub fn new(indices: Tensor<2, Int>, values: Option<Tensor<2>>) -> Self {
        if let Some(values) = &values {
            assert_eq!(values.dims(), indices.dims(), "a value per index");
        }
        Self { indices, values }
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.indices.dims()[0]
    }

    pub(super) fn into_dispatch(self) -> ActivePrimitive<Dispatch> {
        let indices = self.indices.into_dispatch();
        match self.values {
            None => ActivePrimitive::Binary { indices },
            Some(values) => ActivePrimitive::Valued { indices, values: values.into_dispatch() },
        }
    }
}

/// [`ActiveFeatures`] as a backend sees them.
#[derive(Clone, Debug, ExtensionType)]
pub enum ActivePrimitive<B: Backend> {
    /// Of a binary set.
    Binary {
        /// `[rows, width]`.
        indices: IntTensor<B>,
    },
    /// Of a valued set.
    Valued {
        /// `[rows, width]`.
        indices: IntTensor<B>,
        /// `[rows, width]`.
        values: FloatTensor<B>,
    },
}

impl<B: Backend, C: CheckpointStrategy> ActivePrimitive<Autodiff<B, C>> {
    /// The same as constants: nothing is differentiated by the values.
    pub(super) fn detached(self) -> ActivePrimitive<B> {
        match self {
            Self::Binary { indices } => ActivePrimitive::Binary { indices },
            Self::Valued { indices, values } => {
                ActivePrimitive::Valued { indices, values: values.into_primitive() }
            }
        }
    }
}
