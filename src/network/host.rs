//! Backends whose tensors lie in the processor's memory.
//!
//! The kernels read and write plain slices; a [`HostBackend`] turns its tensors into slices.

#[cfg(feature = "ndarray")]
mod ndarray;

use burn::backend::flex::FlexTensor;
use burn::backend::tensor::{FloatTensor, IntTensor};
use burn::backend::{Backend, Flex};
use burn::tensor::TensorData;

/// A backend whose tensors lie in the processor's memory.
pub(crate) trait HostBackend: Backend {
    /// Laid out row by row with nothing before or behind; without a copy if it already
    /// is, so that an unshared tensor can be changed where it lies.
    fn plain(tensor: FloatTensor<Self>) -> FloatTensor<Self>;

    /// The same of indices, which have 32 bits afterwards.
    fn plain_indices(tensor: IntTensor<Self>) -> IntTensor<Self>;

    /// The values of a plain tensor.
    fn values(tensor: &FloatTensor<Self>) -> &[f32];

    /// The values of a plain tensor, to be changed; of a copy, if the tensor is shared.
    fn values_mut(tensor: &mut FloatTensor<Self>) -> &mut [f32];

    /// The values of plain indices.
    fn indices(tensor: &IntTensor<Self>) -> &[i32];

    /// A tensor of values that lie row by row.
    fn tensor<const D: usize>(values: Vec<f32>, shape: [usize; D]) -> FloatTensor<Self>;
}

impl HostBackend for Flex {
    fn plain(tensor: FlexTensor) -> FlexTensor {
        // Not `is_contiguous`, which some rows of a longer tensor are as well.
        tensor.to_contiguous()
    }

    fn plain_indices(tensor: FlexTensor) -> FlexTensor {
        Self::plain(tensor)
    }

    fn values(tensor: &FlexTensor) -> &[f32] {
        tensor.storage()
    }

    fn values_mut(tensor: &mut FlexTensor) -> &mut [f32] {
        tensor.storage_mut()
    }

    fn indices(tensor: &FlexTensor) -> &[i32] {
        tensor.storage()
    }

    fn tensor<const D: usize>(values: Vec<f32>, shape: [usize; D]) -> FlexTensor {
        FlexTensor::from_data(TensorData::new(values, shape))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use burn::backend::ops::FloatTensorOps;

    fn count_up() -> FlexTensor {
        Flex::tensor((0..6).map(|i| i as f32).collect(), [3, 2])
    }

    #[test]
    fn what_is_plain_already_stays_where_it_lies() {
        let tensor = count_up();
        let before = Flex::values(&tensor).as_ptr();
        let mut plain = Flex::plain(tensor);
        assert_eq!(Flex::values(&plain).as_ptr(), before);
        assert_eq!(Flex::values_mut(&mut plain).as_ptr(), before);
    }

    #[test]
    fn rows_of_a_longer_tensor_are_alone_when_they_are_plain() {
        for (rows, values) in [(0..1, &[0.0, 1.0][..]), (1..3, &[2.0, 3.0, 4.0, 5.0])] {
            let part = Flex::float_slice(count_up(), &[rows.into(), (0..2).into()]);
            assert_eq!(Flex::values(&Flex::plain(part)), values);
        }
    }
}
