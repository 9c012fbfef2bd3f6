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
//! # In an engine
//!
//! This room with those below it, `chess` and `features`, is a library for engines: any net
//! file, whatever set of features it names, is followed move by move, without a line of code
//! for the features. `examples/small_engine.rs` is an engine of 150 lines that does so.
//!
//! ```
//! use oplus_nnue::chess::Position;
//! use oplus_nnue::{AccumulatorStack, bundled};
//!
//! let net = bundled(); // or Arc::new(Net::load(path)?)
//! let mut accumulators = AccumulatorStack::new(net.clone());
//! let before = Position::default();
//! accumulators.reset(&before);
//!
//! let played = before.parse_uci("e2e4")?;
//! let after = before.after(played);
//! accumulators.push(before.change(played), &after);
//! let centipawns = accumulators.evaluate(after.turn()); // for the side to move
//! accumulators.pop();
//!
//! assert_eq!(centipawns, net.evaluate(&(&after).into(), after.turn()));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Nothing here knows of Burn: training hands over [`FloatWeights`] and gets
//! them back. The scales are chosen per net, as large as a structural bound
//! allows, so that no sum can overflow whatever the position; they stand in
//! the file. An imported net ([`thesis`]) keeps the scales it was made with.

mod accumulator;
mod activation;
mod aligned;
mod architecture;
mod bundled;
mod bound;
pub mod check;
mod dequantise;
pub mod diff;
mod digits;
pub mod export;
mod file;
mod forward;
mod net;
pub mod provenance;
mod quantise;
mod rows;
mod simd;
mod tensors;
pub mod thesis;
mod weights;

pub use {chess, features};

pub use accumulator::{AccumulatorStack, UpdateCounts};
pub use activation::{Activation, HiddenActivation};
pub use architecture::{Architecture, Buckets, Layers, LayersError};
pub use bundled::bundled;
pub use digits::Base;
pub use file::NetError;
pub use net::{Net, Scales};
pub use quantise::{QuantisationError, QuantiseError, ROUNDING, quantise};
pub use simd::{Dispatch, Isa};
pub use weights::FloatWeights;

#[cfg(any(test, feature = "testing"))]
pub mod testing;
#[cfg(test)]
mod tests;
