//! Common parts of our kernels for graphics cards.
//!
//! They are written in CubeCL, which compiles them for the device when they
//! are first launched. A *unit* is a thread of the device, a *cube* those that share memory. Units
//! never add into a value that another unit adds into at the same time; so nothing depends on the
//! order in which the device runs them.
#![allow(unsafe_code, reason = "kernels launched without bounds checks of their indices")]

use burn::backend::TensorMetadata;
use burn::backend::ops::FloatTensorOps;
use burn::tensor::{DType, Shape};
use burn_wgpu::{CubeBackend, CubeTensor};
use cubecl::calculate_cube_count_elemwise;
use cubecl::ir::{ElemType, FloatKind, IntKind};
use cubecl::prelude::*;
use cubecl::std::tensor::into_contiguous;

/// The tensor laid out row by row, without a copy if it already is.
///
/// # Panics
/// On other values than floats and whole numbers of 32 bits, which no kernel here reads.
pub fn plain(tensor: CubeTensor) -> CubeTensor {
    if tensor.is_contiguous() {
        return tensor;
    }
    let (client, device, shape) = (tensor.client.clone(), tensor.device(), tensor.shape());
    let dtype = tensor.dtype;
    let element = match dtype {
        DType::F32 => ElemType::Float(FloatKind::F32),
        DType::I32 => ElemType::Int(IntKind::I32),
        other => panic!("kernels read f32 and i32, not {other:?}"),
    };
    let copy = into_contiguous(&client, tensor.binding(), element);
    CubeTensor::new_contiguous(client, device, shape, copy.handle, dtype)
}

/// A tensor on the device of another, to be filled.
pub fn empty(like: &CubeTensor, shape: impl Into<Shape>) -> CubeTensor {
    let (client, device, shape) = (like.client.clone(), like.device(), shape.into());
    let memory = client.empty(shape.num_elements() * size_of::<f32>());
    CubeTensor::new_contiguous(client, device, shape, memory, DType::F32)
}

/// At least one unit per value of a tensor; the others are idle.
pub fn unit_per_value(of: &CubeTensor) -> (CubeCount, CubeDim) {
    units(of, of.shape().num_elements())
}

/// At least `count` units on the device of a tensor; the others are idle.
pub fn units(on: &CubeTensor, count: usize) -> (CubeCount, CubeDim) {
    let dim = CubeDim::new(&on.client, count);
    (calculate_cube_count_elemwise(&on.client, count, dim), dim)
}

/// `count` cubes along the three axes, of `units` units each.
pub(crate) fn cubes(count: [usize; 3], units: usize) -> (CubeCount, CubeDim) {
    let [x, y, z] = count.map(|count| count as u32);
    (CubeCount::Static(x, y, z), CubeDim::new_1d(units as u32))
}

/// Launches a kernel on the device of a tensor: `launch!(kernel[tensor, cubes] arguments)`.
macro_rules! launch {
    ($($kernel:ident)::+[$on:expr, $cubes:expr] $($argument:expr),+) => {{
        let (count, dim) = $cubes;
        $($kernel)::+::launch_unchecked(&$on.client, count, dim, $($argument),+);
    }};
}
pub(crate) use launch;

/// Floats that a unit reads at once in rows of `columns` columns: at most as many as a card moves
/// in one instruction, and a divisor of the row.
pub fn vector_size(columns: usize) -> usize {
    if columns.is_multiple_of(4) {
        4
    } else if columns.is_multiple_of(2) {
        2
    } else {
        1
    }
}

/// The sum of `parts [count, ...]` over its first dimension, in order, as a tensor of `shape`.
pub fn add_up(parts: CubeTensor, count: usize, shape: impl Into<Shape>) -> CubeTensor {
    if count == 1 {
        return CubeBackend::float_reshape(parts, shape.into());
    }
    let out = empty(&parts, shape);
    let values = out.shape().num_elements();
    let vector = vector_size(values);
    let lanes = values / vector;
    let (from, to) = (parts.into_buffer_arg(), out.clone().into_buffer_arg());
    // SAFETY: a unit stays within its lane, and `parts` has `count` times as many values as `out`.
    unsafe {
        launch!(kernels::add_up[out, units(&out, lanes)] vector, from, to, lanes, count);
    }
    out
}

mod kernels {
    use cubecl::prelude::*;

    /// A unit per vector of `out`.
    #[cube(launch_unchecked)]
    pub fn add_up<N: Size>(
        parts: &[Vector<f32, N>],
        out: &mut [Vector<f32, N>],
        lanes: usize,
        count: usize,
    ) {
        if ABSOLUTE_POS >= lanes {
            terminate!();
        }
        let mut sum = Vector::<f32, N>::new(0.0);
        for part in 0..count {
            sum += parts[part * lanes + ABSOLUTE_POS];
        }
        out[ABSOLUTE_POS] = sum;
    }
}
