//! The front of the network on a graphics card.
//!
//! The products with the dense layer are the backend's own. Around them are
//! four kernels of ours: one sums and activates on the way forward; on the way
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
use super::{FrontBackend, FrontGradients, FrontOutputs, FrontParameters, Saved};
use crate::cube::{empty, plain, unit_per_value};
use nnue::Activation;

/// Rows that one unit takes through the activation.
const BLOCK_ROWS: usize = 64;

impl FrontBackend for CubeBackend {
    fn front(
        parameters: FrontParameters<Self>,
        active: ActivePrimitive<Self>,
        activation: Activation,
    ) -> FrontOutputs<Self> {
        let FrontParameters { weights, bias, dense } = parameters;
        let activations = transform(plain(weights), plain(bias), active.entries, activation);
        let output = Self::float_matmul(by_position(activations.clone()), dense);
        FrontOutputs { output, activations }
    }

    fn front_backward(
        gradient: CubeTensor,
        saved: Saved<Self>,
        active: ActivePrimitive<Self>,
        activation: Activation,
    ) -> FrontGradients<Self> {
        let Saved { activations, dense, features } = saved;
        let activations = plain(activations);
        let transposed = |matrix| Self::float_swap_dims(matrix, 0, 1);
        let of_dense =
            Self::float_matmul(transposed(by_position(activations.clone())), gradient.clone());
        let grad_input = Self::float_matmul(gradient, transposed(dense));
        let grad_input = plain(Self::float_reshape(grad_input, activations.shape()));
        let (grad_input, bias) = through_activation(grad_input, activations, activation);
        let weights = gather(grad_input, active.inverse, features);
        FrontGradients { weights, bias, dense: of_dense }
    }
}

/// `[rows, l1]` read as `[positions, 2 × l1]`.
fn by_position(activations: CubeTensor) -> CubeTensor {
    let [rows, l1] = activations.shape().dims();
    CubeBackend::float_reshape(activations, Shape::from([rows / 2, 2 * l1]))
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

/// The gradient of the sums from that of the activations, in its place, and
/// the gradient of the bias.
fn through_activation(
    gradient: CubeTensor,
    activations: CubeTensor,
    activation: Activation,
) -> (CubeTensor, CubeTensor) {
    let [rows, l1] = activations.shape().dims();
    let blocks = empty(&gradient, [rows.div_ceil(BLOCK_ROWS), l1]);
    let (count, dim) = unit_per_value(&blocks);
    kernels::through_activation::launch(
        &blocks.client,
        count,
        dim,
        activations.into_buffer_arg(),
        gradient.clone().into_buffer_arg(),
        blocks.clone().into_buffer_arg(),
        rows,
        l1,
        BLOCK_ROWS,
        activation,
    );
    let bias = CubeBackend::float_sum_dim(blocks, 0);
    (gradient, CubeBackend::float_reshape(bias, Shape::from([l1])))
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
