//! The net as plain numbers: float weights, the quantiser, the file, and the
//! integer inference with an accumulator that follows the search.
//!
//! ```text
//!            active features of a perspective
//!                       │  sum of rows (i16) ── accumulator, kept up to date by rows added and removed
//!   side to move ───────┤
//!   other side ─────────┤  clipped, perhaps squared or multiplied in pairs; side to move first
//!                       ▼
//!        up to two dense layers (i32) ── clipped, squared, or both side by side
//!                       ▼
//!        output (i64), with the PSQT sums ── centipawns
//! ```
//!
//! The [`Layers`], one line of text, list the parts of a net, and all code here walks them. Layers
//! above the accumulators may exist once per output bucket. Sums that 16 bits cannot hold have two
//! digits ([`Base`]).
//!
//! # In an engine
//!
//! This room with those below it, `chess` and `features`, is a library for engines: accumulators
//! follow the search for any net file and any feature set, without a line of code for the features.
//! `examples/small_engine.rs` is an engine of 150 lines.
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
//! This room is independent of Burn: training passes and receives [`FloatWeights`]. The scales are
//! chosen per net, as large as a structural bound allows, so that no sum can overflow in any
//! position; they stand in the file. Imported nets keep their own scales ([`Net::from_integers`]).
//! Imports, exports, examination and comparison are in the room `nnue-tools`, which no engine
//! links.

#![warn(missing_docs)]

mod accumulator;
mod activation;
mod aligned;
mod bound;
mod bundled;
mod dequantise;
mod digits;
mod file;
mod forward;
mod layers;
mod net;
mod quantise;
mod rows;
mod scales;
mod simd;
mod sorted;
pub mod tensors;
mod valued;
mod weights;

pub use {chess, features};

/// Name of the net's file in the folder of a run.
pub const NET_FILE: &str = "net.oplus";

pub use accumulator::{AccumulatorStack, UpdateCounts};
pub use activation::Activation;
pub use aligned::Aligned;
pub use bundled::bundled;
pub use digits::Base;
pub use file::NetError;
pub use layers::{
    Addition, Architecture, BucketSet, Buckets, DenseShape, Hidden, Layers, LayersError,
    Transformer,
};
pub use net::{IntegerDense, IntegerWeights, Net};
pub use quantise::{QuantisationError, QuantiseError, ROUNDING, quantise, quantise_at};
pub use scales::{HiddenScale, Mix, Ratio, Rounding, Scales, TransformerScale};
pub use simd::{Dispatch, Isa};
pub use sorted::BlocksRead;
pub use valued::{Unplayable, check_playable};
pub use weights::{Activations, DenseWeights, FloatWeights, Sums};

#[cfg(any(test, feature = "testing"))]
pub mod testing;
#[cfg(test)]
mod tests;
