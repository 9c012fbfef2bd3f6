//! The front of the network on a graphics card.
//!
//! The dense layer is that of [`by_bucket`](crate::by_bucket). Around it are
//! kernels of ours: one sums and activates on the way forward; on the way
//! back one takes the gradient through the activation, and two sum it by
//! feature, along the lists that came with the batch
//! ([`super::inverse`]). No kernel adds into memory that another unit adds
//! into, so no atomic additions are needed and the sums have a fixed order: the
//! same batch gives the same gradient to the bit.

mod kernels;

use burn::backend::TensorMetadata;
use burn::backend::ops::FloatTensorOps;
use burn::tensor::Shape;
use burn_cubecl::CubeBackend;
use burn_cubecl::tensor::CubeTensor;

use super::active::{ActivePrimitive, EntriesPrimitive, InversePrimitive};
use super::{Between, FrontBackend, FrontOutputs, FrontParameters, Saved};
use crate::buckets::BucketsPrimitive;
use crate::by_bucket::{ByBucketBackend, DenseGradients};
use crate::cube::{empty, plain, unit_per_value};
use nnue::Activation;

/// Rows that one unit takes through the activation.
const BLOCK_ROWS: usize = 64;

impl FrontBackend for CubeBackend {
    fn front(
        parameters: FrontParameters<Self>,
        active: ActivePrimitive<Self>,
        buckets: BucketsPrimitive<Self>,
        between: Between,
    ) -> FrontOutputs<Self> {
        let FrontParameters { weights, bias, dense } = parameters;
        let activation = between.activation;
        let activations = transform(plain(weights), plain(bias), active.entries, activation);
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
        let (of_sums, bias) = through_activation(plain(x), activations, between);
        let weights = gather(of_sums, active.inverse, features);
        FrontParameters { weights, bias, dense }
    }
}

/// What the dense layer reads, `[positions, 2 × outputs]`, of what the
/// activation makes of each sum, `[rows, l1]`.
fn inputs_of(activations: CubeTensor, activation: Activation) -> CubeTensor {
    let [rows, l1] = activations.shape().dims();
    let outputs = activation.outputs(l1);
    let each = if outputs == l1 { activations } else { multiply(activations, outputs) };
    CubeBackend::float_reshape(each, Shape::from([rows / 2, 2 * outputs]))
}

/// The products of the halves of each row, `[rows, outputs]`.
fn multiply(activations: CubeTensor, outputs: usize) -> CubeTensor {
    let [rows, _] = activations.shape().dims();
    let out = empty(&activations, [rows, outputs]);
    let (count, dim) = unit_per_value(&out);
    let (from, to) = (activations.into_buffer_arg(), out.clone().into_buffer_arg());
    kernels::multiply::launch(&out.client, count, dim, from, to, outputs);
    out
}

/// The first layer and its activation, `[rows, l1]`.
fn transform(
    weights: CubeTensor,
    bias: CubeTensor,
    entries: EntriesPrimitive<CubeBackend>,
    activation: Activation,
) -> CubeTensor {
    let (indices, values) = match entries {
        EntriesPrimitive::Binary { indices } => (indices, None),
        EntriesPrimitive::Valued { indices, values } => (indices, Some(values)),
    };
    let [rows, width] = indices.shape().dims();
    let [l1] = bias.shape().dims();
    let out = empty(&weights, [rows, l1]);
    let (count, dim) = unit_per_value(&out);
    kernels::transform::launch(
        &out.client,
        count,
        dim,
        plain(indices).into_buffer_arg(),
        values.map(|values| plain(values).into_buffer_arg()).into(),
        weights.into_buffer_arg(),
        bias.into_buffer_arg(),
        out.clone().into_buffer_arg(),
        width,
        l1,
        activation,
    );
    out
}

/// The gradient of the sums, `[rows, l1]`, from that of what the dense layer
/// reads, and the gradient of the bias.
fn through_activation(
    gradient: CubeTensor,
    activations: CubeTensor,
    between: Between,
) -> (CubeTensor, CubeTensor) {
    let [rows, l1] = activations.shape().dims();
    let of_sums = empty(&gradient, [rows, l1]);
    let blocks = empty(&gradient, [rows.div_ceil(BLOCK_ROWS), l1]);
    let (count, dim) = unit_per_value(&blocks);
    kernels::through_activation::launch(
        &blocks.client,
        count,
        dim,
        activations.into_buffer_arg(),
        gradient.into_buffer_arg(),
        of_sums.clone().into_buffer_arg(),
        blocks.clone().into_buffer_arg(),
        between.penalty,
        rows,
        l1,
        BLOCK_ROWS,
        between.activation,
    );
    let bias = CubeBackend::float_sum_dim(blocks, 0);
    (of_sums, CubeBackend::float_reshape(bias, Shape::from([l1])))
}

/// The gradient of the weights, `[features, l1]`, from that of the sums.
///
/// # Panics
/// If the rows of the features did not come with the batch.
fn gather(
    gradient: CubeTensor,
    inverse: InversePrimitive<CubeBackend>,
    features: usize,
) -> CubeTensor {
    let (rows, values, part_starts, first_parts) = match inverse {
        InversePrimitive::Absent => {
            panic!("a graphics card differentiates active features that have their inverse")
        }
        InversePrimitive::Binary { rows, part_starts, first_parts } => {
            (rows, None, part_starts, first_parts)
        }
        InversePrimitive::Valued { rows, values, part_starts, first_parts } => {
            (rows, Some(values), part_starts, first_parts)
        }
    };
    let [_, l1] = gradient.shape().dims();
    let parts = part_starts.shape().num_elements() - 1;
    // A buffer is never empty.
    let sums = empty(&gradient, [parts.max(1), l1]);
    let (count, dim) = unit_per_value(&sums);
    kernels::sum_parts::launch(
        &sums.client,
        count,
        dim,
        gradient.into_buffer_arg(),
        rows.into_buffer_arg(),
        values.map(|values| values.into_buffer_arg()).into(),
        part_starts.into_buffer_arg(),
        sums.clone().into_buffer_arg(),
        parts,
        l1,
    );
    let out = empty(&sums, [features, l1]);
    let (count, dim) = unit_per_value(&out);
    kernels::add_parts::launch(
        &out.client,
        count,
        dim,
        sums.into_buffer_arg(),
        first_parts.into_buffer_arg(),
        out.clone().into_buffer_arg(),
        l1,
    );
    out
}
