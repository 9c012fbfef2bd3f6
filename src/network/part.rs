//! Parts of a net that an optimiser treats apart.
//!
//! Two suffice. Nearly all weights stand in the rows of features, where each is moved by the
//! positions that have its feature; the few above them are moved by every position.

use burn::module::ParamGroup;

/// The parameters of the dense layers, by their paths in [`Nnue`](super::Nnue).
pub fn dense_layers() -> ParamGroup {
    ParamGroup::from_predicate("dense.")
}
