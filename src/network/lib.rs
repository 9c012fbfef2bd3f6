//! The network as Burn sees it, trainable: a feature transformer with one dense
//! layer above it, or two, or none.
//!
//! The first layer is a matrix with a row per feature; a position touches some
//! twenty rows, and stock tensor operations would copy every one of those rows
//! through memory; so it is a custom operation, [`front`], with its own backward
//! pass. So are the layers above it, which have a copy per output bucket and use
//! one per position, and their activations. The rest is stock Burn. Trained
//! weights leave this room as [`nnue::FloatWeights`]: the rooms that
//! quantise and play know nothing of Burn.
#![cfg_attr(
    feature = "wgpu",
    allow(unreachable_pub, reason = "items of the macro are as public as the kernel")
)]

mod activation;
mod buckets;
pub mod buffer;
mod by_bucket;
mod cpu;
#[cfg(feature = "wgpu")]
pub mod cube;
mod device;
pub mod front;
mod host;
mod init;
mod loss;
mod model;
mod part;
pub mod profile;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
mod weights;

pub use buckets::PositionBuckets;
pub use cpu::dispatched;
pub use device::{Adapter, Capacity, Compute, DeviceError, WrongCompute};
pub use front::RowPrecision;
pub use loss::PowerLoss;
pub use model::{Input, Nnue, OUTPUT_SCALE};
pub use part::dense_layers;
