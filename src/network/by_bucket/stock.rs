//! Dense layers by bucket from stock operations, which tests compare with.

use burn::tensor::{Int, Tensor, TensorData};

use super::Dense;

/// [`by_bucket`](super::by_bucket) in stock operations: computes the outputs of all buckets and
/// gathers those of each position's bucket.
pub(crate) fn by_bucket(x: Tensor<2>, dense: Dense, of_each: &[i32]) -> Tensor<2> {
    let ([positions, _], [_, _, outputs]) = (x.dims(), dense.weights.dims());
    let own = TensorData::new(of_each.to_vec(), [1, positions, 1]);
    let own = Tensor::<3, Int>::from_data(own, &x.device()).repeat_dim(2, outputs);
    let of_all = x.unsqueeze::<3>().matmul(dense.weights) + dense.bias.unsqueeze_dim::<3>(1);
    of_all.gather(0, own).reshape([positions, outputs])
}
