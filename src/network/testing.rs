//! Devices for the tests of this room and of those above.

#[cfg(test)]
pub(crate) mod laws;

use burn::tensor::Device;
#[cfg(test)]
use burn::tensor::Tensor;

use crate::device::Compute;

/// The devices that are compiled in.
pub fn every_compute() -> Vec<Compute> {
    let mut all = vec![Compute::Cpu];
    if cfg!(feature = "ndarray") {
        all.push(Compute::Ndarray);
    }
    if cfg!(feature = "wgpu") {
        all.push(Compute::GPU);
    }
    all
}

/// The same, opened.
///
/// # Panics
/// If one of them is not there: with feature `wgpu`, the tests need an
/// adapter, if only a software one.
pub fn every_device() -> Vec<Device> {
    let device = |compute: Compute| compute.device().unwrap_or_else(|e| panic!("{e}"));
    every_compute().into_iter().map(device).collect()
}

/// The same values as rows (of dimension `dim`) of a larger tensor, with others before and
/// behind, which the backends that can do not copy.
#[cfg(test)]
pub(crate) fn amid_others<const D: usize>(tensor: Tensor<D>, dim: usize) -> Tensor<D> {
    let own = tensor.dims()[dim];
    let others = tensor.clone().detach() + 7.0;
    Tensor::cat(vec![others.clone(), tensor, others], dim).narrow(dim, own, own)
}

/// Values as bits, so that none equals another that only looks like it.
#[cfg(test)]
pub(crate) fn bits<const N: usize>(values: [Vec<f32>; N]) -> [Vec<u32>; N] {
    values.map(|values| values.into_iter().map(f32::to_bits).collect())
}
