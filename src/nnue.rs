//! The net as plain numbers.

pub mod weights;

pub use weights::{Architecture, FloatWeights};
