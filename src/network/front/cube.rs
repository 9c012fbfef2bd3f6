//! The front of the network on a graphics card.
//!
//! The dense layer is that of [`by_bucket`](crate::by_bucket). Below it one kernel sums and
//! activates on the way forward ([`transform`]), over
//! rows of weights in `f32` or packed in half precision ([`rows`]). On the way back the gradient is summed by feature
//! ([`gather`]); no unit adds into memory that another adds into, so all sums have a fixed order and
//! repeat to the bit.
#![allow(unsafe_code, reason = "kernels launched without bounds checks of their indices")]

mod gather;
mod grouped;
mod marks;
mod rows;
mod transform;

use burn::backend::TensorMetadata;
use burn::backend::ops::FloatTensorOps;
use burn::tensor::Shape;
use burn_wgpu::{CubeBackend, CubeTensor};

use super::active::{ActivePrimitive, EntriesPrimitive};
use super::indices::IndexForm;
use super::{FrontBackend, FrontOutputs, FrontParameters, RowPrecision, Saved};
use crate::buckets::BucketsPrimitive;
use crate::by_bucket::{ByBucketBackend, DenseGradients};
use crate::cube::{empty, launch, plain, units, vector_size};
use crate::front::Between;
use nnue::Activation;
use rows::WeightRows;

/// Vectors of a row that are taken together where a row has many: with four floats each, a slab
/// of a batch of 16,384 positions takes 16 MB.
const SLAB: usize = 32;

/// The lists of a batch on the card, read by [`feature_at`](kernels::feature_at).
struct Lists {
    indices: CubeTensor,
    form: IndexForm,
    values: Option<CubeTensor>,
    rows: usize,
    width: usize,
}

/// Of the first layer.
struct Gradients {
    /// `[features, l1]`.
    weights: CubeTensor,
    /// `[l1]`.
    bias: CubeTensor,
}

impl FrontBackend for CubeBackend {
    fn front(
        parameters: FrontParameters<Self>,
        active: ActivePrimitive<Self>,
        buckets: BucketsPrimitive<Self>,
        between: Between,
        precision: RowPrecision,
    ) -> FrontOutputs<Self> {
        let FrontParameters { weights, bias, dense } = parameters;
        let activation = between.activation;
        let rows = WeightRows::new(weights, precision);
        let activations = transform::transform(rows, bias, active.entries.into(), activation);
        let inputs = inputs_of(activations.clone(), activation);
        let output = Self::by_bucket(inputs, dense, buckets);
        FrontOutputs { output, activations }
    }

    fn front_backward(
        gradient: CubeTensor,
        saved: Saved<Self>,
        active: ActivePrimitive<Self>,
        buckets: BucketsPrimitive<Self>,
        between: Between,
    ) -> FrontParameters<Self> {
        let Saved { activations, dense, features } = saved;
        let activations = plain(activations);
        let inputs = inputs_of(activations.clone(), between.activation);
        let DenseGradients { x, dense } =
            Self::by_bucket_backward(gradient, inputs, dense, buckets);
        let ActivePrimitive { entries, inverse } = active;
        let Gradients { weights, bias } =
            gather::gather(features, plain(x), activations, entries.into(), inverse, between);
        FrontParameters { weights, bias, dense }
    }
}

impl From<EntriesPrimitive<CubeBackend>> for Lists {
    fn from(entries: EntriesPrimitive<CubeBackend>) -> Self {
        let (indices, form, values) = match entries {
            EntriesPrimitive::Binary { indices, form } => (indices, form, None),
            EntriesPrimitive::Valued { indices, form, values } => {
                (indices, form, Some(plain(values)))
            }
        };
        let [rows, words] = indices.shape().dims();
        let width = words * form.of_word();
        Self { indices: plain(indices), form, values, rows, width }
    }
}

/// Vectors of a slab in rows of `lanes` vectors.
fn slab_of(lanes: usize) -> usize {
    if lanes.is_multiple_of(SLAB) { SLAB } else { lanes }
}

/// Floats read at once in rows of `l1` sums: a divisor of both halves of pairwise ones.
fn vector_of(l1: usize, activation: Activation) -> usize {
    vector_size(activation.outputs(l1))
}

/// Inputs of the dense layer, `[positions, 2 × outputs]`, from the activation of each sum,
/// `[rows, l1]`.
fn inputs_of(activations: CubeTensor, activation: Activation) -> CubeTensor {
    let [rows, l1] = activations.shape().dims();
    let outputs = activation.outputs(l1);
    let each = if outputs == l1 { activations } else { combine(activations, activation) };
    CubeBackend::float_reshape(each, Shape::from([rows / 2, 2 * outputs]))
}

/// The outputs of the halves of each row, `[rows, outputs]`.
fn combine(activations: CubeTensor, activation: Activation) -> CubeTensor {
    let [rows, l1] = activations.shape().dims();
    let outputs = activation.outputs(l1);
    let out = empty(&activations, [rows, outputs]);
    let vector = vector_size(outputs);
    let lanes = outputs / vector;
    let (from, to) = (activations.into_buffer_arg(), out.clone().into_buffer_arg());
    // SAFETY: a unit stays within its row and lane.
    unsafe {
        launch!(kernels::combine[out, units(&out, rows * lanes)]
            vector, from, to, rows, lanes, activation
        );
    }
    out
}

mod kernels {
    use super::{Activation, IndexForm};
    use crate::activation::cube::kernels::combined;
    use cubecl::prelude::*;

    /// The feature at a place of the lists, negative at padding.
    #[cube]
    pub fn feature_at(indices: &[i32], place: usize, #[comptime] form: IndexForm) -> i32 {
        match form {
            IndexForm::Word => indices[place],
            IndexForm::Half => {
                let half = (indices[place / 2] as u32 >> (place % 2 * 16) as u32) & 0xffff;
                select(half == 0xffff, -1, half as i32)
            }
        }
    }

    /// Combines the halves of each row. A unit per vector of `out`, `[rows, lanes]`.
    #[cube(launch_unchecked)]
    pub fn combine<N: Size>(
        activations: &[Vector<f32, N>],
        out: &mut [Vector<f32, N>],
        rows: usize,
        lanes: usize,
        #[comptime] activation: Activation,
    ) {
        if ABSOLUTE_POS >= rows * lanes {
            terminate!();
        }
        let first = ABSOLUTE_POS / lanes * (2 * lanes) + ABSOLUTE_POS % lanes;
        out[ABSOLUTE_POS] =
            combined::<N>(activations[first], activations[first + lanes], activation);
    }
}
