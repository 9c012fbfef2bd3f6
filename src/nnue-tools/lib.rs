//! Import, export, examination and comparison of nets: the part of `nnue` that no engine links.
//!
//! All formats share the plain numbers: [`IntegerWeights`](nnue::IntegerWeights) and
//! [`Scales`](nnue::Scales) of a quantised net, or [`FloatWeights`](nnue::FloatWeights). The list
//! of tensors ([`nnue::tensors`]) defines their order and shape.

pub mod check;
pub mod diff;
pub mod export;
pub mod first_layer;
pub mod floats;
mod following;
pub mod foreign;
pub mod import;
pub mod provenance;

pub use first_layer::FirstLayer;
pub use following::{Following, KingColumn};
