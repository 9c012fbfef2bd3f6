//! What our kernels for graphics cards have in common.
//!
//! They are written in CubeCL, which compiles them for the device when they
//! are first launched. Every kernel has one *unit* (a thread of the device) per
//! value that it computes, and its units never share a value; so nothing
//! depends on the order in which the device runs them.

use burn::backend::TensorMetadata;
use burn::tensor::{DType, Shape};
use burn_cubecl::kernel::into_contiguous;
use burn_cubecl::ops::numeric::empty_device_contiguous_dtype;
use burn_cubecl::tensor::CubeTensor;
use cubecl::calculate_cube_count_elemwise;
use cubecl::prelude::*;

/// The tensor laid out row by row, without a copy if it already is.
pub fn plain(tensor: CubeTensor) -> CubeTensor {
    into_contiguous(tensor)
}

/// A tensor on the device of another, to be filled.
pub fn empty(like: &CubeTensor, shape: impl Into<Shape>) -> CubeTensor {
    let (client, device) = (like.client.clone(), like.device());
    empty_device_contiguous_dtype(client, device, shape.into(), DType::F32)
}

/// As many units as a tensor has values, and a few that find nothing to do.
pub fn unit_per_value(of: &CubeTensor) -> (CubeCount, CubeDim) {
    let units = of.shape().num_elements();
    let dim = CubeDim::new(&of.client, units);
    (calculate_cube_count_elemwise(&of.client, units, dim), dim)
}
