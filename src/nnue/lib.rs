//! The net as plain numbers: float weights, the quantiser, the file, and the
//! integer inference with an accumulator that follows the search.
//!
//! ```text
//!            active features of a perspective
//!                       │  sum of rows (i16, scale qa) ── accumulator, kept up to date by rows added and removed
//!   side to move ───────┤
//!   other side ─────────┤  clamp 0..qa, perhaps square or shift; side to move first
//!                       ▼
//!        l2 neurons (i32, scale qa·qb) ── clamp 0..qa·qb, perhaps square
//!                       ▼
//!        output (i64, scale qa·qb·qc) ── centipawns
//! ```
//!
//! The [`Architecture`] says which of these layers a net has: without the
//! second one the output reads the accumulators, and a linear model is the
//! difference of two accumulators. Layers above the accumulators may exist
//! once per output bucket. Sums that 16 bits cannot hold have two digits ([`Base`]).
//!
//! Nothing here knows of Burn: training hands over [`FloatWeights`] and gets
//! them back. The scales are chosen per net, as large as a structural bound
//! allows, so that no sum can overflow whatever the position; they stand in
//! the file. An imported net ([`thesis`]) keeps the scales it was made with.

pub mod accumulator;
pub mod activation;
pub mod aligned;
pub mod architecture;
pub mod bundled;
mod bound;
pub mod check;
pub mod dequantise;
pub mod diff;
pub mod digits;
pub mod export;
pub mod file;
mod forward;
pub mod net;
pub mod provenance;
pub mod quantise;
mod rows;
pub mod simd;
pub mod tensors;
pub mod thesis;
pub mod weights;

pub use accumulator::{AccumulatorStack, UpdateCounts};
pub use activation::Activation;
pub use architecture::{Architecture, Buckets, HiddenActivation, Layers, LayersError};
pub use bundled::bundled;
pub use digits::Base;
pub use file::NetError;
pub use net::{Net, Scales};
pub use quantise::{QuantisationError, QuantiseError, ROUNDING, quantise, quantise_at};
pub use simd::{Dispatch, Isa};
pub use weights::FloatWeights;

#[cfg(any(test, feature = "testing"))]
pub mod testing;
#[cfg(test)]
mod tests;
