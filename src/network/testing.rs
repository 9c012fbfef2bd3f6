//! The devices that the tests of this room and of those above go through.

use burn::tensor::Device;

use crate::device::Compute;

/// What is compiled in.
pub fn every_compute() -> Vec<Compute> {
    let mut all = vec![Compute::Cpu];
    if cfg!(feature = "ndarray") {
        all.push(Compute::Ndarray);
    }
    if cfg!(feature = "wgpu") {
        all.push(Compute::Gpu);
    }
    all
}

/// The devices of what is compiled in.
///
/// # Panics
/// If one of them is not there: with feature `wgpu`, the tests need an
/// adapter, if only a software one.
pub fn every_device() -> Vec<Device> {
    let device = |compute: Compute| compute.device().unwrap_or_else(|e| panic!("{e}"));
    every_compute().into_iter().map(device).collect()
}
