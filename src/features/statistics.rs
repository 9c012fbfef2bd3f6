//! Counters of a feature set: how often each feature is active, and how many rows a move changes.
//!
//! They take positions and moves from any source. Each counts per summand of the expression and for
//! the whole set, and those of several threads can be merged: all sums are of integers, so the
//! order does not matter.

mod frequencies;
mod moves;

pub use frequencies::{Decade, Frequencies};
pub use moves::{MoveCounts, MoveSums, Seats};
