//! Burn's older backend for the processor.
#![expect(deprecated, reason = "the backend is, and stays on offer as long as Burn has it")]

use burn::backend::TensorMetadata;
use burn::backend::ndarray::NdArrayTensor;
use burn::tensor::TensorData;

use super::HostBackend;

type NdArray = burn::backend::NdArray;

const FLOATS: &str = "this backend uses floats of 32 bits";
const INDICES: &str = "the indices were made plain";
const PLAIN: &str = "the tensor was made plain";

impl HostBackend for NdArray {
    fn plain(tensor: NdArrayTensor) -> NdArrayTensor {
        let NdArrayTensor::F32(values) = tensor else { panic!("{FLOATS}") };
        let values = values.into_owned();
        if values.is_standard_layout() {
            return values.into();
        }
        values.as_standard_layout().into_owned().into_shared().into()
    }

    fn plain_indices(tensor: NdArrayTensor) -> NdArrayTensor {
        let shape = tensor.shape();
        let indices = match tensor {
            NdArrayTensor::I32(indices) => indices.view().iter().copied().collect(),
            NdArrayTensor::I64(indices) => indices.view().iter().map(|&i| i as i32).collect(),
            other => panic!("indices are signed whole numbers, not {:?}", other.dtype()),
        };
        NdArrayTensor::from_data(TensorData::new::<i32, _>(indices, shape))
    }

    fn values(tensor: &NdArrayTensor) -> &[f32] {
        let NdArrayTensor::F32(values) = tensor else { panic!("{FLOATS}") };
        values.view().to_slice().expect(PLAIN)
    }

    fn values_mut(tensor: &mut NdArrayTensor) -> &mut [f32] {
        let NdArrayTensor::F32(values) = tensor else { panic!("{FLOATS}") };
        values.ensure_owned().as_slice_mut().expect(PLAIN)
    }

    fn indices(tensor: &NdArrayTensor) -> &[i32] {
        let NdArrayTensor::I32(indices) = tensor else { panic!("{INDICES}") };
        indices.view().to_slice().expect(PLAIN)
    }

    fn tensor<const D: usize>(values: Vec<f32>, shape: [usize; D]) -> NdArrayTensor {
        NdArrayTensor::from_data(TensorData::new(values, shape))
    }
}
